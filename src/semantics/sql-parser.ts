import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CliError } from '../errors.ts';
import { parseJson } from '../json/text.ts';
import { findPeer } from '../system/peers.ts';
import { SqlError, type SqlSelect } from './sql-tree.ts';

/** What the sandbox is made of, which is installed beside hogctl: the service's own parser and a database. */
export const PARSER = '@posthog/hogql-parser';
const DATABASE = '@duckdb/node-api';

/** The version that the lists of this program fit. */
const VERSION = '1.3.87';

/** One command installs both, since the sandbox needs both. */
export function lacksPeers(what: string, name: string, cause?: unknown): CliError {
  return new CliError('usage', `${what} needs the package ${name}, which is not installed`, {
    hint: `install what the sandbox needs beside hogctl: npm install --global ${DATABASE} ${PARSER}@${VERSION}`,
    cause,
  });
}

/** Whether the parser is there, without loading it. */
export function hasParser(): boolean {
  return findPeer(PARSER) !== undefined;
}

export type SqlParser = {
  /** Throws an `SqlError` for what is not SQL of the service, and what the signal says once it aborts. */
  readonly parse: (text: string, signal: AbortSignal) => Promise<SqlSelect>;
  readonly close: () => Promise<void>;
};

/**
 * The parser in a thread of its own: deep brackets take it minutes, and a thread can be ended. It answers JSON, or
 * nothing for a text that is too much for it, after which it reads no other.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const parser = require(workerData)();
parentPort.on('message', async (text) => {
  const { parseSelect } = await parser;
  let answer;
  try { answer = parseSelect(text); } catch { answer = ''; }
  parentPort.postMessage(answer);
});`;

/** Texts whose trees are kept. */
const KEPT = 200;

/** Starts the parser when the first text is read. Throws a usage error if it is not installed. */
export function openSqlParser(): SqlParser {
  const kept = new Map<string, SqlSelect>();
  let worker: Worker | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const end = async () => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  const ask = async (text: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    worker ??= startThread();
    try {
      const answer = await answerOf(worker, text, signal);
      if (answer === '') await end();
      return treeOf(answer);
    } catch (cause) {
      if (!(cause instanceof SqlError)) await end();
      throw cause;
    }
  };
  return {
    parse: async (text, signal) => {
      const known = kept.get(text);
      const asked = known === undefined ? turn.then(() => ask(text, signal)) : Promise.resolve(known);
      if (known === undefined) turn = asked.catch(() => {});
      const tree = await asked;
      // The one that was used longest ago is the first.
      kept.delete(text);
      kept.set(text, tree);
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
      return tree;
    },
    close: end,
  };
}

function startThread(): Worker {
  const path = findPeer(PARSER);
  if (path === undefined) throw lacksPeers('--check', PARSER);
  const worker = new Worker(THREAD, { eval: true, env: {}, execArgv: [], workerData: path });
  worker.unref();
  return worker;
}

async function answerOf(worker: Worker, text: string, signal: AbortSignal): Promise<string> {
  // Only a text that is waited for keeps the process.
  worker.ref();
  worker.postMessage(text);
  try {
    const [answer] = await once(worker, 'message', { signal });
    return answer;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause;
  } finally {
    worker.unref();
  }
}

function treeOf(answer: string): SqlSelect {
  if (answer === '') {
    throw new SqlError('The query is nested too deeply, or has too many conditions in a row.', {
      code: 'not_allowed',
    });
  }
  // What the parser answers has the types that it declares.
  const tree = parseJson(answer) as unknown as SqlSelect | ParserError;
  if (!('error' in tree)) return tree;
  throw new SqlError(tree.message, { at: tree.start?.offset, code: 'syntax_error' });
}

type ParserError = {
  readonly error: true;
  readonly message: string;
  readonly start?: { readonly offset: number };
};
