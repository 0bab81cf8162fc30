import { CliError } from '../../errors.ts';
import { readTime } from '../../semantics/service-time.ts';
import { agree, apply, Contradiction, heldBack, prove, verdictOf, withStore } from '../core.ts';
import type { Answer, Batch, Fact, Run, Sighting, Tally, Verdict } from '../facts.ts';
import type { LookUp } from '../people/resolve.ts';
import type { RecordedAnswer } from './answer.ts';
import type { Happening } from './journal.ts';
import { coreIdOf, type MemberLine } from './members.ts';
import { decodePerson, decodeSighting, fromRanges, idsOf, personsOf } from './sightings.ts';
import { contradiction, countOpen, type RunState } from './state.ts';

/** What a plan says of all of its batches. */
export type Basis = Shown & {
  /** Lines that no batch has. */
  readonly lines: { readonly excepted: number; readonly odd: number };
};

type Shown = { readonly lookUp: LookUp; readonly serviceTime?: string | undefined };

/** A run and one of its batches, as the core has them. */
export type Standing = { readonly run: Run; readonly batch: Batch };

/** Batches that are kept in memory: those of calls that are made at the same time. */
const KEPT = 16;

/**
 * The batches of a run, folded from its plan and journal when they are asked for. What happens next has to pass through
 * the core first: `permit` throws what it refuses.
 */
export function createBatches(
  origin: Run,
  basis: Basis,
  record: { readonly state: () => RunState; readonly members: (batch: number) => readonly MemberLine[] },
) {
  const kept = new Map<number, Standing>();
  /** The verdicts of batches that were kept, so that they are not folded once more to be counted. */
  const counts = new Map<number, Counts>();
  const keep = (number: number, standing: Standing): Standing => {
    kept.delete(number);
    kept.set(number, standing);
    counts.delete(number);
    const [oldest] = kept;
    if (kept.size > KEPT && oldest !== undefined) {
      kept.delete(oldest[0]);
      counts.set(oldest[0], countVerdicts(oldest[1]));
    }
    return standing;
  };
  const forget = () => {
    kept.clear();
    counts.clear();
  };
  const get = (number: number): Standing =>
    kept.get(number) ?? keep(number, fold(origin, number, { basis, record }));
  const numbers = () => record.state().batches.map((_, at) => at + 1);
  let counted: Tally | undefined;
  const count = (number: number) => counts.get(number) ?? countVerdicts(get(number));
  /** What is known of each line: the verdicts of its ids, and what the plan left out. */
  const tally = (): Tally => (counted ??= withLeftOut(basis, addUp(numbers().map(count))));
  return {
    get,
    tally,
    /** The run as the core has it, with all that was said of it so far. */
    run: (): Run => runOf(origin, record.state()),
    /** Throws a `refused` error for what the core does not permit; else what to do once it is written down. */
    permit(happening: Happening): () => void {
      const keepNext = asRefusal(() => this.step(happening));
      return () => {
        counted = undefined;
        keepNext();
      };
    },
    step(happening: Happening): () => void {
      if (happening.type === 'agreed') {
        agree(
          this.run(),
          happening.persons,
          (function* () {
            for (const number of numbers()) yield get(number).batch;
          })(),
        );
        return forget;
      }
      if (['started', 'store', 'excepted'].includes(happening.type)) return forget;
      if ('tally' in happening && !isSame(happening.tally, tally()))
        throw new Contradiction('the verdicts on the lines are not those of the core');
      if (happening.type === 'verified' && happening.holds) prove(this.run(), tally());
      if (!('batch' in happening)) return () => undefined;
      const { run, batch } = get(happening.batch);
      const next = apply(run, batch, toFact(happening, batch));
      return () => void keep(happening.batch, { run, batch: next });
    },
  };
}

/** What the core refuses is an error that a person can read: the message names what is missing. */
export function asRefusal<Value>(work: () => Value, hint = SAFE): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Contradiction)) throw error;
    throw new CliError('refused', `not permitted: ${error.message}`, { hint });
  }
}

const SAFE = 'nothing was sent or called proven because of that; hogctl runs report says how far a run is';

/** The verdict of each id of a batch. */
export function verdictsOf({ run, batch }: Standing): ReadonlyMap<string, Verdict> {
  return new Map([...batch.named.keys()].map((id) => [id, verdictOf(run, batch, id)]));
}

/** How many persons of a batch are held back for a reason, with how many of the ids. */
export function countHeldBack({ run, batch }: Standing, why: 'spared' | 'excepted') {
  const persons = new Set<string>();
  let ids = 0;
  for (const [id, uuid] of batch.named) {
    if (heldBack(run, batch, id) !== why) continue;
    persons.add(uuid ?? id);
    ids += 1;
  }
  return { persons: persons.size, ids };
}

type Held = {
  readonly core: () => Run;
  readonly state: () => Pick<RunState, 'batches'>;
  readonly standing: (batch: number) => Standing;
};

/** How many batches have somebody who may still be sent, or has to be looked at first. */
export function countOpenBatches({ state, standing }: Omit<Held, 'core'>): number {
  return state().batches.filter((_, at) => countOpen(addUp([countVerdicts(standing(at + 1))])) > 0).length;
}

type Counts = ReadonlyMap<Verdict, number>;

/** How many ids of a batch have each verdict. */
function countVerdicts(standing: Standing): Counts {
  const counts = new Map<Verdict, number>();
  for (const verdict of verdictsOf(standing).values()) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return counts;
}

function addUp(several: readonly Counts[]): Tally {
  const all = new Map<Verdict, number>();
  for (const counts of several)
    for (const [verdict, count] of counts) all.set(verdict, (all.get(verdict) ?? 0) + count);
  return Object.fromEntries(all);
}

/** How many persons of a run have an excepted id by now, and are owed. */
export function countExcepted({ core, state, standing }: Held): number {
  if (core().spared.size === 0) return 0;
  return state().batches.reduce(
    (count, _, at) => count + countHeldBack(standing(at + 1), 'excepted').persons,
    0,
  );
}

/** Lines that no batch has: those that are excepted, and those that could not be read. */
function withLeftOut({ lines: { excepted, odd } }: Pick<Basis, 'lines'>, tally: Tally): Tally {
  return {
    ...tally,
    ...(excepted > 0 ? { excepted: (tally.excepted ?? 0) + excepted } : {}),
    ...(odd > 0 ? { odd } : {}),
  };
}

function isSame(one: Tally, other: Tally): boolean {
  const sorted = [one, other].map((tally) => JSON.stringify(Object.entries(tally).sort()));
  return sorted[0] === sorted[1];
}

/** A run once more ids are excepted: the core lets nobody be sent who has one. */
function withSpared(run: Run, members: readonly string[]): Run {
  return members.length === 0 ? run : { ...run, spared: new Set([...run.spared, ...members]) };
}

function runOf(origin: Run, state: Pick<RunState, 'agreed' | 'stores' | 'excepted'>): Run {
  const { agreed, stores, excepted } = state;
  const run = withSpared(stores.reduce(withStore, origin), excepted);
  return agreed === undefined ? run : { ...run, agreed };
}

type Folding = {
  readonly basis: Basis;
  readonly record: {
    readonly state: () => RunState;
    readonly members: (batch: number) => readonly MemberLine[];
  };
};

function fold(origin: Run, number: number, { basis, record }: Folding): Standing {
  const { lines } = record.state();
  const all = [...(lines.get(0) ?? []), ...(lines.get(number) ?? [])];
  let run = origin;
  let batch = apply(run, undefined, plannedFact(record.members(number), basis));
  for (const line of all.toSorted((one, other) => one.line - other.line)) {
    try {
      if (line.type === 'agreed') run = { ...run, agreed: line.persons };
      else if (line.type === 'store') run = withStore(run, line.store);
      else if (line.type === 'excepted') run = withSpared(run, line.members);
      else if (line.type === 'started' && !line.isFresh)
        batch = apply(run, batch, { type: 'aged', by: 'session' });
      else if ('batch' in line) batch = apply(run, batch, toFact(line, batch));
    } catch (error) {
      if (!(error instanceof Contradiction)) throw error;
      throw contradiction(line, error.message);
    }
  }
  return { run, batch };
}

/** Ids between two controls. */
const BETWEEN = 200;

/** What the stores showed when the batch was planned. */
export function plannedFact(members: readonly MemberLine[], { lookUp, serviceTime }: Shown): Fact {
  const time = readTime(serviceTime);
  const shown = members.filter(({ person }) => person !== null);
  const missing = members.filter(({ person }) => person === null);
  const list = (some: readonly MemberLine[], isSure: boolean): Sighting => ({
    store: 'list',
    asked: [...new Set(some.map(coreIdOf))],
    controls: lookUp.isByMany ? [isSure] : [isSure, isSure],
    found: some.flatMap((line) =>
      line.person ? { id: coreIdOf(line), person: decodePerson(line.person) } : [],
    ),
    time,
  });
  const sql: Sighting = {
    store: 'sql',
    asked: [...new Set(missing.map(coreIdOf))],
    controls: [lookUp.sql === true],
    found: missing.flatMap((line) =>
      line.other ? { id: coreIdOf(line), person: decodePerson(line.other) } : [],
    ),
    time,
  };
  const sightings = [
    ...inPieces(shown).map((some) => list(some, true)),
    ...inPieces(missing).map((some) => list(some, lookUp.list)),
    ...(lookUp.sql === null || missing.length === 0 ? [] : [sql]),
  ];
  return { type: 'planned', ids: [...new Set(members.map(coreIdOf))], sightings };
}

function inPieces(members: readonly MemberLine[]): readonly (readonly MemberLine[])[] {
  return Array.from({ length: Math.ceil(members.length / BETWEEN) }, (_, at) =>
    members.slice(at * BETWEEN, (at + 1) * BETWEEN),
  );
}

type AboutBatch = Extract<Happening, { readonly batch: number }>;

function toFact(happening: AboutBatch, batch: Batch): Fact {
  switch (happening.type) {
    case 'aged':
      return { type: 'aged', by: 'time' };
    case 'saw':
      return { type: 'saw', sighting: decodeSighting(batch, happening) };
    case 'saw-status': {
      const persons = personsOf(batch);
      const rows = happening.rows.map(([person, created, isCompleted]) => ({
        uuid: persons[person] ?? '',
        created: readTime(created),
        isCompleted,
      }));
      return { type: 'saw status', rows, time: readTime(happening.serviceTime) };
    }
    case 'saw-count': {
      const ids = idsOf(batch);
      const asked = fromRanges(happening.asked).map((at) => ids[at] ?? '');
      const { count, until, serviceTime } = happening;
      const bound = until === undefined ? {} : { until: Date.parse(until) };
      return { type: 'saw count', asked, count, ...bound, time: readTime(serviceTime) };
    }
    case 'sending': {
      const persons = personsOf(batch);
      return { type: 'sending', uuids: fromRanges(happening.persons).map((at) => persons[at] ?? '') };
    }
    case 'answered':
      return { type: 'answered', call: happening.call, answer: toAnswer(happening.answer) };
    case 'failed':
      return { type: happening.failure.outcome === 'unknown' ? 'lost' : 'refused', call: happening.call };
  }
}

/** A figure is only there if the service gave it. Whoever it named beside those who were sent is a stranger. */
function toAnswer(answer: RecordedAnswer): Answer {
  const { kind, found, deleted, queued, eventsQueued: events, recordingsQueued: recordings, errors } = answer;
  return {
    kind,
    ...(found === undefined ? {} : { found }),
    ...(deleted === undefined ? {} : { deleted }),
    ...(queued === undefined ? {} : { queued }),
    ...(events === undefined ? {} : { events }),
    ...(recordings === undefined ? {} : { recordings }),
    failed: errors.map(({ person }) => person ?? 'a stranger'),
    time: readTime(answer.serviceTime),
  };
}
