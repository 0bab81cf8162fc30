import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join, posix, win32 } from 'node:path';
import { CliError, systemCode, usageError } from '../errors.ts';
import { readLegalHold } from '../semantics/legal-hold.ts';
import { makeDirectory, statsOf } from '../system/files.ts';
import {
  findDistrust,
  findDistrustAt,
  modeText,
  refuseForeignHome,
  type Viewer,
} from '../system/own-files.ts';
import type { Environment } from '../system/system.ts';
import { quoteForShell, systemReason } from '../system/text.ts';
import { splitKeyCommand } from './key-command.ts';
import {
  checkProjectName,
  cleanKey,
  isProjectId,
  type KeySource,
  normalizeHost,
  type StoredProject,
} from './stored-project.ts';

/** What was found where projects are stored. */
export type StoredProjects = ProjectList & {
  /** Where they were looked for; none if there is no home directory. */
  readonly directory?: string | undefined;
  readonly warnings: readonly string[];
  /** Set when the file may not be read. */
  readonly unreadable?: CliError;
  /** Set beside it when others can change the file, so that nothing in it counts, protection included. */
  readonly distrusted?: true;
};

/** Who reads and writes the file. */
export type Reader = Viewer & { readonly platform: string };

/** Name of the file without its ending, as conf wants it. */
export const configName = 'config';

/** The file in its directory. */
export function projectFile(directory: string): string {
  return join(directory, `${configName}.json`);
}

/**
 * Reads the projects stored in a directory. No file is no projects. Throws a usage error that names a damaged file and
 * repeats nothing of it. A file that may not be read is a field of the answer: with a key from the environment it does
 * not matter.
 */
export function readProjectFile(directory: string | undefined, reader: Reader): StoredProjects {
  if (directory === undefined) return { projects: [], warnings: [] };
  const file = projectFile(directory);
  try {
    const { text, found } = readWithStats(file);
    const distrusted = findDistrusted(file, found, reader);
    if (distrusted !== undefined) {
      return { projects: [], warnings: [], unreadable: distrusted, distrusted: true };
    }
    return {
      directory,
      ...parseProjectList(text, file, reader).list,
      warnings: warnAboutMode(file, found, reader),
    };
  } catch (error) {
    const code = systemCode(error);
    // ENOTDIR: a home such as /dev/null, which service accounts have.
    if (code === 'ENOENT' || code === 'ENOTDIR') return { directory, projects: [], warnings: [] };
    if (code === 'EACCES' || code === 'EPERM') {
      return { projects: [], warnings: [], unreadable: toFileError(error, { verb: 'read', path: file }) };
    }
    throw code === undefined ? error : toFileError(error, { verb: 'read', path: file });
  }
}

const elsewhere = 'set HOGCTL_CONFIG_DIR to a directory of your own, or give the key by HOGCTL_API_KEY';

/** The error that says who can change the file or its directory; nothing if only its reader and root can. */
function findDistrusted(file: string, found: Stats | undefined, { uid }: Reader): CliError | undefined {
  const directory = dirname(file);
  const ofDirectory = findDistrustAt(directory, uid);
  const distrust = ofDirectory ?? findDistrust(found, uid);
  if (distrust === undefined) return undefined;
  const [path, mode] = ofDirectory === undefined ? [file, '600'] : [directory, '700'];
  return usageError(
    `${path} ${distrust.reason}, so the projects stored there are not trusted`,
    distrust.canMend
      ? `check what is stored there, then run chmod ${mode} ${quoteForShell(path)}`
      : elsewhere,
  );
}

/**
 * Makes the directory for its owner only. One that exists is left as it is. Throws a usage error for one that others
 * can change, and for one in the home of another user if this is root.
 */
export function makeConfigDirectory(directory: string, reader: Reader): void {
  try {
    refuseForeignHome(directory, reader, `, or ${elsewhere}`);
    makeDirectory(directory);
    const distrusted = findDistrusted(projectFile(directory), undefined, reader);
    if (distrusted !== undefined) throw distrusted;
  } catch (error) {
    if (error instanceof CliError) throw error;

    throw toFileError(error, { verb: 'create', path: directory });
  }
}

/** A usage error for a file that could not be read, written or created. The error is of the file system's making. */
export function toFileError(
  error: unknown,
  attempt: { readonly verb: 'read' | 'write' | 'create'; readonly path: string },
): CliError {
  return new CliError('usage', `cannot ${attempt.verb} ${attempt.path}: ${systemReason(error)}`, {
    hint: elsewhere,
    cause: error,
  });
}

function readWithStats(file: string): { readonly text: string; readonly found: Stats } {
  // Opened without waiting: a pipe of that name would keep every command waiting.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() && !found.isDirectory()) {
      throw usageError(`the configuration file ${file} is not a regular file`, 'move it away');
    }
    return { text: readFileSync(descriptor, 'utf8'), found };
  } finally {
    closeSync(descriptor);
  }
}

function warnAboutMode(
  file: string,
  { mode, uid: owner }: Stats,
  { platform, uid }: Reader,
): readonly string[] {
  if (platform === 'win32' || (mode & 0o077) === 0) return [];
  const remedy =
    uid === undefined || owner === uid ? ': run chmod 600 on it' : ', which only root can change';
  return [`${file} contains keys and is open to other users (mode ${modeText(mode)})${remedy}`];
}

/** What the configuration file holds. */
export type ProjectList = {
  readonly projects: readonly StoredProject[];
  /** Name of the project that is used when none is named. */
  readonly default?: string;
};

type ParsedList = { readonly list: ProjectList; readonly raw: Readonly<Record<string, unknown>> };

/**
 * Reads the text of a configuration file. Throws a usage error for a damaged one, in words that repeat nothing of it: a
 * parse error would quote the text.
 */
export function parseProjectList(
  text: string,
  file: string,
  { platform }: Pick<Reader, 'platform'>,
): ParsedList {
  const damaged = (fault: string) =>
    usageError(
      `the configuration file ${file} is damaged: ${fault}`,
      'repair it, or move it away and store your projects again with hogctl auth login',
    );
  if (text.trim() === '') throw damaged('it is empty');
  const raw = parseJson(text);
  if (!isRecord(raw)) throw damaged('it is not a complete JSON object');
  // A file in which nothing was stored yet, such as one that holds {}.
  const entries = raw.projects ?? [];
  const chosen = raw.default;
  if (!Array.isArray(entries)) throw damaged('its "projects" is not a list');
  if (chosen !== undefined && typeof chosen !== 'string') throw damaged('its "default" is not a name');
  const projects: StoredProject[] = [];
  for (const [index, entry] of entries.entries()) {
    const read = readProject(entry, platform);
    if (typeof read === 'string')
      throw damaged(`entry ${index + 1} of its "projects" has no valid "${read}"`);
    if (projects.some(({ name }) => name === read.name))
      throw damaged(`entry ${index + 1} of its "projects" repeats a name`);
    projects.push(read);
  }
  return { raw, list: { projects, ...(chosen === undefined ? {} : { default: chosen }) } };
}

/** The list with a project added, or put in the place of the one with its name. The first becomes the default. */
export function withProject(list: ProjectList, project: StoredProject): ProjectList {
  const known = list.projects.some(({ name }) => name === project.name);
  const projects = known
    ? list.projects.map((stored) => (stored.name === project.name ? project : stored))
    : [...list.projects, project];
  const isOnly = projects.length === 1;
  return { ...list, projects, ...(isOnly ? { default: project.name } : {}) };
}

/** The list without a project; no other project becomes the default by itself. */
export function withoutProject(list: ProjectList, name: string): ProjectList {
  const projects = list.projects.filter((stored) => stored.name !== name);
  const keepsDefault = list.default !== undefined && list.default !== name;
  return keepsDefault ? { projects, default: list.default } : { projects };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text; the caller says what is wrong without it.
    return undefined;
  }
}

/** The project, or the name of the first field that is not as it is written. */
function readProject(entry: unknown, platform: string): StoredProject | string {
  if (!isRecord(entry)) return 'name';
  const { name, host, id, dialect, label } = entry;
  const source = readKeySource(entry, platform);
  if (typeof name !== 'string' || !holds(() => checkProjectName(name) === name)) return 'name';
  if (typeof host !== 'string' || !holds(() => normalizeHost(host).address === host)) return 'host';
  if (typeof id !== 'string' || !isProjectId(id)) return 'id';
  if (typeof source === 'string') return source;
  if (typeof entry.protected !== 'boolean') return 'protected';
  if (dialect !== undefined && dialect !== 'live' && dialect !== 'specification') return 'dialect';
  if (label !== undefined && typeof label !== 'string') return 'label';
  const except = readLegalHold(entry.except);
  if (entry.except !== undefined && except === undefined) return 'except';
  return {
    name,
    host,
    id,
    ...source,
    protected: entry.protected,
    ...(dialect === undefined ? {} : { dialect }),
    ...(label === undefined ? {} : { label }),
    ...(except === undefined ? {} : { except }),
  };
}

function readKeySource(
  { key, keyCommand }: Readonly<Record<string, unknown>>,
  platform: string,
): KeySource | 'key' | 'keyCommand' {
  if (keyCommand === undefined) {
    return typeof key === 'string' && holds(() => cleanKey(key, 'the file') === key) ? { key } : 'key';
  }
  const isUsable =
    key === undefined &&
    typeof keyCommand === 'string' &&
    holds(() => splitKeyCommand(keyCommand, platform).length > 0);
  return isUsable ? { keyCommand } : 'keyCommand';
}

/** Whether a check passes: one that throws says why in words that may repeat the value. */
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The directory of stored projects; undefined if the environment names neither one nor a home. */
export const configDirectory = directoryIn({
  own: 'HOGCTL_CONFIG_DIR',
  xdg: 'XDG_CONFIG_HOME',
  linux: '.config/hogctl',
  darwin: 'Library/Preferences/hogctl',
  windows: ['APPDATA', 'AppData\\Roaming', 'hogctl\\Config'],
});

/** The directory for the runs of deletions. */
export const stateDirectory = directoryIn({
  own: 'HOGCTL_STATE_DIR',
  xdg: 'XDG_STATE_HOME',
  linux: '.local/state/hogctl',
  darwin: 'Library/Application Support/hogctl/State',
  windows: ['LOCALAPPDATA', 'AppData\\Local', 'hogctl\\State'],
});

/** The same, if others cannot change it. Throws a usage error if they can, and if there is none. */
export function trustedStateDirectory(reader: Reader): string {
  const directory = stateDirectory(reader.environment, reader.platform);
  const elsewhere = 'set HOGCTL_STATE_DIR to a directory of your own';
  if (directory === undefined)
    throw usageError('no directory was found for the record of the run', elsewhere);
  refuseForeignHome(directory, reader, `, or ${elsewhere}`);
  // Else it would look as if there were no runs, and nothing owed.
  if (statsOf(directory)?.isDirectory() === false)
    throw usageError(`${directory} is not a directory, so no runs can be kept there`, elsewhere);
  const distrust = findDistrustAt(directory, reader.uid);
  if (distrust === undefined) return directory;
  const mend = `check what is kept there, then run chmod 700 ${quoteForShell(directory)}`;
  const remount = /mode/.test(distrust.reason) ? '; if it is a tmpfs, mount it with mode=700' : '';
  throw usageError(
    `${directory} ${distrust.reason}, so the runs kept there are not trusted`,
    `${distrust.canMend ? mend : elsewhere}${remount}`,
  );
}

/** The directory for what can be lost. */
export const cacheDirectory = directoryIn({
  own: 'HOGCTL_CACHE_DIR',
  xdg: 'XDG_CACHE_HOME',
  linux: '.cache/hogctl',
  darwin: 'Library/Caches/hogctl',
  windows: ['LOCALAPPDATA', 'AppData\\Local', 'hogctl\\Cache'],
});

type Places = {
  /** The variable that names it. */
  readonly own: string;
  readonly xdg: string;
  readonly linux: string;
  readonly darwin: string;
  readonly windows: readonly [variable: string, belowHome: string, leaf: string];
};

function directoryIn({ own, xdg, linux, darwin, windows }: Places) {
  return (environment: Environment, platform: string): string | undefined => {
    const named = environment[own];
    if (named) return named;
    if (platform === 'win32') {
      const [variable, belowHome, leaf] = windows;
      const { [variable]: root, USERPROFILE: home } = environment;
      if (root) return win32.join(root, leaf);
      return home ? win32.join(home, belowHome, leaf) : undefined;
    }
    const { [xdg]: root, HOME: home } = environment;
    // The XDG specification says to ignore relative paths: they would move with the working directory.
    if (root && posix.isAbsolute(root)) return posix.join(root, 'hogctl');
    return home ? posix.join(home, platform === 'darwin' ? darwin : linux) : undefined;
  };
}
