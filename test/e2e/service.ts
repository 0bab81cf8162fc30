import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runProgram, type Setting, type Transcript } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import {
  type Received,
  type Script,
  type Stub,
  type StubAnswer,
  type StubOptions,
  startStub,
} from '../support/stub-server.ts';

export const KEY = 'phx_TESTONLY_0123456789abcdef';

/** A stub service of one test, and the program pointed at it by its environment. */
export type Service = Stub & {
  readonly environment: Readonly<Record<string, string>>;
  readonly hogctl: (line: string | readonly string[], setting?: Setting) => Promise<Transcript>;
};

/** A service that ends with the test. `path` is what stands in its address before `/api/`. */
export async function startService(
  script: Script,
  { path = '', ...options }: StubOptions & { readonly path?: string } = {},
): Promise<Service> {
  const stub = await startStub(script, options);
  onTestFinished(() => stub.close());
  const environment = {
    HOGCTL_HOST: stub.origin + path,
    HOGCTL_PROJECT: '1',
    HOGCTL_API_KEY: KEY,
    HOGCTL_CONFIG_DIR: temporaryDirectory(),
    HOGCTL_STATE_DIR: temporaryDirectory(),
  };
  let minute = 0;
  return {
    ...stub,
    environment,
    hogctl: (line, setting = {}) => {
      minute += 1;
      // A minute passes from command to command, since runs are named after their time.
      const started = Date.UTC(2026, 2, 2, 12, minute);
      return runProgram(typeof line === 'string' ? splitWords(line) : line, {
        now: () => started,
        ...setting,
        environment: { ...environment, ...setting.environment },
      });
    },
  };
}

const isQuery = ({ method, url }: Pick<Received, 'method' | 'url'>) =>
  method === 'POST' && url.endsWith('/query/');

const NO_SQL = { code: 'permission_denied', detail: "API key missing required scope 'query:read'" };

/** A service for erasure whose key may not run queries; those that are tried are left out of the log. */
export async function startWithoutSql(
  script: Script,
  options: Parameters<typeof startService>[1] = {},
): Promise<Service> {
  const log: Received[] = [];
  const refusal = {
    on: isQuery,
    times: Number.POSITIVE_INFINITY,
    status: 403,
    json: NO_SQL,
    work: (received: Received) => void log.splice(log.indexOf(received), 1),
  };
  return startService([refusal, ...script], { ...options, log });
}

/**
 * The same for tests of what is sent and answered: without another dialect, bulk deletions send their ids as they are
 * given, so that each test writes down its own answers only.
 */
export async function startAsGiven(...given: Parameters<typeof startWithoutSql>): Promise<Service> {
  const service = await startWithoutSql(...given);
  return {
    ...service,
    hogctl: (line, setting) => {
      const words = typeof line === 'string' ? splitWords(line) : line;
      const isSent = words[1] === 'bulk-delete' && setting?.environment?.HOGCTL_DIALECT !== 'live';
      return service.hogctl(isSent ? [...words, '--no-resolve'] : words, setting);
    },
  };
}

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hogctl-case-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** `count` persons from number `first` on, as a list shows them. */
export function people(count: number, first = 1): readonly { readonly id: number; readonly uuid: string }[] {
  return Array.from({ length: count }, (_, index) => person(first + index));
}

/** Person `id`, whose uuid and distinct id end in that number. */
export function person(id: number) {
  return {
    id,
    uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    name: `person ${id}`,
    distinct_ids: [`user_${id}`],
    properties: { email: `user_${id}@example.org` },
    created_at: '2026-01-02T03:04:05Z',
  };
}

/** What a project answers that lists its persons, and has none by any id. */
export function nobodyThere({ url }: Pick<Received, 'url'>): StubAnswer {
  if (/\/persons\/(?:\?|$)/.test(url)) return { json: { next: null, results: [] } };
  return { status: 404, json: { code: 'not_found', detail: 'Not found.' } };
}

/** The query of a request, decoded. */
export function queryOf(received: Received): URLSearchParams {
  return new URL(received.url, 'http://127.0.0.1').searchParams;
}

/** `METHOD /path?query` of each request, in order. */
export function requestsTo(stub: Pick<Stub, 'log'>): readonly string[] {
  return stub.log.map(({ method, url }) => `${method} ${url}`);
}

/** A list of so many pages: `pages[n]` answers the n-th address, each naming the next one. */
export function listOf(
  pages: readonly (readonly unknown[])[],
  extra: Readonly<Record<string, unknown>> = {},
): Script {
  return [
    (received) => {
      const number = Number(queryOf(received).get('cursor') ?? 0);
      const next = number + 1 < pages.length ? nextAddress(received, number + 1) : null;
      return { json: { next, previous: null, results: pages[number] ?? [], ...extra } };
    },
  ];
}

function nextAddress(received: Received, cursor: number): string {
  const url = new URL(received.url, `http://${String(received.headers.host)}`);
  url.searchParams.set('cursor', String(cursor));
  return url.href;
}
