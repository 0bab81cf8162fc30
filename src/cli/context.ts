import type { CachedProject } from '../completion/cache.ts';
import type { Client } from '../http/client.ts';
import type { Page } from '../http/pages.ts';
import type { OutputFormat } from '../print/rows.ts';
import type { Endpoint, InputOf } from '../service/endpoint.ts';
import type { ProjectStore } from '../settings/project-store.ts';
import type { RunProject, Settings } from '../settings/resolve-settings.ts';
import type { Progress, ProgressOptions, Stderr } from '../system/output.ts';
import type { Environment, ProgramOutput, System } from '../system/system.ts';
import type { Group } from './command/command.ts';
import type { GlobalOptions } from './command/options.ts';
import type { Question } from './context/confirm.ts';
import type { Target } from './context/connect.ts';
import type { Files } from './context/create-files.ts';
import type { Records } from './context/records.ts';
import type { Severally, OneOfSeveral as WithContext } from './context/several-projects.ts';
import type { Printing } from './printing.ts';
import type { Fallback, ListOptions } from './requests.ts';

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
