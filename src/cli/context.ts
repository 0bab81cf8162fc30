import { type CachedProject, clearCache, type Watcher } from '../completion/cache.ts';
import type { Client, Description } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { OutputFormat } from '../print/rows.ts';
import { inMilliseconds } from '../semantics/calendar.ts';
import type { Dialect, Endpoint, InputOf } from '../service/endpoint.ts';
import { programOf, runKeyCommand } from '../settings/key-command.ts';
import { configDirectory, readProjectFile, trustedStateDirectory } from '../settings/project-file.ts';
import { createProjectStore, type ProjectStore } from '../settings/project-store.ts';
import { createRecordKey, type RecordKey } from '../settings/record-key.ts';
import {
  preferRunProject,
  type RunProject,
  resolveRunSettings,
  resolveSettings,
  type Settings,
} from '../settings/resolve-settings.ts';
import { checkEncryption } from '../settings/stored-project.ts';
import { runWithoutKeys } from '../system/children.ts';
import type { Owner } from '../system/lock.ts';
import {
  isInteractive,
  type Progress,
  type ProgressOptions,
  type Stderr,
  startProgress,
} from '../system/output.ts';
import { createRedactor } from '../system/redactor.ts';
import type { Environment, ProgramOutput, System } from '../system/system.ts';
import { ask } from '../system/terminal.ts';
import { type Signature, type Signing, signing } from './author.ts';
import { readCertificates } from './certificates.ts';
import type { Call, Command, Group } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import { confirmAct, type Question, refuseSilence } from './confirm.ts';
import { createFiles, type Files, readInput } from './create-files.ts';
import { interceptClient } from './intercept.ts';
import { hasColor, outputFormat, type Printing } from './printing.ts';
import { createFallback, type Fallback, type ListMessages, type ListOptions, listRows } from './requests.ts';
import { openProjects, type Severally, type OneOfSeveral as WithContext } from './several-projects.ts';

/** All that a command may touch. What costs time is a function that does the work when first called. */
export type Context = PassedOn &
  Signing &
  Pick<Stderr, 'note' | 'warn' | 'command'> &
  Pick<Printing, 'print' | 'printRaw' | 'printText' | 'passOn'> &
  Fallback & {
    /** The options that every command takes. */
    readonly options: GlobalOptions;
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
    /** Every command there is, by noun. */
    readonly groups: readonly Group[];
    /** The pages of a list, with a warning on stderr when there are more rows than were asked for. */
    list<Row extends Endpoint>(
      row: Row,
      input: InputOf<Row> & { readonly limit?: number | undefined },
      options: ListOptions,
    ): Promise<AsyncIterable<Page>>;
    /** How data on stdout is shown; `width` is set only for a terminal. */
    outputFormat(): OutputFormat;
    /** Files by name, for commands that keep several. */
    readonly files: Files;
    /** Whether what is printed may have colours. */
    readonly color: boolean;
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
    /** By which records of deletions are known to be made here. */
    readonly recordKey: RecordKey;
    /** Where runs are kept. Throws a usage error if there is no such directory. */
    stateDirectory(): string;
    /** Whether somebody can be asked. */
    readonly interactive: boolean;
    /** Whether requests that change something are shown and not sent. */
    readonly dryRun: boolean;
    /** Runs a program with these variables added and those of keys left out. Rejects if it cannot be started. */
    runProgram(command: readonly [string, ...string[]], added?: Environment): Promise<ProgramOutput>;
  };

export type OneOfSeveral = WithContext<Context>;

export type Situation = Call & {
  readonly groups: readonly Group[];
  readonly command: Command;
  readonly printing: Printing;
  readonly watcher: Watcher | undefined;
  keepRequest(request: Description): void;
  /** Told before each request that may change something. */
  onChange(): void;
  /** The only project that is asked, with a stored key. */
  readonly only?: RunProject;
  /** The same for all projects of a command. */
  readonly signature: Signature;
};

/** What one command gets. Everything that costs time is done when it is first asked for, and once. */
export function createContext(situation: Situation): Context {
  const { system, options, stderr, printing, groups } = situation;
  const { print, printRaw, printText, passOn } = printing;
  const { note, warn, command: commandTo } = stderr;
  const dryRun = options.dryRun ?? false;
  const context: Context = {
    ...passedOn(system),
    ...openService(situation),
    options,
    groups,
    dryRun,
    print,
    printRaw,
    printText,
    passOn,
    note,
    warn,
    command: commandTo,
    forProject: (project) => createContext({ ...situation, only: project }),
    forProjects: (names, how = {}) =>
      openProjects(names, how, {
        ...situation,
        stored: () => projectStore(system).list(),
        open: (only, own) => createContext({ ...situation, ...own, only }),
      }),
    runKeyCommand: (command) => runKeyCommand(command, system),
    runProgram: (command, added = {}) => runWithoutKeys(command, added, system),
    projects: () => projectStore(system),
    clearCompletionCache: (project) => clearCache(system, project),
    outputFormat: () => outputFormat(system, options),
    get files() {
      return createFiles({ system, options, stderr });
    },
    // Looking at a stream makes it, which not every command need pay for.
    get color() {
      return hasColor(system, options);
    },
    get interactive() {
      return isInteractive(system);
    },
    report: dryRun ? () => {} : note,
    progress: (work) => startProgress(work, situation),
    requireConsent: (question) => {
      if (!dryRun) refuseSilence(question, context);
    },
    confirm: async (question) => {
      if (!dryRun) await confirmAct(question, context);
    },
    ask: (question) => ask(system, question),
    readInput: (source) => readInput(source, system),
    ...signing(situation.signature, system),
    stateDirectory: () => trustedStateDirectory(system),
    recordKey: createRecordKey(system),
  };
  return context;
}

/** The service, as settings and options say. */
function openService(situation: Situation) {
  const { system, options, stderr, watcher, onChange } = situation;
  const signal = situation.command.graceful ? system.forcedSignal : system.signal;
  const connection = { system, options, stderr, signal, onChange };
  let preferred: RunProject | undefined;
  const settings = once(async () => findSettings(situation, preferred));
  const key = once(async () => findKey(await settings(), situation));
  const client = once(async () => {
    const target = await settings();
    watcher?.at(target);
    const opened = await connect({ ...target, key: target.key ?? key }, connection);
    return intercepted(watcher?.watchClient(opened) ?? opened, situation);
  });
  const messages: ListMessages = {
    warn: stderr.warn,
    save: options.save,
    progress: (work) => startProgress({ ...work, amidRows: true }, situation),
  };
  const list: Context['list'] = async (row, input, how) =>
    listRows({ client: await client(), row, input, options: how, ...messages });
  let replaced: Fallback | undefined;
  const debug = options.debug ? stderr.note : () => {};
  const fallback = () => {
    replaced ??= createFallback({ client, settings, stderr, debug, listMessages: messages });
    return replaced;
  };
  return {
    settings,
    key,
    client,
    list,
    callOrQuery: ((row, input, replacement) =>
      fallback().callOrQuery(row, input, replacement)) satisfies Fallback['callOrQuery'],
    listOrQuery: ((row, input, how) =>
      fallback().listOrQuery(row, input, how)) satisfies Fallback['listOrQuery'],
    preferProject: (project: RunProject) => {
      preferred = project;
    },
    connect: async (target: Target) => {
      if (typeof target.key === 'string') stderr.hide(createRedactor([target.key]));
      return intercepted(await connect(target, connection), situation);
    },
  };
}

function intercepted(client: Client, situation: Situation): Client {
  const { dryRun, serverFormat } = situation.options;
  return dryRun || serverFormat !== undefined ? interceptClient(client, situation) : client;
}

type Connection = Call & {
  /** Told before each request that may change something. */
  onChange(): void;
  /** Breaks off what is in flight. */
  readonly signal: AbortSignal;
};

/** What is needed to reach one project. */
export type Target = {
  readonly project: { readonly id: string };
  readonly host: { readonly address: string };
  /** A function is asked at each request. */
  readonly key: string | (() => Promise<string>);
  readonly dialect: Dialect;
};

/** A client for one project, with the network settings of this call. */
async function connect(
  target: Target,
  { system, options, stderr, signal, onChange }: Connection,
): Promise<Client> {
  const { createClient } = await import('../http/create-client.ts');
  const { environment, wait, random, now } = system;
  return createClient({
    base: target.host.address,
    projectId: target.project.id,
    key: target.key,
    dialect: target.dialect,
    environment,
    timeout: options.timeout === undefined ? undefined : inMilliseconds(options.timeout),
    retries: options.retries,
    ...(await readCertificates({ address: target.host.address, options, system })),
    largestAnswer: options.maxAnswer === undefined ? undefined : options.maxAnswer * 1_000_000,
    wait,
    random,
    now,
    note: stderr.note,
    warn: stderr.warn,
    onChange,
    progress: ({ amidRows }) =>
      startProgress(
        { label: 'rows read', waiting: 'waiting for the query', amidRows },
        { system, options, stderr },
      ),
    longestWait: options.waitTimeout === undefined ? undefined : inMilliseconds(options.waitTimeout),
    debug: options.debug ? stderr.warn : undefined,
    signal,
    waitSignal: system.signal,
    redact: stderr.redact,
  });
}

/** What a command may touch as it is; `owner` is this process, as the owner of what it locks. */
type PassedOn = ReturnType<typeof passedOn>;

function passedOn(system: System) {
  const { environment, platform, nodeVersion, self, signal, forcedSignal } = system;
  const { now, running, wait, random, spawn, saveMemory, keepFilesPrivate } = system;
  const owner: Owner = { pid: system.pid, isAlive: system.isAlive, startOf: system.startOf };
  const functions = { now, running, wait, random, spawn, saveMemory, keepFilesPrivate };
  return { environment, platform, nodeVersion, self, signal, forcedSignal, owner, ...functions };
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

function projectStore(system: System): ProjectStore {
  return createProjectStore(configDirectory(system.environment, system.platform), system);
}

function findSettings(
  { system, options, stderr, only }: Situation,
  preferred: RunProject | undefined,
): Settings {
  const { environment } = system;
  const stored = readProjectFile(configDirectory(environment, system.platform), system);
  const settings =
    only === undefined
      ? resolveSettings({
          options: { project: options.project, host: options.host },
          environment,
          stored: preferred === undefined ? stored : preferRunProject(stored, preferred),
        })
      : resolveRunSettings(only, { environment, stored });
  if (settings.key !== undefined) stderr.hide(createRedactor([settings.key]));
  const clear = checkEncryption(settings.host.address, options.insecure);
  for (const warning of [...settings.warnings, clear ?? []].flat()) stderr.warn(`warning: ${warning}`);
  const { keyCommand, provenance } = settings;
  if (keyCommand === undefined) return settings;
  const key = `${provenance.key}, ${keySourceText(keyCommand, system.platform)}`;
  return { ...settings, provenance: { ...provenance, key } };
}

/** Where a key comes from, in words; of a command only its program, since arguments may hold a secret. */
export function keySourceText(keyCommand: string | undefined, platform: string): string {
  return keyCommand === undefined ? 'stored' : `from a command (${programOf(keyCommand, platform)})`;
}
