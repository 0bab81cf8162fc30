import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CliError } from '../errors.ts';
import { parseJson } from '../json/text.ts';
import { findPeer } from '../system/peers.ts';
import { checkCalls, refuseOffset, SqlError, type SqlSelect } from './sql-tree.ts';

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

const kept = new Map<string, SqlSelect>();
/** The one thread of this process, which starts with the first text and keeps no process from ending. */
let worker: Worker | undefined;
let turn: Promise<unknown> = Promise.resolve();

/**
 * The tree of a text. Throws an `SqlError` for what is not SQL of the service, what the signal says once it aborts, and a
 * usage error if the parser is not installed.
 */
export async function parseSql(text: string, signal: AbortSignal): Promise<SqlSelect> {
  const known = kept.get(text);
  const asked = known === undefined ? turn.then(() => ask(text, signal)) : Promise.resolve(known);
  if (known === undefined) turn = asked.catch(() => {});
  const tree = await asked;
  // The one that was used longest ago is the first.
  kept.delete(text);
  kept.set(text, tree);
  for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
  return tree;
}

async function ask(text: string, signal: AbortSignal): Promise<SqlSelect> {
  signal.throwIfAborted();
  worker ??= startThread();
  try {
    const answer = await answerOf(worker, text, signal);
    if (answer === '') await endThread();
    return treeOf(answer);
  } catch (cause) {
    if (!(cause instanceof SqlError)) await endThread();
    throw cause;
  }
}

async function endThread(): Promise<void> {
  const ended = worker;
  worker = undefined;
  await ended?.terminate();
}

function startThread(): Worker {
  const path = findPeer(PARSER);
  if (path === undefined) throw lacksPeers('--check', PARSER);
  const thread = new Worker(THREAD, { eval: true, env: {}, execArgv: [], workerData: path });
  thread.unref();
  return thread;
}

async function answerOf(thread: Worker, text: string, signal: AbortSignal): Promise<string> {
  // Only a text that is waited for keeps the process.
  thread.ref();
  thread.postMessage(text);
  try {
    const [answer] = await once(thread, 'message', { signal });
    return answer;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause;
  } finally {
    thread.unref();
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

/** What the service would refuse in a text, and where, in characters. */
export type SqlFault = { readonly message: string; readonly at: number | undefined };

/**
 * Reads a text as the service does with a personal API key: grammar, functions and their numbers of arguments, OFFSET.
 * Names of tables and columns are not looked at. Throws a usage error if the parser is not installed.
 */
export async function findSqlFault(text: string, signal: AbortSignal): Promise<SqlFault | undefined> {
  try {
    const tree = await parseSql(text, signal);
    checkCalls(tree);
    refuseOffset(tree);
    return undefined;
  } catch (cause) {
    if (cause instanceof SqlError) return { message: cause.message, at: cause.at };
    throw cause;
  }
}
