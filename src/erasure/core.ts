/**
 * What an erasure may send, what it did, what it owes and what it has proven is decided here, and only here. The rest of
 * the program can make a run fail or leave lines owed, it cannot make a verdict wrong.
 *
 * The order of a run, and of reading: `exceptionsOf`; plan each batch, which is a fold of `apply` over facts; `agree` to
 * the number of persons; look, send, take the answer, look again; ask for the verdict of an id, of a line, of the run.
 * `questionsOf` says what is to be asked at each step. Pure functions over plain data, no clock.
 */
import {
  type Batch,
  type Exceptions,
  type Fact,
  type Person,
  type Questions,
  type Row,
  type Run,
  type Sighting,
  type StoreName,
  type Tally,
  type Target,
  VERDICTS,
  type Verdict,
} from './facts.ts';

/** Something that cannot be true or must not be. Nothing comes of it. */
export class Contradiction extends Error {}

function refuse(why: string): never {
  throw new Contradiction(why);
}

const everyIdOf = ({ uuid, ids }: Person) => (ids.includes(uuid) ? ids : [uuid, ...ids]);
const unite = (some: readonly string[], more: readonly string[]) =>
  more.every((id) => some.includes(id)) ? some : [...new Set([...some, ...more])];
const covers = (person: Person | undefined, ids: readonly string[]): person is Person =>
  person !== undefined && ids.every((id) => id === person.uuid || person.ids.includes(id));
/** Nobody's, if the answer does not show that the person has the id. */
const idsBehind = (id: string, person?: Person) => (covers(person, [id]) ? everyIdOf(person) : []);

/** As far as the coarser of two times says. */
function isSame(one: Person['born'], other: Person['born']): boolean {
  if (one === undefined || other === undefined) return false;
  const unit = Math.max(one.unit, other.unit);
  return Math.floor(one.at / unit) === Math.floor(other.at / unit);
}

function isLater(one: Person['born'], other: Person['born']): boolean {
  return one !== undefined && other !== undefined && !isSame(one, other) && one.at > other.at;
}

type Index = Pick<Sighting, 'store' | 'time' | 'overdue'> & {
  readonly asked: ReadonlySet<string>;
  readonly isControlled: boolean;
  /** Who has an id, and everybody in the answer by UUID. */
  readonly owners: ReadonlyMap<string, Person>;
  readonly shown: ReadonlyMap<string, Person>;
};

/** Throws unless an answer is about what was asked: each person in it has the id that stands beside them, and each id one. */
function indexOf(sighting: Sighting, batch?: Batch): Index {
  const { controls, found } = sighting;
  const asked = new Set(sighting.asked);
  const owners = new Map<string, Person>();
  const shown = new Map<string, Person>();
  for (const { id, person } of found) {
    if (!asked.has(id)) refuse('an answer is about an id that was not asked about');
    if (!person.hasMore && !covers(person, [id])) refuse('an answer shows a person who does not have the id');
    if ((owners.get(id) ?? person).uuid !== person.uuid) refuse('an answer shows two persons with one id');
    owners.set(id, person);
    shown.set(person.uuid, person);
  }
  if (controls.length > 1 && asked.size > 200) refuse('more than 200 requests lie between two controls');
  const isKnown = (uuid: string) => batch === undefined || batch.targets.get(uuid)?.isPlanned === true;
  const isOwn = controls.length < 2 && [...shown.keys()].some(isKnown);
  const isControlled = isOwn || (controls.length > 0 && controls.every((one) => one));
  return { ...sighting, asked, isControlled, owners, shown };
}

function requireAnswers(indexes: readonly Index[], ids: readonly string[]): void {
  const lists = indexes.filter(({ store, isControlled }) => store === 'list' && isControlled);
  const open = ids.filter((id) => !lists.some(({ asked }) => asked.has(id)));
  if (open.length > 0) refuse(`the person list gave no answer that counts: ${open.length} ids`);
}

/** Whom the stores show behind exceptions: only the list tells that somebody is excepted; whom any shows is spared. */
export function exceptionsOf({ ids, sightings }: Omit<Fact & { type: 'planned' }, 'type'>): Exceptions {
  const indexes = sightings.map((sighting) => indexOf(sighting));
  requireAnswers(indexes, ids);
  const listed = ids.flatMap((id) => idsBehind(id, ownerIn('list', id, indexes)));
  const shown = ids.flatMap((id) => indexes.flatMap(({ owners }) => owners.get(id) ?? []));
  const spared = new Set([...ids, ...shown.flatMap(everyIdOf)]);
  return { excepted: new Set([...ids, ...listed]), spared };
}

/** A run once another store has answered: from now on it, too, has to show each id free. */
export function withStore(run: Run, store: StoreName): Run {
  return run.stores.includes(store) ? run : { ...run, stores: [...run.stores, store] };
}

/** A run once somebody agreed to this number of persons; of 0, nobody need be asked. */
export function agree(run: Run, persons: number, batches: Iterable<Batch>): Run {
  const planned = new Set<string>();
  for (const { targets } of batches)
    for (const { uuid, isPlanned } of targets.values()) {
      if (isPlanned && planned.has(uuid)) refuse('a person is in two batches');
      if (isPlanned) planned.add(uuid);
    }
  if (planned.size !== persons) refuse(`the plan has another number of persons: ${planned.size}`);
  return { ...run, agreed: persons };
}

/** A batch after one more fact: the only door. Throws a `Contradiction` that says what is missing. */
export function apply(run: Run, batch: Batch | undefined, fact: Fact): Batch {
  if (fact.type === 'planned')
    return batch === undefined ? plan(run, fact) : refuse('a batch is planned twice');
  if (batch === undefined) return refuse('a batch is not planned yet');
  switch (fact.type) {
    case 'aged':
      return age(batch, fact.by);
    case 'saw': {
      const index = indexOf(run.options.keep ? { ...fact.sighting, overdue: [] } : fact.sighting, batch);
      if (!run.stores.includes(index.store)) refuse('a store answers that is not one of the run');
      return change(batch, (one) => see(one, index, batch));
    }
    case 'saw status': {
      const rows = new Map<string, Row[]>();
      for (const row of fact.rows) rows.set(row.uuid, [...(rows.get(row.uuid) ?? []), row]);
      return clear(batch, (one) => isDeletedByStatus(one, rows.get(one.uuid) ?? [], fact.time));
    }
    case 'saw count': {
      const asked = new Set(fact.asked);
      return clear(batch, (one) => isCountedOut(one, asked, fact));
    }
    case 'sending':
      return send(run, batch, fact.uuids);
    case 'answered':
      return end(batch, fact.call, createEnding(run, batch, fact));
    case 'refused':
      return end(batch, fact.call, (one) => {
        const calls = one.calls - 1;
        return { ...one, calls, standing: calls > 0 ? 'unknown' : 'refused' };
      });
    case 'lost':
      return end(batch, fact.call, lose);
  }
}

function change(batch: Batch, to: (one: Target) => Target): Batch {
  const targets = new Map<string, Target>();
  for (const [key, one] of batch.targets) targets.set(key, to(one));
  return { ...batch, targets };
}

function clear(batch: Batch, areGone: (one: Target) => boolean): Batch {
  return change(batch, (one) => (areGone(one) ? { ...one, areEventsGone: true } : one));
}

function lose(one: Target): Target {
  return { ...one, standing: 'unknown', doubt: 'since their answer was lost', time: undefined };
}

function age(batch: Batch, by: 'session' | 'time'): Batch {
  if (by === 'time') return change(batch, (one) => ({ ...one, doubt: one.doubt ?? 'for 15 minutes' }));
  const renew = (one: Target): Target => {
    if (one.standing === 'in flight') return lose(one);
    const isLost = one.standing === 'unknown';
    return { ...one, doubt: isLost ? 'since their answer was lost' : 'since the session began' };
  };
  return { ...change(batch, renew), calls: batch.calls.map(() => false) };
}

/** To whom the ids lead. SQL alone makes nobody sendable, but somebody whom it shows is no nobody. */
function plan(run: Run, { ids, sightings }: Fact & { type: 'planned' }): Batch {
  const { keep, events, recordings } = run.options;
  if (keep && !events && !recordings) refuse('nothing is to be deleted');
  const indexes = sightings.map((sighting) => indexOf(sighting));
  requireAnswers(indexes, ids);
  const named = new Map<string, string | undefined>();
  const targets = new Map<string, Target>();
  for (const id of ids) {
    const shown = ownerIn('list', id, indexes);
    const isExcepted = [id, ...idsBehind(id, shown)].some((own) => run.excepted.has(own));
    const one = createTarget(run, id, shown, indexes);
    const key = one.isPlanned ? one.uuid : id;
    named.set(id, isExcepted ? undefined : key);
    if (!isExcepted && !targets.has(key)) targets.set(key, one);
  }
  const time = indexes.find((index) => index.store === 'list' && index.time !== undefined)?.time;
  const youngest = [...targets.values()].reduce((most, { born }) => Math.max(most, born?.at ?? 0), 0);
  return { named, targets, calls: [], time, youngest };
}

/** Who has an id by the last answer of a store, with all of their ids if any answer shows more than ten. */
function ownerIn(store: StoreName, id: string, indexes: readonly Index[]): Person | undefined {
  const look = indexes.findLast((index) => index.store === store && index.asked.has(id));
  const shown = look?.owners.get(id);
  if (!shown?.hasMore) return shown;
  const persons = indexes.map((index) => index.shown.get(shown.uuid));
  const whole = persons.find((person) => !person?.hasMore && covers(person, shown.ids));
  return whole === undefined ? shown : { ...shown, ids: whole.ids, hasMore: false };
}

/** A person is sendable whom the list shows with the id that was asked for, with a date, and without an excepted id. */
function createTarget(run: Run, id: string, shown: Person | undefined, indexes: readonly Index[]): Target {
  // The person of an id that nobody has came before anybody.
  const nobody: Person = { uuid: id, born: { at: 0, unit: 1 }, ids: [] };
  const { uuid, born, ...person } = shown ?? ownerIn('sql', id, indexes) ?? nobody;
  const ids = unite(everyIdOf({ uuid, ...person }), [id]);
  const isPlanned = covers(shown, [id]) && born !== undefined && !ids.some((own) => run.spared.has(own));
  const look = indexes.find((index) => index.store === 'list' && covers(index.shown.get(uuid), ids));
  const one: Target = {
    uuid,
    born,
    ids,
    hasMore: person.hasMore === true,
    isPlanned,
    standing: 'not sent',
    calls: 0,
    call: undefined,
    doubt: undefined,
    seen: look?.time,
    since: undefined,
    time: undefined,
    free: { list: [], sql: [] },
    areEventsGone: false,
    areRecordingsTold: false,
  };
  return isPlanned ? one : indexes.reduce(lookFor, indexes.reduce(withOwners, one));
}

/** Whoever has an id of a target that is not sent leads to more ids, which are looked for, too. */
function withOwners(one: Target, { store, owners }: Index): Target {
  if (one.isPlanned) return one;
  const held = one.ids.filter((id) => !one.free[store].includes(id));
  const persons = [...new Set(held.flatMap((id) => owners.get(id) ?? []))];
  const hasMore = one.hasMore || persons.some((person) => person.hasMore === true);
  return { ...one, hasMore, ids: unite(one.ids, persons.flatMap(everyIdOf)) };
}

function see(before: Target, index: Index, batch: Batch): Target {
  const isAbout = before.ids.some((id) => index.asked.has(id));
  const seen = index.shown.get(before.uuid);
  if (!isAbout && seen === undefined) return before;
  const one = withOwners(before, index);
  if (seen !== undefined && !isLater(seen.born, one.born)) return meet(one, seen, index, batch);
  const looked = lookFor(one, index);
  if (index.store === 'sql' || !isAbout) return looked;
  // After a lost call the service's time of the first look without the person takes the place of the answer's.
  const isFirst = one.standing === 'unknown' && one.time === undefined && index.asked.has(one.uuid);
  const time = isFirst && index.isControlled ? endOf(index.time, batch) : one.time;
  return { ...looked, doubt: 'since a look without them', time };
}

/** The person is there. Ids that came since go with them, so they are looked for afterwards, too. */
function meet(one: Target, seen: Person, { store, time, overdue }: Index, batch: Batch): Target {
  const ids = unite(one.ids, seen.ids);
  const free = { ...one.free, [store]: [] };
  const isWhole = covers(seen, ids);
  if (store === 'sql') {
    const areNew = ids.length > one.ids.length;
    return { ...one, ids, free, hasMore: one.hasMore && !isWhole, seen: areNew ? undefined : one.seen };
  }
  const met: Target = { ...one, ids, free, hasMore: seen.hasMore === true, seen: undefined };
  // Merged with an older person, somebody is there still, but is not the one who was agreed to.
  if (!one.isPlanned || !isSame(one.born, seen.born)) return { ...met, doubt: 'since a look without them' };
  const isFailed = DONE.includes(one.standing) && overdue?.includes(one.call ?? -1) === true;
  return {
    ...met,
    doubt: undefined,
    standing: isFailed ? 'failed' : one.standing,
    seen: isWhole && endOf(time, batch) !== undefined ? time : undefined,
  };
}

/**
 * Which ids an answer without the person shows free. An id is free only once its owner is deleted, so whoever has it
 * later came later; who has it at any look before that may hold the data from then, whatever their date. The UUID
 * itself is free, too, once somebody younger has it.
 */
function lookFor(one: Target, { store, asked, isControlled, owners }: Index): Target {
  if (!isControlled || one.standing === 'in flight') return one;
  const isFree = (id: string) => {
    const owner = owners.get(id);
    if (owner === undefined) return asked.has(id);
    return one.isPlanned && id === one.uuid && owner.uuid === id && isLater(owner.born, one.born);
  };
  return { ...one, free: { ...one.free, [store]: unite(one.free[store], one.ids.filter(isFree)) } };
}

/** A time counts to the end of its second; one from before the plan, or before somebody in it, is none. */
function endOf(time: number | undefined, { time: planned, youngest }: Batch): number | undefined {
  if (time === undefined || planned === undefined || time < planned) return undefined;
  const end = time - (time % 1000) + 999;
  return youngest > end ? undefined : end;
}

/**
 * Rows that were made since the look before the last call, and each of them completed: at least one. An id that had left
 * the person before the call is in none.
 */
function isDeletedByStatus({ since, standing }: Target, rows: readonly Row[], now?: number): boolean {
  if (since === undefined || standing === 'in flight') return false;
  const own = rows.filter(({ created = Infinity }) => created >= since);
  const isDated = ({ created = Infinity }: Row) => now !== undefined && created <= now + 999;
  return own.some(isDated) && own.every(({ isCompleted }) => isCompleted);
}

/** No event of any id of theirs that arrived up to the last call, or none at all. */
function isCountedOut(one: Target, asked: ReadonlySet<string>, fact: Fact & { type: 'saw count' }): boolean {
  const { count, until, time } = fact;
  if (count !== 0 || one.calls === 0 || one.hasMore || one.standing === 'in flight') return false;
  if (!one.ids.every((id) => asked.has(id))) return false;
  if (until === undefined) return true;
  return one.time !== undefined && time !== undefined && one.time <= time + 999 && until >= one.time;
}

const isSpared = ({ spared }: Run, { ids }: Target) => spared.size > 0 && ids.some((id) => spared.has(id));

/** Why a person must not be sent now: what they "have". Nothing if they may. */
export function whyNot(run: Run, batch: Batch, uuid: string): string | undefined {
  const one = batch.targets.get(uuid);
  if (one === undefined || !one.isPlanned) return 'no place in the plan';
  if (run.agreed === undefined) return 'not been agreed to';
  if (isSpared(run, one)) return 'come to have an excepted id';
  if (one.standing === 'in flight') return 'a call under way';
  if (one.doubt !== undefined) return `not been seen as planned ${one.doubt}`;
  return one.hasMore && run.spared.size > 0 ? 'ids that were not shown, and may be excepted' : undefined;
}

const isUndone = ({ isPlanned, standing }: Target) => isPlanned && !DONE.includes(standing);

/** Who is to be sent next: whoever was told or accepted is not sent again, nor is anybody who must not be. */
export function toSend(run: Run, batch: Batch): readonly string[] {
  const open = [...batch.targets.values()].filter(isUndone).map(({ uuid }) => uuid);
  return open.filter((uuid) => whyNot(run, batch, uuid) === undefined);
}

function send(run: Run, batch: Batch, uuids: readonly string[]): Batch {
  const sent = new Set(uuids);
  if (sent.size === 0 || sent.size < uuids.length) refuse('a call has no person, or a person twice');
  const reasons = new Map<string, number>();
  for (const uuid of sent) {
    const why = whyNot(run, batch, uuid);
    if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const tell = ([why, count]: readonly [string, number]) =>
    `${count} ${count === 1 ? 'person has' : 'persons have'} ${why}`;
  if (reasons.size > 0) refuse([...reasons].map(tell).join('; '));
  const start = (one: Target): Target => ({
    ...one,
    standing: 'in flight',
    call: batch.calls.length,
    calls: one.calls + 1,
    doubt: 'since they were sent',
    since: one.seen,
    free: { list: [], sql: [] },
    areEventsGone: false,
    areRecordingsTold: false,
  });
  const after = change(batch, (one) => (one.isPlanned && sent.has(one.uuid) ? start(one) : one));
  return { ...after, calls: [...batch.calls, true] };
}

function end(batch: Batch, call: number, to: (one: Target) => Target): Batch {
  if (batch.calls[call] !== true) refuse('a call ends that is not under way');
  const after = change(batch, (one) =>
    one.call === call ? to({ ...one, doubt: 'since they were sent' }) : one,
  );
  return { ...after, calls: batch.calls.map((isUnderWay, at) => isUnderWay && at !== call) };
}

/** Only if all figures agree is it told of each person what became of them. */
function createEnding(run: Run, batch: Batch, { call, answer }: Fact & { type: 'answered' }) {
  const { keep, events, recordings } = run.options;
  const { kind, found, deleted = 0, queued = 0, failed } = answer;
  const sent = new Set<string>();
  for (const one of batch.targets.values()) if (one.call === call) sent.add(one.uuid);
  if (kind === 'one' && sent.size !== 1) refuse('an answer is about one person, and the call had several');
  const own = new Set(failed.filter((uuid) => sent.has(uuid)));
  const isQueued = (!events || answer.events === true) && (!recordings || answer.recordings === true);
  const isAll = deleted + queued + own.size === (keep ? 0 : sent.size);
  const agrees = found === sent.size && failed.every((uuid) => own.has(uuid)) && isAll && isQueued;
  const told = kind === 'one' || agrees ? 'told' : 'answered';
  const others = kind === 'no body' ? 'accepted' : told;
  const time = endOf(answer.time, batch);
  return (one: Target): Target => ({
    ...one,
    standing: own.has(one.uuid) ? 'failed' : others,
    time,
    areRecordingsTold: answer.recordings === true && agrees && !own.has(one.uuid),
  });
}

function verdictOn(run: Run, one: Target): Verdict {
  const { keep, events, recordings } = run.options;
  const isFree = (store: StoreName) => one.ids.every((id) => one.free[store].includes(id));
  const isGone = !one.hasMore && run.stores.every(isFree);
  if (!one.isPlanned) return isGone ? 'nobody' : 'doubtful';
  if (one.calls === 0 && isSpared(run, one)) return 'doubtful';
  const isCleared = (!events || one.areEventsGone) && (!recordings || one.areRecordingsTold);
  if (keep) return isCleared ? 'cleared' : one.standing;
  if (isGone && isCleared) return 'gone';
  if (isGone) return isUndone(one) ? 'rest unknown' : 'rest waiting';
  return one.standing;
}

/** What is known about an id that was asked for. A plan that waits for its confirmation owes all. */
export function verdictOf(run: Run, batch: Batch, id: string): Verdict {
  if (!batch.named.has(id)) refuse('an id is not in the batch');
  if (run.agreed === undefined) return 'not agreed';
  const one = batch.targets.get(batch.named.get(id) ?? '');
  return one === undefined ? 'excepted' : verdictOn(run, one);
}

/** A line has the verdict of that id of whom least is known; so has one over several projects. */
export function verdictOfLine(verdicts: Iterable<Verdict>): Verdict {
  const some = new Set(verdicts);
  return VERDICTS.find((verdict) => some.has(verdict)) ?? refuse('a line has no id');
}

const SETTLED: readonly Verdict[] = ['gone', 'cleared', 'nobody', 'excepted'];
const DONE: readonly Verdict[] = ['told', 'accepted', 'rest waiting'];

/** Whether a session may still send somebody, or has to look at them first. */
export function isOpen(verdict: Verdict): boolean {
  const isKnown = SETTLED.includes(verdict) || DONE.includes(verdict);
  return !isKnown && !['odd', 'doubtful', 'rest unknown'].includes(verdict);
}

/** Why somebody is not sent although they are owed: a look did not show them as planned, or an exception protects them. */
export function heldBack(run: Run, batch: Batch, id: string): 'spared' | 'excepted' | undefined {
  const one = batch.targets.get(batch.named.get(id) ?? '');
  if (!one?.isPlanned) return undefined;
  const verdict = verdictOf(run, batch, id);
  if (isSpared(run, one)) return isOpen(verdict) || verdict === 'doubtful' ? 'excepted' : undefined;
  return isOpen(verdict) && one.doubt === 'since a look without them' ? 'spared' : undefined;
}

/** What is neither proven nor excepted is owed, whatever else is known. Odd lines were never agreed to. */
export function isOwed(verdict: Verdict): boolean {
  return verdict !== 'odd' && !SETTLED.includes(verdict);
}

/** The verdicts that some line has; each line must have one. */
function verdictsIn({ lines }: Run, tally: Tally): readonly Verdict[] {
  const sum = VERDICTS.reduce((all, verdict) => all + (tally[verdict] ?? 0), 0);
  if (sum !== lines) refuse(`lines without a verdict: ${lines - sum} of ${lines}`);
  return VERDICTS.filter((verdict) => (tally[verdict] ?? 0) > 0);
}

/** How a deletion ends: with 0 only if the service said of each line what was asked. The events of nobody stay. */
export function exitOf(run: Run, tally: Tally): 0 | 3 | 8 {
  const verdicts = verdictsIn(run, tally);
  if (!verdicts.every((one) => SETTLED.includes(one) || DONE.includes(one))) return 8;
  if (run.options.ignoreMissing) return 0;
  if (verdicts.every((one) => one === 'nobody')) return 3;
  return run.options.events && verdicts.includes('nobody') ? 8 : 0;
}

/** How a request over several projects ends: nobody was found only if in none of them. */
export function exitOfRequest(exits: readonly (0 | 3 | 8)[]): 0 | 3 | 8 {
  return exits.find((exit) => exit === 8) ?? (exits.includes(0) ? 0 : 3);
}

/** On which stores it rests that nothing is owed. Throws as long as something is. */
export function prove(run: Run, tally: Tally): { readonly stores: readonly StoreName[] } {
  const owed = verdictsIn(run, tally).filter(isOwed);
  if (owed.length > 0) refuse(`lines are owed: ${owed.map((one) => `${tally[one]} ${one}`).join(', ')}`);
  return { stores: run.stores };
}

/** What is still to be asked about a batch, or about the persons of one call. */
export function questionsOf(run: Run, batch: Batch, call?: number): Questions {
  const all = [...batch.targets.values()].filter((one) => call === undefined || one.call === call);
  const owed = all.filter((one) => one.standing !== 'in flight' && isOwed(verdictOn(run, one)));
  const open = owed.filter((one) => isUndone(one) && !isSpared(run, one));
  const old = open.filter(({ doubt }) => doubt !== undefined && doubt !== 'since a look without them');
  const called = owed.filter((one) => run.options.events && one.calls > 0 && !one.areEventsGone);
  const notFree = (store: StoreName) => {
    if (run.options.keep || !run.stores.includes(store)) return [];
    const ids: string[] = [];
    for (const one of owed) for (const id of one.ids) if (!one.free[store].includes(id)) ids.push(id);
    return ids;
  };
  return {
    beforeSending: old.map(({ uuid }) => uuid),
    alone: open.filter(({ doubt, hasMore }) => doubt === undefined && hasMore).map(({ uuid }) => uuid),
    free: { list: notFree('list'), sql: notFree('sql') },
    events: called.map(({ uuid, ids, time }) => ({ uuid, ids, time })),
  };
}
