import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPeople, isQuery, lookUpSteps, person } from './looked-up-people.ts';
import { runProgram, type Setting, type Transcript } from './run-program.ts';
import { splitWords } from './split-words.ts';
import {
  type Received,
  type Script,
  type Stub,
  type StubAnswer,
  type StubOptions,
  type StubStep,
  startStub,
} from './stub-server.ts';

export { person };

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

const NO_SQL = { code: 'permission_denied', detail: "API key missing required scope 'query:read'" };

function refuseSql(log: Received[]): StubStep {
  return {
    on: isQuery,
    times: Number.POSITIVE_INFINITY,
    status: 403,
    json: NO_SQL,
    work: (received) => void log.splice(log.indexOf(received), 1),
  };
}

/** A service for erasure whose key may not run queries; those that are tried are left out of the log. */
export async function startWithoutSql(
  script: Script,
  options: Parameters<typeof startService>[1] = {},
): Promise<Service> {
  const log: Received[] = [];
  return startService([refuseSql(log), ...script], { ...options, log });
}

/**
 * The same for tests of what is sent and answered: each id belongs to a person, who is sent by a number or as UUID, and
 * is there until a deletion of them was answered as done. Look-ups of deletions and of runs that go on are left out of the
 * log, so that each test writes its own answers only. Somebody else is there as well.
 */
export async function startWithPeople(
  script: Script,
  {
    verifies = false,
    ...options
  }: Parameters<typeof startService>[1] & {
    /** Whether `runs verify` asks the same people, whose events are there still; else the script answers it. */
    readonly verifies?: boolean;
  } = {},
): Promise<Service & { readonly lookedUp: ReadonlySet<string> }> {
  const log: Received[] = [];
  const lookedUp = new Set<string>();
  let planning = '';
  const people = createPeople(lookedUp);
  const steps = lookUpSteps(people, { log, isAsked: () => planning !== '' });
  const service = await startService([...steps, refuseSql(log), ...script.map(people.watch)], {
    ...options,
    log,
  });
  return {
    ...service,
    lookedUp,
    hogctl: async (line, setting) => {
      const words = typeof line === 'string' ? splitWords(line) : line;
      const isAsked = verifies ? /delete$|^resume$|^verify$/ : /delete$|^resume$/;
      planning = isAsked.test(words[1] ?? '') ? (words[1] ?? '') : '';
      return service.hogctl(words, setting);
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

/** What a project answers that has nobody at all: its name, and an empty list. */
export function nobodyThere({ url }: Pick<Received, 'url'>): StubAnswer {
  if (/\/projects\/[^/]+\/$/.test(url)) return { json: { id: 1, name: 'Shop' } };
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
