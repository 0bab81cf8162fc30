import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CliError, usageError } from '../errors.ts';
import { parseJson, writeJson } from '../json/text.ts';
import type { System } from '../system/system.ts';
import { isPages, type Printable } from './rows.ts';

/** A program of jq that runs over answers. */
export type Jq = {
  /** What it makes of data, as lines: of a list page by page, each of them an array. */
  over(data: Printable): AsyncGenerator<string>;
  /** The same for JSON that is text already. */
  overText(text: string): AsyncGenerator<string>;
  close(): Promise<void>;
};

type Opening = {
  readonly system: Pick<System, 'self' | 'platform' | 'environment' | 'signal' | 'forcedSignal'>;
  /** Whether a text among the results is printed as JSON, too. */
  readonly quoted: boolean;
  readonly indented: boolean;
  /** Takes what the program itself says, as `debug` and `stderr` do. */
  readonly tell: (text: string) => void;
  /** A signal that aborts after so many milliseconds. */
  readonly timeout?: (milliseconds: number) => AbortSignal;
};

const NAME = 'jq-wasm';

/** The types of version 3 are not those of `latest`, which is older. */
const VERSION = '3.0.0-jq-1.8.2';

/**
 * A thread of its own can be stopped while a program runs, and its memory has a limit. An environment and files it has
 * none. `path` is the package, and what it answers is an `Answer`.
 */
const THREAD = `
const { parentPort, workerData: { path, program, flags } } = require('node:worker_threads');
require(path).loadJq().then((jq) => {
  parentPort.on('message', (text) => parentPort.postMessage(jq.raw(text, program, flags)));
});`;

const LIMITS = { maxOldGenerationSizeMb: 512 };

/** A program that never ends takes some 4 MB of memory a second, which nothing else limits. */
const LONGEST = 60_000;

/** What is left for it once the run was asked to stop, which still says how far it came. */
const LONGEST_AT_END = 2000;

type Answer = { readonly stdout: string; readonly stderr: string; readonly exitCode: number };

/** Starts jq with a program. Throws a usage error for one that is wrong, and if jq is not installed. */
export async function openJq(
  program: string,
  { system, quoted, indented, tell, timeout = AbortSignal.timeout }: Opening,
): Promise<Jq> {
  const flags = indented ? [] : ['-c'];
  const worker = new Worker(THREAD, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: LIMITS,
    workerData: { path: findPackage(system), program, flags },
  });
  const ask = asker(worker, system, timeout);
  // Without input nothing runs, but the program is compiled.
  const { exitCode, stderr } = await ask('');
  if (exitCode !== 0) {
    await worker.terminate();
    throw usageError(`--jq: ${said(stderr)}`, 'nothing was sent; the jq manual is at jqlang.org/manual');
  }
  async function* overText(text: string): AsyncGenerator<string> {
    const answer = await ask(text);
    if (answer.stdout !== '') yield quoted ? `${answer.stdout}\n` : unquoted(answer.stdout);
    if (answer.exitCode !== 0) throw failed(said(answer.stderr));
    if (answer.stderr !== '') tell(answer.stderr);
  }
  return {
    overText,
    over: async function* (data) {
      if (!isPages(data)) return yield* overText(writeJson(data));
      let isFirst = true;
      for await (const page of data) {
        const rows = 'rows' in page ? page.rows : page;
        if (isFirst || rows.length > 0) yield* overText(writeJson(rows));
        isFirst = false;
      }
    },
    close: async () => void (await worker.terminate()),
  };
}

/** Only beside hogctl and among the global packages: a folder that somebody works in may hold anything. */
function findPackage({ self, platform, environment }: Opening['system']): string {
  const beside = dirname(self[0]);
  const global =
    platform === 'win32' ? join(environment.APPDATA ?? beside, 'npm') : join(dirname(beside), 'lib');
  for (const folder of [import.meta.dirname, global]) {
    const { resolve } = createRequire(join(folder, 'package.json'));
    try {
      if (createRequire(resolve(NAME))(`${NAME}/package.json`).version === VERSION) return resolve(NAME);
    } catch {
      // It is not there, or of an older version that does not tell it.
    }
  }
  throw usageError(
    `--jq needs the package ${NAME} ${VERSION}, which is not installed`,
    `install it beside hogctl: npm install --global ${NAME}@${VERSION}`,
  );
}

function asker(
  worker: Worker,
  { signal, forcedSignal }: Opening['system'],
  timeout: (milliseconds: number) => AbortSignal,
): (text: string) => Promise<Answer> {
  return async (text) => {
    // Only a run that is waited for keeps the process.
    worker.ref();
    worker.postMessage(text);
    const stop = signal.aborted ? forcedSignal : signal;
    const limit = timeout(signal.aborted ? LONGEST_AT_END : LONGEST);
    try {
      const [answer] = await once(worker, 'message', { signal: AbortSignal.any([stop, limit]) });
      return answer;
    } catch (cause) {
      if (signal.aborted) throw cause;
      if (limit.aborted) throw failed(`it ran for more than ${LONGEST / 1000} s on one page`);
      throw failed(cause instanceof Error ? cause.message : String(cause));
    } finally {
      worker.unref();
    }
  };
}

function said(stderr: string): string {
  return stderr.replace(/^jq: (?:error(?: \(at [^)]*\))?: )?/, '').split('\n')[0] ?? '';
}

function failed(reason: string): CliError {
  return new CliError('partial', `the jq program failed on the answer: ${reason}`, {
    hint: 'look at the answer with -o json',
  });
}

/** Texts among the results without their quotes, as `gh` prints them. Only a text begins a line with a quote. */
function unquoted(lines: string): string {
  return lines
    .split('\n')
    .map((line) => `${line.startsWith('"') ? String(parseJson(line)) : line}\n`)
    .join('');
}
