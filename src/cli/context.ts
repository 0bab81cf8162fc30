import { type CachedProject, clearCache, type Watcher } from '../completion/cache.ts';
import type { Client, Description } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { OutputFormat } from '../print/rows.ts';
import type { Endpoint, InputOf } from '../service/endpoint.ts';
import { programOf, runKeyCommand } from '../settings/key-command.ts';
import { configDirectory, readProjectFile, trustedStateDirectory } from '../settings/project-file.ts';
import { createProjectStore, type ProjectStore } from '../settings/project-store.ts';
import {
  preferRunProject,
  type RunProject,
  resolveRunSettings,
  resolveSettings,
  type Settings,
} from '../settings/resolve-settings.ts';
import { checkEncryption } from '../settings/stored-project.ts';
import { runWithoutKeys } from '../system/children.ts';
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
import type { Call, Command, Group } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import { type Asker, confirmAct, type Question, refuseSilence } from './context/confirm.ts';
import { connect, type Target } from './context/connect.ts';
import { createFiles, type Files, readInput } from './context/create-files.ts';
import { interceptClient } from './context/intercept.ts';
import { createRecords, type Records, type Signature } from './context/records.ts';
import {
  openProjects,
  type Severally,
  type OneOfSeveral as WithContext,
} from './context/several-projects.ts';
import { hasColor, outputFormat, type Printing } from './printing.ts';
import { createFallback, type Fallback, type ListMessages, type ListOptions, listRows } from './requests.ts';

/** All that a command may touch. What costs time is a function that does the work when first called. */
export type Context = {
  /** The options that every command takes. */
  readonly options: GlobalOptions;
  /** Throws a usage error if project, host or key is missing. */
  settings(): Promise<Settings>;
  /** The service, for the project of the settings. */
  client(): Promise<Client>;
  /** The pages of a list, with a warning on stderr when there are more rows than were asked for. */
  list<Row extends Endpoint>(
    row: Row,
    input: InputOf<Row> & { readonly limit?: number | undefined },
    options: ListOptions,
  ): Promise<AsyncIterable<Page>>;
  /** Asks an operation that the service may refuse to keys, and then what replaces it. */
  readonly fallback: Fallback;
  /** The projects stored on this computer, their keys, and how others than that of the settings are reached. */
  readonly projects: Projects;
  /** Prints rows to stdout, or into the file of `--save`. */
  readonly print: Printing['print'];
  /** Prints what is no rows, and tells how output is shown. */
  readonly output: Output;
  /** Says something on stderr, unless `--quiet`. */
  readonly note: Stderr['note'];
  /** Says something on stderr in any case. */
  readonly warn: Stderr['warn'];
  /** Writes a line on stderr that is a command to the service that runs the job. */
  readonly command: Stderr['command'];
  /** Says what a write did; silent in a dry run, since then nothing was done. */
  report(text: string): void;
  /** Shows how far a long work is, on stderr. */
  progress(work: ProgressOptions): Progress;
  /** Returns if the person agrees or `--yes` stands; throws `cancelled` or `usage` if not. */
  confirm(question: Question): Promise<void>;
  /** Whether and how somebody can be asked. */
  readonly terminal: Terminal;
  /** Whether requests that change something are shown and not sent. */
  readonly dryRun: boolean;
  /** Files by name, for commands that keep several. */
  readonly files: Files;
  /** The bytes of a file, or of standard input for `-`. */
  readInput(source: string): AsyncIterable<Uint8Array>;
  /** Where runs are kept. Throws a usage error if there is no such directory. */
  stateDirectory(): string;
  /** What the records of deletions are made, signed and known by. */
  readonly records: Records;
  /** Every command there is, by noun. */
  readonly groups: readonly Group[];
  /** This program as a process, and programs beside it. */
  readonly system: Surroundings;
  /** Milliseconds since 1970. */
  readonly now: System['now'];
  /** Milliseconds since this process began, by clocks that nobody sets. */
  readonly running: System['running'];
  /** Resolves after so many milliseconds, rejects when the signal aborts. */
  readonly wait: System['wait'];
  /** A number from 0 up to but not including 1. */
  readonly random: System['random'];
  /** Aborted by the first Ctrl-C: finish what is in flight. */
  readonly signal: AbortSignal;
  /** Aborted by the second one: stop now. */
  readonly forcedSignal: AbortSignal;
  /** Runs a child with our streams until it ends. */
  readonly spawn: System['spawn'];
};

export type Projects = {
  /** Those stored on this computer. */
  stored(): ProjectStore;
  /** Says of which project the settings are unless option or environment name one; before they are first asked for. */
  prefer(project: RunProject): void;
  /** The same context with the stored key for the project of a run. Its settings throw a usage error if none is stored. */
  one(project: RunProject): Context;
  /** Such contexts for several stored projects that are named. Throws a usage error for names that cannot be taken. */
  several(names: readonly string[], how?: Severally): Promise<readonly OneOfSeveral[]>;
  /** The key in use; runs the command that prints it, if there is one, when first called. */
  key(): Promise<string>;
  /** Runs a command that prints a key. Throws an error that shows nothing of what it wrote. */
  runKeyCommand(command: string): Promise<string>;
  /** A client for another project than the one the settings name, as `auth login` needs it. */
  connect(target: Target): Promise<Client>;
  /** Removes what is kept for completion, of one project or of all; returns of how many. Throws what the system says. */
  clearCompletionCache(project?: CachedProject): number;
};

type Output = {
  /** Text of our own. */
  readonly raw: Printing['printRaw'];
  /** Text for people, such as a chart, which may hold texts of the service. */
  readonly text: Printing['printText'];
  /** A whole answer of the service, as it came. */
  readonly passOn: Printing['passOn'];
  /** How data on stdout is shown; `width` is set only for a terminal. */
  format(): OutputFormat;
  /** Whether what is printed may have colours. */
  readonly color: boolean;
};

type Terminal = {
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  /** Asks a question at the terminal, without echo if it is secret. Throws a usage error without a terminal. */
  ask(question: { readonly text: string; readonly secret?: boolean }): Promise<string>;
  /** Throws a usage error at once if `confirm` could not ask, before anything is read. */
  requireConsent(question: Question): void;
};

type Surroundings = Pick<
  System,
  'environment' | 'platform' | 'nodeVersion' | 'self' | 'saveMemory' | 'keepFilesPrivate'
> & {
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
  const { now, running, wait, random, signal, forcedSignal, spawn } = system;
  const dryRun = options.dryRun ?? false;
  const { settings, client, list, fallback, ...ownProject } = openService(situation);
  const asker: Asker & Terminal = {
    options,
    environment: system.environment,
    settings,
    ask: (question) => ask(system, question),
    // Looking at a stream makes it, which not every command need pay for.
    get interactive() {
      return isInteractive(system);
    },
    requireConsent: (question) => {
      if (!dryRun) refuseSilence(question, asker);
    },
  };
  return {
    options,
    settings,
    client,
    list,
    fallback,
    projects: { ...ownProject, ...otherProjects(situation) },
    print: printing.print,
    output: outputOf(situation),
    note: stderr.note,
    warn: stderr.warn,
    command: stderr.command,
    report: dryRun ? () => {} : stderr.note,
    progress: (work) => startProgress(work, situation),
    confirm: async (question) => {
      if (!dryRun) await confirmAct(question, asker);
    },
    terminal: asker,
    dryRun,
    get files() {
      return createFiles({ system, options, stderr });
    },
    readInput: (source) => readInput(source, system),
    stateDirectory: () => trustedStateDirectory(system),
    records: createRecords(situation.signature, system),
    groups,
    system: {
      ...surroundingsOf(system),
      runProgram: (command, added = {}) => runWithoutKeys(command, added, system),
    },
    ...{ now, running, wait, random, signal, forcedSignal, spawn },
  };
}

function surroundingsOf(system: System) {
  const { environment, platform, nodeVersion, self, saveMemory, keepFilesPrivate } = system;
  return { environment, platform, nodeVersion, self, saveMemory, keepFilesPrivate };
}

function outputOf({ printing, system, options }: Situation): Output {
  return {
    raw: printing.printRaw,
    text: printing.printText,
    passOn: printing.passOn,
    format: () => outputFormat(system, options),
    get color() {
      return hasColor(system, options);
    },
  };
}

/** The projects beside that of the settings. */
function otherProjects(situation: Situation) {
  const { system } = situation;
  return {
    stored: () => projectStore(system),
    one: (project: RunProject) => createContext({ ...situation, only: project }),
    several: (names: readonly string[], how: Severally = {}) =>
      openProjects(names, how, {
        ...situation,
        stored: () => projectStore(system).list(),
        open: (only, own) => createContext({ ...situation, ...own, only }),
      }),
    runKeyCommand: (command: string) => runKeyCommand(command, system),
    clearCompletionCache: (project?: CachedProject) => clearCache(system, project),
  };
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
  const debug = options.debug ? stderr.note : () => {};
  const fallback = createFallback({ client, settings, stderr, debug, listMessages: messages });
  return {
    settings,
    key,
    client,
    list,
    fallback,
    prefer: (project: RunProject) => {
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
