import type { Endpoint, InputOf } from '../api/endpoint.ts';
import type { Client } from '../client/client.ts';
import type { Page } from '../client/pages.ts';
import type { CachedProject } from '../completion/cache.ts';
import type { ProjectStore } from '../config/create-project-store.ts';
import type { Settings } from '../config/resolve-settings.ts';
import type { checkPlace, prepareProject } from '../config/stored-project.ts';
import type { Json } from '../json/kinds.ts';
import type { Column, Look } from '../output/look.ts';
import type { RowPage } from '../output/row-page.ts';
import type { Progress } from '../system/progress.ts';
import type { System } from '../system/system.ts';
import type { Target } from './client.ts';
import type { Group } from './command/groups.ts';
import type { GlobalOptions } from './command/options.ts';
import type { Question } from './confirm.ts';
import type { Files } from './create-files.ts';
import type { Fallback } from './fallback.ts';
import type { ListOptions } from './list-rows.ts';
import type { ProgressOptions } from './stderr.ts';

/** Rows of a list (an array, or pages as they arrive), or one record. */
export type Printable = Json | AsyncIterable<RowPage> | AsyncIterable<readonly Json[]>;

/** All that a command may touch. What costs time is a function that does the work when first called. */
export type Context = {
  readonly options: GlobalOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws a usage error if project, host or key is missing. */
  settings(): Promise<Settings>;
  client(): Promise<Client>;
  /** A client for another project than the one the settings name, as `auth login` needs it. */
  connect(target: Target): Promise<Client>;
  /** The projects stored on this computer. */
  projects(): ProjectStore & {
    readonly checkPlace: typeof checkPlace;
    readonly prepare: typeof prepareProject;
  };
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
  look(): Look;
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
  readonly capture: System['capture'];
  /** Keeps memory low from here on, at the price of some speed. */
  readonly saveMemory: System['saveMemory'];
  readonly platform: string;
  readonly nodeVersion: string;
  readonly self: readonly [string, ...string[]];
  /** This process, as the owner of what it locks. */
  readonly owner: { readonly pid: number; readonly isAlive: (pid: number) => boolean };
};
