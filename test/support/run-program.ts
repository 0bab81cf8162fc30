import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Group } from '../../src/cli/command/command.ts';
import { run } from '../../src/cli/run.ts';
import { groups } from '../../src/commands/index.ts';
import type { Sandbox } from '../../src/sandbox/start-sandbox.ts';
import type { Environment, System } from '../../src/system/system.ts';
import { noteEnded } from './last-ended.ts';

export type Terminal = { readonly columns?: number };

export type Setting = {
  readonly environment?: Readonly<Record<string, string>>;
  /** What is piped in; without it standard input is empty. */
  readonly stdin?: string | Uint8Array | Readable;
  /** What somebody types, a line for each question; with it there is a terminal. */
  readonly answers?: readonly string[];
  /** Makes stdout and stderr a terminal of that many columns. */
  readonly terminal?: Terminal;
  /** Whether names are kept for completion, which needs a terminal. */
  readonly attended?: boolean;
  readonly platform?: string;
  readonly uid?: number | undefined;
  readonly signal?: AbortSignal;
  readonly forcedSignal?: AbortSignal;
  readonly now?: () => number;
  readonly running?: () => number;
  readonly wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly spawn?: System['spawn'];
  readonly openPager?: System['openPager'];
  readonly readProgram?: System['readProgram'];
  readonly stdout?: Writable;
  /** Commands of a test, in place of those that there are. */
  readonly commands?: readonly Group[];
};

export type Transcript = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Names a sandbox, its project and its key that may do everything. */
export function sandboxEnvironment(sandbox: Sandbox, dialect: string) {
  return {
    HOGCTL_HOST: sandbox.origin,
    HOGCTL_PROJECT: sandbox.projectId,
    HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
    HOGCTL_DIALECT: dialect,
  };
}

/** Whoever keeps runs has a configuration, too, by which their records are known. */
function withConfiguration(environment: Environment): Environment {
  const { HOGCTL_STATE_DIR: state, HOGCTL_CONFIG_DIR: own, HOME: home } = environment;
  if (state === undefined || own !== undefined || home !== undefined) return environment;
  return { ...environment, HOGCTL_CONFIG_DIR: join(state, 'config') };
}

/** Runs the program in this process, with a system made by hand. Waits are not waited for unless `wait` says so. */
export async function runProgram(argv: readonly string[], setting: Setting = {}): Promise<Transcript> {
  const output = collector(setting.terminal !== undefined, setting.terminal?.columns);
  const isAtTerminal = setting.terminal !== undefined || setting.answers !== undefined;
  // Where only answers are typed, messages are not what is looked at: they stand on lines of any length.
  const stderr = collector(isAtTerminal, setting.terminal === undefined ? 1000 : setting.terminal.columns);
  const stdout = setting.stdout ? Object.assign(setting.stdout, { text: () => '' }) : output;
  const never = new AbortController().signal;
  const code = await run(
    argv,
    {
      stdin: standardInput(setting, stderr),
      stdout,
      stderr,
      attended: setting.attended ?? true,
      environment: withConfiguration(setting.environment ?? {}),
      platform: setting.platform ?? 'linux',
      nodeVersion: '22.22.0',
      self: ['hogctl'],
      pid: process.pid,
      uid: 'uid' in setting ? setting.uid : process.geteuid?.(),
      isAlive: () => true,
      account: () => 'tester@computer',
      saveMemory: () => {},
      keepFilesPrivate: () => {},
      signal: setting.signal ?? never,
      forcedSignal: setting.forcedSignal ?? never,
      now: setting.now ?? (() => Date.parse('2026-03-02T12:00:00Z')),
      running: setting.running ?? (() => 0),
      wait: setting.wait ?? (async () => {}),
      random: setting.random ?? (() => 0.5),
      spawn: setting.spawn ?? noChild,
      openPager: setting.openPager ?? (async () => undefined),
      readProgram: setting.readProgram ?? noChild,
    },
    setting.commands ?? groups,
  );
  noteEnded({ words: argv, code, stderr: stderr.text() });
  return { code, stdout: output.text(), stderr: stderr.text() };
}

/** For commands that wait until the sandbox has calculated: it does that in real time, however busy the computer is. */
export async function waitShortly(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(Math.min(milliseconds / 50, 200), undefined, { signal });
}

async function noChild(): Promise<never> {
  throw new Error('this test runs no child');
}

type Collector = Writable & { text(): string; isTTY?: boolean; columns?: number };

function collector(isTerminal: boolean, columns = 80): Collector {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const text = () => Buffer.concat(chunks).toString('utf8');
  return Object.assign(stream, { text }, isTerminal ? { isTTY: true, columns } : {});
}

/** Types each answer when its question has been asked, as a person would. */
function standardInput({ answers, stdin }: Setting, stderr: Collector): Readable & { isTTY?: boolean } {
  if (answers === undefined)
    return stdin instanceof Readable ? stdin : Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)]);
  const typed = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...answers];
  const write = stderr.write.bind(stderr);
  stderr.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
    const question = /(: |\] )$/.test(String(chunk));
    if (question) setImmediate(() => (left.length > 0 ? typed.write(`${left.shift()}\n`) : typed.end()));
    return (write as (...words: unknown[]) => boolean)(chunk, ...rest);
  }) as typeof stderr.write;
  return typed;
}
