import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { idsOf } from '../support/bulk-deletions.ts';
import { runProgram, type Setting, type Transcript } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import {
  type Received,
  type Script,
  type Stub,
  type StubAnswer,
  type StubOptions,
  type StubStep,
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
  const step = (
    on: (received: Received) => boolean,
    answer: (received: Received) => StubAnswer,
  ): StubStep => ({
    on,
    times: Number.POSITIVE_INFINITY,
    answer: (received) => ({
      ...answer(received),
      work: () => void log.splice(log.indexOf(received), 1),
    }),
  });
  const isOneId = ({ method, url }: Received) => method === 'GET' && /\/persons\/[^/?]+\/$/.test(url);
  const isList = ({ url }: Received) => /\/persons\/\?(?:distinct_id=[^&]*|limit=10)$/.test(url);
  const isMany = ({ url }: Received) => url.includes('/batch_by_');
  const isLooking = (received: Received) =>
    planning !== '' && (isOneId(received) || isList(received) || isMany(received));
  const steps = [
    step(isLooking, people.show),
    step((received) => planning !== '' && isQuery(received), people.query),
  ];
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

/** A person for each id that is looked up, with the number that the id ends with if it is free. */
function createPeople(lookedUp: Set<string>) {
  const byId = new Map<string, ReturnType<typeof person>>();
  const byUuid = new Map<string, ReturnType<typeof person>>();
  const gone = new Set<string>();
  const bystander = { ...person(999_999), distinct_ids: ['somebody-else'] };
  const there = (one: ReturnType<typeof person>) => (gone.has(one.uuid) ? undefined : one);
  const personOf = (id: string) => {
    if (id === 'somebody-else') return bystander;
    const ending = Number(/(?<!\d)[1-9]\d{0,5}$/.exec(id)?.[0] ?? 0);
    const isFree = ending > 0 && !byUuid.has(person(ending).uuid);
    const found = byId.get(id) ?? person(isFree ? ending : 1_000_000 + byId.size);
    const known = { ...found, distinct_ids: [id] };
    byId.set(id, known);
    byUuid.set(known.uuid, known);
    lookedUp.add(id);
    return there(known);
  };
  const personBy = (id: string) => {
    if (id === bystander.uuid) return bystander;
    const known = byUuid.get(id) ?? byUuid.get(person(Number(id) || 0).uuid);
    if (known !== undefined) return there(known);
    lookedUp.add(id);
    const { id: _, ...withoutNumber } = person(1);
    const own = [`of_${id}`];
    const one = /^\d+$/.test(id)
      ? person(Number(id))
      : { ...withoutNumber, id: undefined, uuid: id, distinct_ids: own };
    // Cast: a person without a number is one to the program.
    const created = one as ReturnType<typeof person>;
    byUuid.set(created.uuid, created);
    for (const distinctId of created.distinct_ids) byId.set(distinctId, created);
    return there(created);
  };
  const show = ({ url, json }: Pick<Received, 'url' | 'json'>): StubAnswer => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
    if (pathname.includes('/batch_by_')) {
      const { distinct_ids: ids = [], uuids = [] } = json as Record<string, readonly string[]>;
      const found = [
        ...ids.map((id) => [id, personOf(id)] as const),
        ...uuids.map((id) => [id, personBy(id)] as const),
      ];
      return { json: { results: Object.fromEntries(found.filter(([, one]) => one !== undefined)) } };
    }
    const distinctId = searchParams.get('distinct_id');
    if (searchParams.get('limit') === '10') return { json: { next: null, results: [bystander] } };
    if (distinctId !== null) {
      const found = personOf(distinctId);
      return { json: { next: null, results: found === undefined ? [] : [found] } };
    }
    const found = personBy(/\/persons\/([^/]+)\/$/.exec(pathname)?.[1] ?? '');
    return found === undefined
      ? { status: 404, json: { code: 'not_found', detail: 'Not found.' } }
      : { json: found };
  };
  const query = ({ json }: Pick<Received, 'json'>): StubAnswer => {
    const { query: sql = '', values = {} } = (
      json as { query: { query?: string; values?: Record<string, readonly string[]> } }
    ).query;
    if (sql.includes('FROM events'))
      return { json: { results: sql.includes('max(timestamp)') ? [] : [[1, 0]], columns: [] } };
    if (sql.includes('count()')) return { json: { results: [[bystander.uuid, 1]], columns: [] } };
    const people = (values.uuids ?? []).flatMap((uuid) => personBy(uuid) ?? []);
    const owners = values.distinct_ids?.flatMap((id) => {
      const found = personOf(id);
      return found === undefined ? [] : [[id, found.uuid]];
    });
    const ids = sql.includes('created_at')
      ? people.map((one) => [one.uuid, '2026-01-02 03:04:05'])
      : people.map((one) => [one.uuid, one.distinct_ids]);
    return { json: { results: owners ?? (values.uuids ? ids : [[1]]), columns: [] } };
  };
  /** As many as an answer says are deleted or queued are gone, the first of them whom it does not name as failed. */
  const note = (received: Received, answer: StubAnswer): StubAnswer => {
    const isDeletion = received.url.includes('/bulk_delete/') || received.method === 'DELETE';
    const isAnswered = (answer.status ?? 200) < 300 && answer.reset === undefined && !answer.never;
    if (!isDeletion || !isAnswered) return answer;
    const {
      deletion_errors: errors = [],
      persons_deleted: deleted = Number.POSITIVE_INFINITY,
      persons_queued_for_deletion: queued = 0,
    } = (answer.json ?? {}) as {
      deletion_errors?: readonly { readonly person_uuid: string }[];
      persons_deleted?: number;
      persons_queued_for_deletion?: number;
    };
    const failed = new Set(errors.map(({ person_uuid: uuid }) => uuid));
    const single = /\/persons\/([^/?]+)\//.exec(received.url)?.[1] ?? '';
    const named = received.method === 'DELETE' ? [single] : idsOf(received);
    const there = named.flatMap((id) => personBy(id)?.uuid ?? []).filter((uuid) => !failed.has(uuid));
    // A text is no figure, and says of nobody that they are deleted.
    const count = typeof deleted === 'number' ? Math.max(0, deleted + queued) : 0;
    for (const uuid of there.slice(0, count)) gone.add(uuid);
    return answer;
  };
  const watch = (one: Script[number]): Script[number] =>
    typeof one === 'function'
      ? (received) => note(received, one(received))
      : { ...one, answer: (received) => note(received, one.answer?.(received) ?? one) };
  return { show, query, watch };
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
