import { type CachedProject, clearCache, type Watcher } from '../completion/cache.ts';
import { usageError } from '../errors.ts';
import type { Client, Description } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { Column } from '../json/kinds.ts';
import type { OutputFormat, Printable } from '../print/rows.ts';
import type { Endpoint, InputOf } from '../service/endpoint.ts';
import { createRedactor, maskKey, programOf, runKeyCommand, runWithoutKeys } from '../settings/keys.ts';
import { configDirectory, projectFile, readProjectFile, stateDirectory } from '../settings/project-file.ts';
import { createProjectStore, type ProjectStore } from '../settings/project-store.ts';
import {
  preferRunProject,
  type RunProject,
  resolveRunSettings,
  resolveSettings,
  type Settings,
} from '../settings/resolve-settings.ts';
import { findDistrustAt, refuseForeignHome } from '../system/files.ts';
import type { Stderr } from '../system/output.ts';
import type { Environment, ProgramOutput, System } from '../system/system.ts';
import {
  ask,
  isInteractive,
  type Progress,
  type ProgressOptions,
  startProgress,
} from '../system/terminal.ts';
import { quoteForShell } from '../system/text.ts';
import {
  type Connection,
  connect,
  interceptClient,
  type ListMessages,
  type ListOptions,
  listRows,
  type Target,
} from './client.ts';
import type { Command, Group } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import { type Asker, confirmAct, type Question, refuseSilence } from './confirm.ts';
import { createFiles, type Files, readInput } from './create-files.ts';
import { createFallback, type Fallback } from './fallback.ts';
import { hasColor, outputFormat, type Printing } from './printing.ts';
import { openProjects, type Severally, type OneOfSeveral as WithContext } from './several-projects.ts';

/** All that a command may touch. What costs time is a function that does the work when first called. */
export type Context = {
  readonly options: GlobalOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws a usage error if project, host or key is missing. */
  settings(): Promise<Settings>;
  /** Says of which project the settings are unless option or environment name one; before they are first asked for. */
  preferProject(project: RunProject): void;
  client(): Promise<Client>;
  /** The same context with the stored key for the project of a run. Its settings throw a usage error if none is stored. */
  forProject(project: RunProject): Context;
  /** Such contexts for several stored projects that are named. Throws a usage error for names that cannot be taken. */
  forProjects(names: readonly string[], how?: Severally): Promise<readonly OneOfSeveral[]>;
  /** The key in use; runs the command that prints it, if there is one, when first called. */
  key(): Promise<string>;
  /** Runs a command that prints a key. Throws an error that shows nothing of what it wrote. */
  runKeyCommand(command: string): Promise<string>;
  /** A client for another project than the one the settings name, as `auth login` needs it. */
  connect(target: Target): Promise<Client>;
  /** The projects stored on this computer. */
  projects(): ProjectStore;
  /** Removes what is kept for completion, of one project or of all; returns of how many. Throws what the system says. */
  clearCompletionCache(project?: CachedProject): number;
  /** As much of a key as may be shown. */
  maskKey(key: string): string;
  /** Every command there is, by noun. */
  readonly groups: readonly Group[];
  /** Prints data on stdout, or into the file of `--save`, in the format that was asked for. */
  print(data: Printable, columns?: readonly Column[]): Promise<void>;
  /** The pages of a list, with a warning on stderr when there are more rows than were asked for. */
  list<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row> & { readonly limit?: number | undefined },
    options: ListOptions,
  ): Promise<AsyncIterable<Page>>;
  /** One operation, or what replaces it if the service refuses it to keys. */
  readonly callOrQuery: Fallback['callOrQuery'];
  /** The same for lists of people: an ActorsQuery does their job. */
  readonly listOrQuery: Fallback['listOrQuery'];
  /** How data on stdout is shown; `width` is set only for a terminal. */
  outputFormat(): OutputFormat;
  /** Writes text of our own that is not rows: a completion script, a chart. */
  printRaw(bytes: Uint8Array | string): Promise<void>;
  /** Writes an answer of the service as it came, such as its own CSV; a terminal gets no control characters of it. */
  passOn(bytes: Uint8Array | string): Promise<void>;
  /** Files by name, for commands that keep several. */
  readonly files: Files;
  /** Whether what is printed may have colours. */
  readonly color: boolean;
  /** A line on stderr, left out with `--quiet`. */
  note(text: string): void;
  /** A line on stderr that stays with `--quiet`. */
  warn(text: string): void;
  /** Says what a write did; silent in a dry run, since then nothing was done. */
  report(text: string): void;
  /** Shows how far a long work is, on stderr. */
  progress(work: ProgressOptions): Progress;
  /** Throws a usage error at once if `confirm` could not ask, before anything is read. */
  requireConsent(question: Question): void;
  /** Returns if the person agrees or `--yes` stands; throws `cancelled` or `usage` if not. */
  confirm(question: Question): Promise<void>;
  /** Asks a question at the terminal, without echo if it is secret. Throws a usage error without a terminal. */
  ask(question: { readonly text: string; readonly secret?: boolean }): Promise<string>;
  /** The bytes of a file, or of standard input for `-`. */
  readInput(source: string): AsyncIterable<Uint8Array>;
  /** Where runs are kept. Throws a usage error if there is no such directory. */
  stateDirectory(): string;
  readonly interactive: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly forcedSignal: AbortSignal;
  now(): number;
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  readonly spawn: System['spawn'];
  /** Runs a program with these variables added and those of keys left out. Rejects if it cannot be started. */
  runProgram(command: readonly [string, ...string[]], added?: Environment): Promise<ProgramOutput>;
  /** Keeps memory low from here on, at the price of some speed. */
  readonly saveMemory: System['saveMemory'];
  readonly keepFilesPrivate: System['keepFilesPrivate'];
  readonly platform: string;
  readonly nodeVersion: string;
  readonly self: readonly [string, ...string[]];
  /** This process, as the owner of what it locks. */
  readonly owner: { readonly pid: number; readonly isAlive: (pid: number) => boolean };
};

export type OneOfSeveral = WithContext<Context>;

export type Situation = {
  readonly system: System;
  readonly groups: readonly Group[];
  readonly command: Command;
  readonly options: GlobalOptions;
  readonly stderr: Stderr;
  readonly printing: Printing;
  readonly watcher: Watcher | undefined;
  keepRequest(request: Description): void;
  /** The only project that is asked, with a stored key. */
  readonly only?: RunProject;
};

/** What one command gets. Everything that costs time is done when it is first asked for, and once. */
export function createContext(situation: Situation): Context {
  const { system, options, stderr, printing } = situation;
  const { settings, ...places } = holdSettings(situation);
  const dryRun = options.dryRun ?? false;
  const signal = situation.command.graceful ? system.forcedSignal : system.signal;
  const connection: Connection = { system, options, stderr, signal };
  const key = once(async () => findKey(await settings(), situation));
  const client = once(async () => openClient(await settings(), key, { ...connection, situation }));
  const asker = createAsker(situation, settings);
  const fallback = () => createFallback({ client, settings, stderr, listMessages: listMessages(situation) });
  return {
    options,
    environment: system.environment,
    settings,
    ...places,
    client,
    key,
    runKeyCommand: (command) => runKeyCommand(command, system),
    runProgram: (command, added = {}) => runWithoutKeys(command, added, system),
    connect: async (project) => {
      if (typeof project.key === 'string') stderr.hide(createRedactor([project.key]));
      return intercept(await connect(project, connection), situation);
    },
    projects: () => projectStore(system),
    maskKey,
    clearCompletionCache: (project) => clearCache(system, project),
    groups: situation.groups,
    print: printing.print,
    outputFormat: () => outputFormat(system, options),
    printRaw: printing.printRaw,
    passOn: printing.passOn,
    list: async (row, input, options) =>
      listRows({ client: await client(), row, input, options, ...listMessages(situation) }),
    callOrQuery: (row, input, replacement) => fallback().callOrQuery(row, input, replacement),
    listOrQuery: (row, input, options) => fallback().listOrQuery(row, input, options),
    get files() {
      return createFiles({ system, options, stderr });
    },
    get color() {
      return hasColor(system, options);
    },
    ...messagesOn(stderr, { dryRun }),
    progress: (work) => startProgress(work, situation),
    requireConsent: (question) => {
      if (!dryRun) refuseSilence(question, asker);
    },
    confirm: async (question) => {
      if (!dryRun) await confirmAct(question, asker);
    },
    ask: (question) => ask(system, question),
    readInput: (source) => readInput(source, system),
    stateDirectory: () => findStateDirectory(system),
    get interactive() {
      return asker.interactive;
    },
    dryRun,
    ...passedOn(system),
  };
}

function messagesOn({ note, warn }: Stderr, { dryRun }: { readonly dryRun: boolean }) {
  return { note, warn, report: dryRun ? () => {} : note };
}

/** What a command may touch as it is. */
function passedOn(system: System) {
  const { signal, forcedSignal, now, wait, random, spawn, saveMemory, keepFilesPrivate } = system;
  const { self, platform, nodeVersion } = system;
  const owner = { pid: system.pid, isAlive: system.isAlive };
  const functions = { now, wait, random, spawn, saveMemory, keepFilesPrivate };
  return { signal, forcedSignal, ...functions, self, platform, nodeVersion, owner };
}

/** Looking at stdin and stderr makes these streams, which a command that asks nothing need not pay for. */
function createAsker({ system, options }: Situation, settings: () => Promise<Settings>): Asker {
  return {
    options,
    environment: system.environment,
    settings,
    get interactive() {
      return isInteractive(system);
    },
    ask: (text) => ask(system, { text }),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The key of the settings, hidden from here on. */
async function findKey({ key, keyCommand }: Settings, { system, stderr }: Situation): Promise<string> {
  if (keyCommand === undefined) return key;
  const printed = await runKeyCommand(keyCommand, system);
  stderr.hide(createRedactor([printed]));
  return printed;
}

async function openClient(
  settings: Settings,
  key: () => Promise<string>,
  { situation, ...connection }: Connection & { readonly situation: Situation },
): Promise<Client> {
  const { watcher } = situation;
  watcher?.at(settings);
  const client = await connect({ ...settings, key: settings.key ?? key }, connection);
  return intercept(watcher?.watchClient(client) ?? client, situation);
}

function intercept(client: Client, { options, command, printing, keepRequest }: Situation): Client {
  return interceptClient(client, {
    dryRun: options.dryRun ?? false,
    serverFormat: options.serverFormat,
    rows: command.endpoints,
    keep: keepRequest,
    passOn: printing.passOn,
  });
}

/** What is said while a list is read. */
function listMessages(situation: Situation): ListMessages {
  return {
    warn: situation.stderr.warn,
    progress: (work) => startProgress({ ...work, amidRows: true }, situation),
  };
}

function projectStore(system: System) {
  const { environment, platform, uid, wait, random, pid, isAlive } = system;
  const directory = configDirectory(environment, platform);
  return createProjectStore({ directory, platform, uid, environment, wait, random, pid, isAlive });
}

function holdSettings(
  situation: Situation,
): Pick<Context, 'settings' | 'preferProject' | 'forProject' | 'forProjects'> {
  let preferred: RunProject | undefined;
  return {
    settings: once(async () => findSettings(situation, preferred)),
    preferProject(project) {
      preferred = project;
    },
    forProject: (project) => createContext({ ...situation, only: project }),
    forProjects: (names, how = {}) =>
      openProjects(names, how, {
        ...situation,
        stored: () => projectStore(situation.system).list(),
        open: (only, own) => createContext({ ...situation, ...own, only }),
      }),
  };
}

function findSettings(
  { system, options, stderr, only }: Situation,
  preferred: RunProject | undefined,
): Settings {
  const { environment } = system;
  const directory = configDirectory(environment, system.platform);
  const stored = readProjectFile(directory && projectFile(directory), system);
  const settings =
    only === undefined
      ? resolveSettings({
          options: { project: options.project, host: options.host },
          environment,
          stored: preferred === undefined ? stored : preferRunProject(stored, preferred),
        })
      : resolveRunSettings(only, { environment, stored });
  if (settings.key !== undefined) stderr.hide(createRedactor([settings.key]));
  for (const warning of settings.warnings) stderr.warn(`warning: ${warning}`);
  const { keyCommand, provenance } = settings;
  if (keyCommand === undefined) return settings;
  const key = `${provenance.key}, ${keySourceText(keyCommand, system.platform)}`;
  return { ...settings, provenance: { ...provenance, key } };
}

function findStateDirectory(system: System): string {
  const directory = stateDirectory(system.environment, system.platform);
  const elsewhere = 'set HOGCTL_STATE_DIR to a directory of your own, or give --run-dir';
  if (directory === undefined)
    throw usageError('no directory was found for the record of the run', elsewhere);
  refuseForeignHome(directory, system, `, or ${elsewhere}`);
  const distrust = findDistrustAt(directory, system.uid);
  if (distrust === undefined) return directory;
  throw usageError(
    `${directory} ${distrust.reason}, so the runs kept there are not trusted`,
    distrust.canMend ? `check what is kept there, then run chmod 700 ${quoteForShell(directory)}` : elsewhere,
  );
}

/** Where a key comes from, in words; of a command only its program, since arguments may hold a secret. */
export function keySourceText(keyCommand: string | undefined, platform: string): string {
  return keyCommand === undefined ? 'stored' : `from a command (${programOf(keyCommand, platform)})`;
}
