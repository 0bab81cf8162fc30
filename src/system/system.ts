import type { Readable, Writable } from 'node:stream';

export type InputStream = Readable & { readonly isTTY?: boolean };
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** As much of a stream as data needs on its way out. */
export type DataStream = {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  /** Calls back when more can be taken, or with what went wrong. */
  write(chunk: string | Uint8Array, done: (failure?: Error | null) => void): unknown;
  on(event: 'error', listener: (failure: Error) => void): unknown;
};

/** A program that shows, a screen at a time, what is written to it. */
export type Pager = {
  readonly stream: DataStream;
  /** Ends its input, and waits until the reader leaves it. */
  end(): Promise<void>;
};

/** How a child ended; 128 and more for one that a signal ended, as shells count it. */
export type ChildExit = { readonly code: number };

export type ProgramReading = {
  /** Its whole environment. */
  readonly environment: Environment;
  readonly directory?: string;
  /** A character beyond this length ends it. */
  readonly longest: number;
  readonly signal: AbortSignal;
};

/** What it wrote to standard output, at least up to the end of its first line. */
export type ProgramOutput = { readonly code: number; readonly output: string };

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything the program may touch outside itself. `main.ts` makes it of the process, tests make it by hand. */
export type System = {
  readonly stdin: InputStream;
  readonly stdout: DataStream;
  readonly stderr: OutputStream;
  /** Whether what is said on stderr is seen at a terminal. */
  readonly attended: boolean;
  readonly environment: Environment;
  readonly platform: string;
  /** Of Node, without a v. */
  readonly nodeVersion: string;
  /** How to start this very program as a child: executable and first arguments. */
  readonly self: readonly [string, ...string[]];
  readonly pid: number;
  /** The user whose rights count; undefined on Windows. */
  readonly uid: number | undefined;
  /** Whether a process of this machine is there. */
  isAlive(pid: number): boolean;
  /** When such a process began, as the system counts it; undefined if it does not tell. */
  startOf?(pid: number): string | undefined;
  /** Aborted by the first SIGINT or SIGTERM; its reason is the signal's name. SIGPIPE: the reader left the pager. */
  readonly signal: AbortSignal;
  /** Aborted by the second one. */
  readonly forcedSignal: AbortSignal;
  /** The user and the computer, as in `ana@laptop`. */
  account(): string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since this process began, time asleep included, by clocks that nobody sets. */
  running(): number;
  /** Resolves after so many milliseconds, rejects when the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 up to but not including 1. */
  random(): number;
  /** Called before long reading, so that memory is cleared more often: most often for rows, of which none is kept. */
  saveMemory(reading: 'rows' | 'list'): void;
  /** Lets only their owner read the files that are made from now on, by children too. */
  keepFilesPrivate(): void;
  /** Runs a child with our streams until it ends. It gets our environment without keys, and these variables (undefined: removed). */
  spawn(command: readonly [string, ...string[]], environment: Environment): Promise<ChildExit>;
  /** Starts a pager, with the same of our environment; undefined if it cannot be started. */
  openPager(command: readonly [string, ...string[]], environment: Environment): Promise<Pager | undefined>;
  /** Runs a program without input and keeps what it writes to standard output. Rejects if it cannot be started. */
  readProgram(command: readonly [string, ...string[]], how: ProgramReading): Promise<ProgramOutput>;
};
