import { request } from 'node:http';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxSettings, startSandbox } from '../../src/sandbox/start-sandbox.ts';

export type TestAnswer = {
  readonly status: number;
  readonly text: string;
  readonly type: string | undefined;
  /** The body read as JSON, undefined for an empty one. Tests look into it as they please. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its own answer
  readonly body: any;
};

export const KEYS = [
  { key: 'phx_everything', label: 'everything', scopes: ['*'] },
  { key: 'phx_reading', label: 'reading', scopes: ['person:read', 'insight:read'] },
];

/** Three people, Ben the newest; Ana owns two distinct ids and three events. */
export const PEOPLE = {
  persons: [
    {
      distinct_ids: ['ana', 'ana-phone'],
      properties: { email: 'ana.berg@example.org', plan: 'pro', seats: 12 },
      created_at: '2026-01-01T00:00:00Z',
    },
    {
      distinct_ids: ['carla'],
      properties: { name: 'Carla', plan: 'free', seats: 3 },
      created_at: '2026-02-01T00:00:00Z',
    },
    {
      distinct_ids: ['ben'],
      properties: { email: 'ben@example.org', plan: 'free' },
      created_at: '2026-03-01T00:00:00Z',
    },
  ],
  events: [
    { distinct_id: 'ana', event: 'visit', timestamp: '2026-05-01T10:00:00Z', properties: {} },
    { distinct_id: 'ana-phone', event: 'visit', timestamp: '2026-05-02T10:00:00Z', properties: {} },
    { distinct_id: 'ana', event: 'order', timestamp: '2026-05-03T10:00:00Z', properties: { total: 5 } },
    { distinct_id: 'ben', event: 'visit', timestamp: '2026-05-01T10:00:00Z', properties: {} },
  ],
};

/** A Wednesday. */
export const NOW = '2026-06-17T12:00:00Z';

/** Starts a sandbox for one test and answers how to talk to it; it stops when the test ends. */
export async function openSandbox(settings: Partial<SandboxSettings> = {}) {
  const open = await start(settings);
  onTestFinished(() => open.sandbox.stop());
  return open;
}

/** A sandbox that the tests of a `describe` or a file share, since they change nothing. */
export function sharedSandbox(
  settings: Partial<SandboxSettings> = {},
): () => Awaited<ReturnType<typeof start>> {
  let open: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    open = await start(settings);
  });
  afterAll(() => open.sandbox.stop());
  return () => open;
}

type Unused = { readonly like: string; readonly sandbox: Sandbox };

/** Sandboxes that no test of this worker uses now, with the one that was given back last at the end. */
const unused: Unused[] = [];

const MOST_UNUSED = 8;

/** What a reset brings back. Files, limits and outages are for a sandbox of the test's own. */
const RESETTABLE = ['dialect', 'data', 'now', 'keys', 'longestQuery'];

/**
 * A sandbox that begins anew for each test: one with the same settings is reset, which takes a quarter of a start. `stop`
 * gives it back. What is about a start or an end takes \`startSandbox\`.
 */
export async function borrowSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const own = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (own.some(([name]) => !RESETTABLE.includes(name))) return startSandbox(settings);
  const like = JSON.stringify(own.sort());
  const at = unused.findLastIndex((one) => one.like === like);
  const [found] = at < 0 ? [] : unused.splice(at, 1);
  const sandbox = found?.sandbox ?? (await startSandbox(settings));
  if (found !== undefined) await reset(sandbox);
  const giveBack = async () => {
    unused.push({ like, sandbox });
    if (unused.length > MOST_UNUSED) await unused.shift()?.sandbox.stop();
  };
  let given: Promise<void> | undefined;
  return { ...sandbox, stop: () => (given ??= giveBack()) };
}

async function reset({ origin, keys }: Sandbox): Promise<void> {
  const [{ key } = { key: '' }] = keys;
  const { status, text } = await send('POST', new URL('/_sandbox/reset/', origin), { key });
  if (status !== 200) throw new Error(`the sandbox cannot be reset: ${text}`);
}

async function start(settings: Partial<SandboxSettings>) {
  const sandbox = await borrowSandbox({
    dialect: 'specification',
    keys: KEYS,
    data: PEOPLE,
    now: NOW,
    // The sandbox's own ten seconds are little on a busy computer.
    longestQuery: 60_000,
    ...settings,
  });
  const call = (method: string, path: string, body?: unknown, key: string | null = 'phx_everything') =>
    send(method, new URL(path.startsWith('/') ? path : `/api/projects/1/${path}`, sandbox.origin), {
      body,
      key,
    });
  return {
    sandbox,
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body: unknown = {}) => call('POST', path, body),
    patch: (path: string, body: unknown = {}) => call('PATCH', path, body),
    del: (path: string) => call('DELETE', path),
  };
}

/** Sends one request over a socket of its own. A body that is text goes out as it stands. */
export function send(
  method: string,
  address: URL,
  { body, key }: { readonly body?: unknown; readonly key: string | null },
): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const outgoing = request(address, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const type = response.headers['content-type'];
        const isJson = type === 'application/json' && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          text,
          type,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    outgoing.on('error', reject);
    if (body !== undefined) outgoing.write(typeof body === 'string' ? body : JSON.stringify(body));
    outgoing.end();
  });
}
