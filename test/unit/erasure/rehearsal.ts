import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { IdKind } from '../../../src/erasure/input/checks.ts';
import { collectIds, type KnownPerson, type People } from '../../../src/erasure/input/given.ts';
import type { Spared } from '../../../src/erasure/people/exceptions.ts';
import { createResolution } from '../../../src/erasure/people/resolve.ts';
import type { RecordedAnswer } from '../../../src/erasure/record/answer.ts';
import { createRun } from '../../../src/erasure/record/create.ts';
import type { Disk, RunTools } from '../../../src/erasure/record/directory.ts';
import { openRun, type Run } from '../../../src/erasure/record/open.ts';
import { makePlan, type PlanInput } from '../../../src/erasure/record/plan.ts';
import { idsOf, personsOf, toRanges } from '../../../src/erasure/record/sightings.ts';
import { isUuid } from '../../../src/service/endpoint.ts';

const start = Date.parse('2026-11-28T12:00:00Z');
const host = 'https://eu.example.test';

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

const key = Buffer.alloc(32, 7);

/** The records of these tests are made here. */
export const reading = { records: { key: { uid: process.geteuid?.(), find: () => key, make: () => key } } };

export function toolsFor(clock: { now: () => number }, disk?: Disk): RunTools {
  const owner = { pid: process.pid, isAlive: () => true };
  return { now: clock.now, random: () => 0.5, disk, records: { owner, ...reading.records } };
}

export const nobodySpared: Spared = { excepted: [], spared: [], files: [] };

type RehearsalInput = {
  readonly ids?: readonly string[];
  readonly kind?: IdKind;
  readonly plan?: Partial<PlanInput>;
  readonly disk?: Disk;
  readonly spared?: Spared;
  /** Whom each id belongs to, in their order; a person each if absent, who is sent by the id as it was given. */
  readonly known?: readonly (KnownPerson | null)[] | undefined;
};

export function toPeople({ ids = [], kind = 'distinct-ids', known }: RehearsalInput): People {
  const list = collectIds(kind, ids);
  const resolution = createResolution();
  const each = list.ids.map((id, index) => personOf(id, kind, index + 1));
  for (const person of known ?? each) resolution.add(person);
  return { list, resolution };
}

/** When everybody in a rehearsal came. */
export const createdAt = '2026-01-01T00:00:00Z';

function personOf(id: string, kind: IdKind, number: number): KnownPerson {
  const uuid = kind === 'ids' && isUuid(id) ? id : uuidOf(number);
  return { uuid, createdAt, distinctIds: kind === 'ids' ? [] : [id], sendAs: id };
}

export function planInput(people: readonly People[], more: Partial<PlanInput> = {}): PlanInput {
  return {
    project: { id: '7', name: 'Shop' },
    host,
    people,
    flags: { deleteEvents: false, deleteRecordings: false, keepPerson: false },
    dialect: 'specification',
    lookedUpAt: new Date(start).toISOString(),
    lookUp: { isByMany: true, list: true, sql: null },
    ...more,
  };
}

/** A run on a real disk, whose facts are written by the test. */
export function rehearse(input: RehearsalInput) {
  const clock = createClock();
  const people = [toPeople(input)];
  const stateDirectory = temporaryFolder();
  const tools = toolsFor(clock, input.disk);
  const { spared = nobodySpared } = input;
  const plan = makePlan(planInput(people, { serviceTime: '2026-01-01T00:00:00Z', spared, ...input.plan }));
  const run = createRun({ stateDirectory }, { plan, people, spared }, tools);
  onTestFinished(() => run.close());
  const reopen = () => {
    const again = openRun(run.path, toolsFor(clock));
    onTestFinished(() => again.close());
    return again;
  };
  return { run, clock, stateDirectory, people, plan, tools, reopen };
}

/** Somebody agrees to the whole plan. */
export function agree(run: Run): void {
  run.append({ type: 'agreed', persons: run.plan.resolved.persons });
}

/** A session begins; that of the process which planned the run need not look again. */
export function beginSession(run: Run): void {
  const resumed = run.state().sessions.length > 0;
  const fresh = run.isFresh && !resumed ? { isFresh: true as const } : {};
  run.append({ type: 'started', host, project: '7', key: null, resumed, ...fresh });
}

/** A call leaves, about these persons of a batch, or about all; tells its number. */
export function sendCall(run: Run, batch = 1, persons?: readonly number[]): number {
  const planned = personsOf(run.standing(batch).batch);
  const call = run.standing(batch).batch.calls.length;
  const at = persons ?? [...planned.keys()];
  run.append({ type: 'sending', batch, persons: toRanges(at), count: at.length, digest: '0'.repeat(64) });
  return call;
}

type Answering = {
  readonly batch?: number;
  readonly call: number;
  readonly answer?: Partial<RecordedAnswer>;
};

/** Its answer arrives, which says that all were deleted, but for what is said otherwise. */
export function takeAnswer(run: Run, { batch = 1, call, answer = {} }: Answering): void {
  const { count = 0 } = run.state().calls.find((one) => one.batch === batch && one.call === call) ?? {};
  const all: RecordedAnswer = { kind: 'figures', found: count, deleted: count, errors: [] };
  run.append({ type: 'answered', batch, call, answer: { ...all, ...answer } });
}

/** Its answer never arrives, or says that nothing was done. */
export function fail(run: Run, call: number, outcome: 'unknown' | 'not-done' = 'unknown', batch = 1): void {
  run.append({ type: 'failed', batch, call, failure: { outcome, kind: 'unavailable', status: 503 } });
}

/** The person list is asked about all ids of a batch, and shows everybody as planned, or nobody. */
export function see(run: Run, who: 'everybody' | 'nobody', { batch = 1, isControlled = true } = {}): void {
  const all = toRanges([...idsOf(run.standing(batch).batch).keys()]);
  const asPlanned = who === 'everybody' ? all : '';
  run.append({
    type: 'saw',
    batch,
    store: 'list',
    asked: all,
    controls: [isControlled],
    asPlanned,
    others: [],
  });
}

/** Each batch is sent, answered as done and seen to be gone; then the session ends. */
export function carryOut(run: Run): void {
  agree(run);
  beginSession(run);
  for (const at of run.state().batches.keys()) {
    const batch = at + 1;
    const call = sendCall(run, batch);
    takeAnswer(run, { batch, call });
    see(run, 'nobody', { batch });
  }
  endSession(run);
}

export function endSession(run: Run): void {
  run.append({ type: 'ended', stopped: null, tally: run.tally() });
}

export function numbered(count: number, prefix = 'user-'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
