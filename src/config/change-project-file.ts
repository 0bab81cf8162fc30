import { CliError, systemCode } from '../errors.ts';
import { type Lock, type Owner, tryLock } from '../system/lock.ts';
import { markOf, targetOf, writeWhole } from '../system/write-whole.ts';
import { acceptParsed, configName, makeConfigDirectory, projectFile, toFileError } from './project-file.ts';
import { type ProjectList, parseProjectList } from './project-list.ts';

/** This process, waiting and chance, for the time in which another process holds the lock. */
export type Patience = Owner & {
  /** Resolves after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A number from 0 up to 1. */
  readonly random: () => number;
};

/** With 25 to 75 milliseconds between them, some 30 seconds. */
const lockAttempts = 600;

/**
 * Changes the stored projects under a lock, and answers with what `alter` was given and what it made of it.
 * The file is written whole and renamed, with mode 0600 from its first byte, and a new directory has 0700.
 * Throws a usage error for a damaged file, which stays as it is, and for a place that cannot be written, and
 * an error of kind `unavailable` when the lock is held for too long.
 */
export async function changeProjectFile(
  directory: string,
  alter: (list: ProjectList) => ProjectList,
  patience: Patience,
): Promise<{ readonly before: ProjectList; readonly after: ProjectList }> {
  makeConfigDirectory(directory);
  const file = projectFile(directory);
  // Loaded before the lock is taken, so that it is held for the time of one read and one write.
  const { default: Conf } = await import('conf');
  const lock = await takeLock(file, patience);
  try {
    const conf = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      // In place of JSON.parse, whose errors quote the file.
      deserialize: (text) => ({ ...acceptParsed(parseProjectList(text), file).raw }),
    });
    // conf's own writer takes a file that a full disk cut short for a whole one, and replaces a link.
    Object.defineProperty(conf, '_write', {
      value: (store: unknown) =>
        writeWhole(file, JSON.stringify(store, undefined, '\t'), { mark: markOf(patience), isOwn: true }),
    });
    const raw = conf.store;
    const { list: before } = acceptParsed(parseProjectList(JSON.stringify(raw)), file);
    const after = alter(before);
    refuseUnreadable(after);
    // What a later version may have put beside the two is kept.
    conf.store = { ...raw, projects: after.projects, default: after.default };
    return { before, after };
  } catch (error) {
    throw systemCode(error) === undefined ? error : toFileError(error, { verb: 'write', path: file });
  } finally {
    lock.release();
  }
}

/** What was written must be read again: one project that was not prepared would make the whole file damaged. */
function refuseUnreadable(list: ProjectList): void {
  const parsed = parseProjectList(JSON.stringify(list));
  if ('fault' in parsed) {
    throw new Error(`the configuration would be damaged: ${parsed.fault}`);
  }
}

async function takeLock(file: string, patience: Patience): Promise<Lock> {
  for (let attempt = 1; attempt <= lockAttempts; attempt += 1) {
    try {
      // Two directories may link to one file, and its lock must be one.
      const taken = tryLock(targetOf(file), patience);
      if ('release' in taken) return taken;
    } catch (error) {
      throw toFileError(error, { verb: 'write', path: file });
    }
    await patience.wait(25 + 50 * patience.random());
  }
  throw new CliError('unavailable', `${file} is being changed by another hogctl`, { hint: 'try again' });
}
