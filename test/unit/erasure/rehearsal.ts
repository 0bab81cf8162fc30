import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { IdKind } from '../../../src/erasure/input/checks.ts';
import type { KnownPerson } from '../../../src/erasure/input/given.ts';
import { collectIds, type People } from '../../../src/erasure/input/given.ts';
import { createResolution, type LookUp } from '../../../src/erasure/people/resolve.ts';
import type { Disk, RunTools } from '../../../src/erasure/record/directory.ts';
import type { BatchAnswer } from '../../../src/erasure/record/journal.ts';
import { createRun, openRun, type Run } from '../../../src/erasure/record/open.ts';
import { reconcile } from '../../../src/erasure/record/outcome.ts';
import { makePlan, type PlanInput } from '../../../src/erasure/record/plan.ts';
import type { Batch, RunOptions, Send } from '../../../src/erasure/sending/run.ts';
import { runPlan } from '../../../src/erasure/sending/run.ts';
import { CliError } from '../../../src/errors.ts';
import { isUuid } from '../../../src/service/endpoint.ts';
import type { Settings } from '../../../src/settings/resolve-settings.ts';

const start = Date.parse('2026-11-28T12:00:00Z');
const source = { project: '', host: '', key: '', dialect: '' };
export const unlabelled: Settings = {
  project: { id: '7', protected: false },
  host: { address: 'https://eu.example.test' },
  key: '',
  dialect: 'specification',
  provenance: source,
  named: true,
  warnings: [],
};
export const settings: Settings = { ...unlabelled, keyLabel: 'erasure job' };

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hogctl-erasure-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that stands still until it is moved. */
export function createClock() {
  let time = start;
  const forward = (milliseconds: number) => {
    time += milliseconds;
  };
  return { now: () => time, forward };
}

export function toolsFor(clock: { now: () => number }, disk?: Disk): RunTools {
  return { now: clock.now, random: () => 0.5, owner: { pid: process.pid, isAlive: () => true }, disk };
}

export type RehearsalInput = {
  readonly ids?: readonly string[];
  readonly kind?: IdKind;
  readonly plan?: Partial<PlanInput>;
  readonly disk?: Disk;
  /** Whom each id belongs to, in their order; a person each if absent, who is sent by the id as it was given. */
  readonly known?: readonly (KnownPerson | null)[] | undefined;
};

export function toPeople({ ids = [], kind = 'distinct-ids', known }: RehearsalInput): People {
  const list = collectIds(kind, ids);
  const resolution = createResolution();
  for (const person of known ?? list.ids.map(personOf)) resolution.add(person);
  return { list, resolution };
}

function personOf(id: string, index: number): KnownPerson {
  return { uuid: isUuid(id) ? id : uuidOf(index + 1), distinctIds: isUuid(id) ? [] : [id], sendAs: id };
}

export function planInput(people: readonly People[], more: Partial<PlanInput> = {}): PlanInput {
  return {
    project: { id: '7', name: 'Shop' },
    host: settings.host.address,
    people,
    flags: { deleteEvents: false, deleteRecordings: false, keepPerson: false },
    dialect: 'specification',
    lookedUpAt: new Date(start).toISOString(),
    ...more,
  };
}

/** A run on a real disk, the service's side of it written by the test. */
export function rehearse(input: RehearsalInput) {
  const clock = createClock();
  const people = [toPeople(input)];
  const stateDirectory = temporaryFolder();
  const tools = toolsFor(clock, input.disk);
  const plan = makePlan(planInput(people, { serviceTime: '2026-01-01T00:00:00Z', ...input.plan }));
  const run = createRun({ stateDirectory }, { plan, people }, tools);
  onTestFinished(() => run.close());
  const reopen = () => {
    const again = openRun(run.path, toolsFor(clock));
    onTestFinished(() => again.close());
    return again;
  };
  return { run, clock, stateDirectory, people, plan, tools, reopen };
}

export type Answering = (batch: Batch, call: number) => BatchAnswer | Promise<BatchAnswer>;

/** Carries a run out against answers and keeps what was sent. */
export async function carryOut(
  run: Run,
  clock: { now: () => number; forward: (milliseconds: number) => void },
  answer: Answering,
  {
    lookUp = asPlanned(run),
    ...more
  }: Partial<Omit<RunOptions, 'lookUp'> & Parameters<typeof runPlan>[2]> & { readonly lookUp?: LookUp } = {},
) {
  const sent: Batch[] = [];
  const waits: number[] = [];
  const send: Send = async (batch, { onTime }) => {
    sent.push(batch);
    const { serviceTime, ...answered } = await answer(batch, sent.length);
    if (serviceTime !== undefined) onTime(serviceTime);
    return answered;
  };
  const session = {
    settings: async () => settings,
    now: clock.now,
    wait: async (milliseconds: number) => {
      waits.push(milliseconds);
      clock.forward(milliseconds);
    },
    signal: new AbortController().signal,
    forcedSignal: new AbortController().signal,
    ...more,
  };
  await runPlan(run, { send, lookUp: async () => lookUp, ...more }, session);
  return { outcome: reconcile(run), sent, waits };
}

/** Whoever was planned is still there. */
function asPlanned({ entries, plan }: Run): LookUp {
  const createdAt = '2026-01-01T00:00:00Z';
  return async ({ ids }) => {
    const planned = entries(0, plan.unique).flatMap(({ id, person }) => [
      [id, person?.uuid ?? id] as const,
      ...(person ? [[person.uuid, person.uuid] as const] : []),
    ]);
    const uuids = new Map(planned);
    return ids.flatMap((id) => {
      const uuid = uuids.get(id);
      return uuid === undefined ? [] : { id, uuid, distinctIds: [], createdAt };
    });
  };
}

export const allDeleted: Answering = ({ ids }) => ({ found: ids.length, deleted: ids.length, errors: [] });

export function failure(status: number | undefined, outcome: 'not-done' | 'unknown'): CliError {
  return new CliError(status === 401 ? 'authentication' : 'unavailable', 'the service failed', {
    status,
    outcome,
  });
}

export function numbered(count: number, prefix = 'user-'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}

/** Whom a plan found by each id, with UUIDs numbered from `first`. */
export function knownAs(ids: readonly string[], first = 1): readonly KnownPerson[] {
  return ids.map((id, index) => ({ uuid: uuidOf(first + index), distinctIds: [id] }));
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A verification whose key may not ask SQL. */
export const listOnly = {
  sql: { refusal: new CliError('authentication', "the key lacks 'query:read'", { status: 403 }) },
  now: () => '2026-11-28T13:00:00.000Z',
};

/** Whom a plan found by so many ids: a person each, but none by the fifth. */
export function knownButFifth(count: number): readonly (KnownPerson | null)[] {
  return numbered(count).map((id, index) =>
    index === 4 ? null : { uuid: uuidOf(index), distinctIds: [id] },
  );
}

/** A run of five ids of four people, one of whom fails, also when sent again. */
export async function oneFailing() {
  const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: false };
  const rehearsal = rehearse({ ids: numbered(5), known: knownButFifth(5), plan: { flags } });
  const errors = [{ person_uuid: uuidOf(2), step: 'clickhouse' }];
  const { outcome } = await carryOut(rehearsal.run, rehearsal.clock, (_, call) =>
    call === 1
      ? { found: 4, deleted: 0, queued: 3, eventsQueued: true, errors }
      : { found: 1, deleted: 0, queued: 0, errors },
  );
  return { ...rehearsal, outcome };
}
