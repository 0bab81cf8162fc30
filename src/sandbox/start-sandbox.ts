import { createHash } from 'node:crypto';
import { CliError, usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { writeJson } from '../json/text.ts';
import { hasParser, lacksPeers, PARSER } from '../semantics/sql-parser.ts';
import type { Dialect, Endpoint } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import { persons } from '../service/persons.ts';
import { platform } from '../service/platform.ts';
import { readOwnFile } from '../system/own-files.ts';
import { systemReason } from '../system/text.ts';
import { writeWhole } from '../system/write-whole.ts';
import { makeCalculations, makeTurns } from './calculation/calculations.ts';
import { insightHandlers } from './handlers/insights.ts';
import { personHandlers } from './handlers/persons.ts';
import { platformHandlers } from './handlers/platform.ts';
import { type Moment, PROJECT_ID, readMoment } from './operator.ts';
import { createObstacles, type Rehearsal, rehearsedKeys } from './rehearsal.ts';
import { type AnyHandler, buildRoutes, type SandboxKey } from './routes.ts';
import { insertSample, makeSample, type Sample } from './sample/make-sample.ts';
import { serve } from './server.ts';
import { fillStore } from './store/load-content.ts';
import { openStore, type Store } from './store/open-store.ts';
import { runEventDeletions } from './store/persons.ts';
import { readState, setClock } from './store/state.ts';

export type SandboxSettings = Rehearsal & {
  readonly dialect: Dialect;
  /** The time of the clock, ISO 8601; it moves only when told to. A file's own clock counts if it is later. */
  readonly now?: string | undefined;
  /** `sample` (the default), `empty`, or `{ project?, persons?, events? }`. Only a new file is filled. */
  readonly data?: Json | undefined;
  /** A database file, made if it is missing. Without one everything is in memory. */
  readonly file?: string | undefined;
  /** 0, the default, takes a free port. */
  readonly port?: number | undefined;
  /** The keys that are let in. Without them three are made, from `random`, and kept beside a file. */
  readonly keys?: readonly SandboxKey[] | undefined;
  /** Reads the kept keys; as any file of one's own unless said otherwise. */
  readonly readOwn?: ((path: string) => string | undefined) | undefined;
  /** A number from 0 to below 1, for the keys. Without it they are drawn by the platform's own generator. */
  readonly random?: (() => number) | undefined;
  /** Milliseconds that have passed, for limits and outages. */
  readonly elapsed?: (() => number) | undefined;
  /** How long SQL may run, in milliseconds; 10 seconds by default, as in the live service. */
  readonly longestQuery?: number | undefined;
};

export type Sandbox = {
  readonly origin: string;
  readonly projectId: string;
  readonly keys: readonly SandboxKey[];
  /** What a client in one's own program sends with its events. */
  readonly token: string;
  /** Cancels calculations, lets running requests end, then closes sockets and database. Resolves when all is written. */
  readonly stop: () => Promise<void>;
};

const FIRST_NOW = '2026-06-17T12:00:00Z';

const LONGEST_QUERY = 10_000;

/**
 * Starts the service of the specification on this computer. Throws a `CliError` of kind usage for settings that do
 * not fit, a file that cannot be used, a port that is taken, or without the database package.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { dialect, port = 0, random, file } = settings;
  const meetObstacles = createObstacles(settings, settings.elapsed ?? (() => performance.now()));
  const now = readNow(settings.now);
  const firstNow = now ?? readNow(FIRST_NOW) ?? 0n;
  const seed = seedOf(settings.data);
  if (!hasParser()) throw lacksPeers('the sandbox', PARSER);
  const isSample = seed === 'sample' && file === undefined;
  const [store, sample] = await Promise.all([
    openStore(file),
    isSample ? makeMeanwhile(firstNow) : undefined,
  ]);
  const inTurn = makeTurns();
  try {
    const keys = rehearsedKeys(settings.keys ?? findKeys(settings, random ?? drawSecurely), settings);
    const fill = () => (sample ? insertSample(store, sample) : fillStore(store, seed, firstNow));
    const prepared = inTurn(() => (store.isNew ? store.together(fill) : reopen(store, settings, now)));
    // Nothing can be wrong with the sample, so it is loaded while the first request is on its way.
    if (!isSample) await prepared;
    const routes = [
      ...routesOf(persons, personHandlers, dialect),
      ...routesOf(insights, insightHandlers, dialect),
      ...routesOf(platform, platformHandlers, dialect),
    ];
    const calculations = makeCalculations(store, inTurn);
    const token = tokenOf(keys);
    const server = await serve(
      {
        routes,
        store,
        dialect,
        keys,
        token,
        projectId: PROJECT_ID,
        inTurn,
        calculations,
        longestQuery: settings.longestQuery ?? LONGEST_QUERY,
        meetObstacles,
      },
      port,
    );
    const stop = async () => {
      await Promise.all([server.stop(), calculations.stop()]);
      await inTurn(() => store.close());
    };
    return { origin: server.origin, projectId: PROJECT_ID, keys, token, stop };
  } catch (error) {
    await inTurn(() => store.close());
    throw error;
  }
}

/** Makes the sample in the next turn, while the database opens in a thread of its own. */
function makeMeanwhile(now: Moment): Promise<Sample> {
  return new Promise((resolve) => setImmediate(() => resolve(makeSample(now))));
}

function drawSecurely(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}

function readNow(text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined;
  const now = readMoment(text);
  if (now === undefined)
    throw usageError(`"${text}" is not a time`, 'give a time such as 2026-06-17T12:00:00Z');
  return now;
}

function seedOf(content: SandboxSettings['data']): string {
  if (content === undefined) return 'sample';
  if (content === 'sample' || content === 'empty') return content;
  if (typeof content === 'object') return writeJson(content);
  throw usageError(`"${String(content)}" is not sandbox content`, 'give sample, empty, or an object');
}

async function reopen(store: Store, settings: SandboxSettings, now: Moment | undefined): Promise<void> {
  const state = await readState(store);
  if (settings.data !== undefined && seedOf(settings.data) !== state.seed) {
    throw usageError(
      `${settings.file ?? 'the database'} was made from other content`,
      'leave out --data and --empty to continue with this file, or choose a new file',
    );
  }
  if (now === undefined || now <= state.now) return;
  await store.together(async () => {
    await runEventDeletions(store, now);
    await setClock(store, now);
  });
}

type Lacking<Rows, Handled> =
  `no handler in src/sandbox/handlers for ${Exclude<keyof Rows & string, keyof Handled>}`;

/** Routes of a table. What its rows lack of handlers is told by the type of the dialect, since the compiler shows it whole. */
function routesOf<Rows extends Readonly<Record<string, Endpoint>>, Handled>(
  rows: Rows,
  handlers: Handled,
  dialect: Exclude<keyof Rows, keyof Handled> extends never ? Dialect : Lacking<Rows, Handled>,
) {
  // Each handler takes the input of its own row; parameters.ts reads the values as that row has them.
  return buildRoutes(rows, handlers as Readonly<Record<string, AnyHandler>>, dialect as Dialect);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const LENGTH = 40;

const READING = [
  'person:read',
  'activity_log:read',
  'cohort:read',
  'action:read',
  'event_definition:read',
  'property_definition:read',
  'insight:read',
  'insight_variable:read',
  'sharing_configuration:read',
  'access_control:read',
  'query:read',
  'project:read',
  'user:read',
];

/** Keys of a file are the same at each start, so that a stored login keeps working. */
function findKeys(
  { file, readOwn = (path) => readOwnFile(path, undefined) }: SandboxSettings,
  random: () => number,
): readonly SandboxKey[] {
  if (file === undefined) return makeKeys(() => makeKey(random));
  const path = `${file}.keys`;
  const text = readOwn(path);
  if (text !== undefined) {
    const kept = text.split('\n').filter((line) => KEPT.test(line));
    if (new Set(kept).size === COUNT && kept.length === COUNT) return makeKeys(() => kept.shift() ?? '');
    throw usageError(`${path} does not contain ${COUNT} keys`, 'remove it to get new keys');
  }
  const keys = makeKeys(() => makeKey(random));
  const lines = keys.map(({ key }) => `${key}\n`).join('');
  try {
    writeWhole(path, lines, { mark: makeKey(random).slice(-8), isOwn: true });
  } catch (cause) {
    throw new CliError('usage', `cannot write ${path}: ${systemReason(cause)}`, { cause });
  }
  return keys;
}

/** As random as the keys, and the same for the same file; nothing leads back from it to them. */
function tokenOf([key]: readonly SandboxKey[]): string {
  const digest = createHash('sha256').update(`project token ${key?.key}`).digest('base64url');
  return `phc_${digest.replace(/[^A-Za-z0-9]/g, 'x')}`;
}

const COUNT = 3;

const KEPT = new RegExp(`^phx_[A-Za-z0-9]{${LENGTH}}$`);

/** Three keys to try scopes with: one that may do everything, one that reads, one that sees persons only. */
function makeKeys(next: () => string): readonly SandboxKey[] {
  return [
    { key: next(), label: 'everything', scopes: ['*'] },
    { key: next(), label: 'reading', scopes: READING },
    { key: next(), label: 'persons', scopes: ['person:read'] },
  ];
}

function makeKey(random: () => number): string {
  const characters = Array.from({ length: LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `phx_${characters.join('')}`;
}
