import type { Context } from '../../cli/context.ts';
import { readTime } from '../../semantics/service-time.ts';
import { questionsOf } from '../core.ts';
import type { Batch, Sighting } from '../facts.ts';
import { type AskedId, idsOfPerson, type Look, type StoreAnswer, toSighting } from '../people/look.ts';
import { type ListStore, openListStore, openStores, type Stores } from '../people/stores.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { encodeSighting, idsOf } from '../record/sightings.ts';

/** Looks at the people of a run, and writes down whom each store shows. */
export type Looking = Readonly<ReturnType<typeof createLooking>>;

/** How long before this a call must have ended for people who are still there to count as failed. */
const OVERDUE = 24 * 60 * 60_000;

function createLooking(
  run: Run,
  context: Pick<Context, 'now'> & {
    readonly openList: () => Promise<ListStore>;
    readonly open: () => Promise<Stores>;
  },
) {
  let opened: Stores | undefined;
  let serviceTime: string | undefined;
  const moved = new Set<string>();
  /** Opens the stores once; one that did not answer when the run was planned is written down first. */
  const stores = async (): Promise<Stores> => {
    opened ??= await context.open();
    const found = opened;
    if (found.sql !== undefined && !run.core().stores.includes('sql'))
      run.append({ type: 'store', store: 'sql' });
    return found;
  };
  const ask = async (batch: number, look: Look, members: readonly string[], expect: 'there' | 'gone') => {
    if (members.length === 0) return [];
    const known = knownIds(run, batch);
    const answers = await look(
      members.flatMap((member) => known.get(member) ?? []),
      { expect },
    );
    for (const answer of answers) serviceTime = answer.serviceTime ?? serviceTime;
    for (const id of writeDown(run, batch, { answers, known, now: context.now() })) moved.add(id);
    return answers;
  };
  return {
    stores,
    /** Whether one request of the person list is about many, so that each call's people are looked at after it. */
    isByMany: async () => (await context.openList()).isByMany(),
    /** What the service's clock last said (ISO). */
    serviceTime: () => serviceTime,
    /** How many ids of persons of the plan the person list has shown with somebody else. */
    moved: () => moved.size,
    /** Asks the person list about those who have to be seen before they may be sent. */
    async beforeSending(batch: number): Promise<void> {
      const { list, alone } = await context.openList();
      const { run: core, batch: before } = run.standing(batch);
      await ask(batch, list, questionsOf(core, before).beforeSending, 'there');
      const { run: later, batch: after } = run.standing(batch);
      await ask(batch, alone, questionsOf(later, after).alone, 'there');
    },
    /** Asks each store about the ids that it has not shown free, of one call or of all. */
    async afterwards(batch: number, call?: number): Promise<void> {
      const { list, alone, sql } = await stores();
      const asked = () => questionsOf(run.core(), run.standing(batch).batch, call);
      await ask(batch, list, asked().free.list, 'gone');
      if (sql !== undefined) await ask(batch, sql.look, asked().free.sql, 'gone');
      await ask(batch, alone, asked().alone, 'there');
    },
    /** Asks each store about all ids of a batch, whatever is known of them. Returns what they showed. */
    async everybody(batch: number): Promise<readonly StoreAnswer[]> {
      const { list, sql } = await stores();
      const ids = () => idsOf(run.standing(batch).batch);
      const listed = await ask(batch, list, ids(), 'gone');
      return sql === undefined ? listed : [...listed, ...(await ask(batch, sql.look, ids(), 'gone'))];
    },
  };
}

type Written = {
  readonly answers: readonly StoreAnswer[];
  /** All ids that the batch leads to; those that came since are added. */
  readonly known: Map<string, AskedId>;
  readonly now: number;
};

/** Returns the ids of persons of the plan that somebody else has. */
function writeDown(run: Run, batch: number, { answers, known, now }: Written): readonly string[] {
  const overdue = overdueCalls(run, batch, now);
  return gather(answers).flatMap((answer) => {
    const sighting = toSighting(answer, run.memberOf);
    keepNew(run, known, answer);
    const { batch: before } = run.standing(batch);
    run.append({ type: 'saw', batch, ...encodeSighting(before, { ...sighting, overdue }) });
    return movedIn(before, sighting);
  });
}

/**
 * Answers of one look as one, which saves lines and time: those that had somebody known in them, and those from which
 * nobody is missing. Any other stays by itself, so that it tells nothing of who is not there.
 */
function gather(answers: readonly StoreAnswer[]): readonly StoreAnswer[] {
  const gathered: StoreAnswer[] = [];
  const others: StoreAnswer[] = [];
  for (const answer of answers) {
    const { store, asked, controls, found, serviceTime } = answer;
    const isSure = controls.length === 1 && (controls[0] === true || found.length === asked.length);
    const at = gathered.findIndex((one) => one.store === store);
    const known = gathered[at];
    if (!isSure) others.push(answer);
    else if (known === undefined) gathered.push(answer);
    else
      gathered[at] = {
        store,
        asked: [...known.asked, ...asked],
        controls: [known.controls[0] === true || controls[0] === true],
        found: [...known.found, ...found],
        serviceTime: laterOf(known.serviceTime, serviceTime),
      };
  }
  return [...gathered, ...others];
}

/** The end of a look is what counts: what came until then may be older than what it shows. */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  return (readTime(one) ?? 0) > (readTime(other) ?? 0) ? one : other;
}

/** The stores of a context, opened when they are first needed. */
export function lookingOf(run: Run, context: Context): Looking {
  let list: Promise<ListStore> | undefined;
  const openList = () => (list ??= openListStore(context));
  return createLooking(run, {
    now: context.now,
    openList,
    open: async () => openStores(context, await openList()),
  });
}

/** Calls that ended a day ago or earlier: whom they should have deleted is still there. */
function overdueCalls({ state }: Pick<RunRecord, 'state'>, batch: number, now: number): readonly number[] {
  return (state().lines.get(batch) ?? []).flatMap((line) =>
    line.type === 'answered' && now - Date.parse(line.at) >= OVERDUE ? line.call : [],
  );
}

/** All ids that a batch leads to, by how the record knows them. */
export function knownIds(run: RunRecord, batch: number): Map<string, AskedId> {
  const place = run.state().batches[batch - 1];
  const entries = place === undefined ? [] : run.entries(place.from, place.ids);
  const ids = entries.flatMap(({ kind, id, person, other }): AskedId[] => {
    const { uuid, distinctIds = [] } = person ?? other ?? {};
    const own: AskedId[] = distinctIds.map((one) => ({ kind: 'distinct-ids', id: one }));
    return [{ kind, id }, ...(uuid === undefined ? [] : [{ kind: 'ids' as const, id: uuid }]), ...own];
  });
  return new Map([...ids, ...run.seen()].map((one) => [run.memberOf(one.kind, one.id), one]));
}

/** Ids of persons of the plan whom the person list shows with somebody else. SQL may be behind, and tells nothing of that. */
function movedIn({ targets }: Batch, { store, found }: Sighting): readonly string[] {
  if (store === 'sql') return [];
  const owners = new Map(
    [...targets.values()].flatMap(({ isPlanned, ids, uuid }) =>
      isPlanned ? ids.map((id) => [id, uuid] as const) : [],
    ),
  );
  return found.flatMap(({ id, person }) => ((owners.get(id) ?? person.uuid) === person.uuid ? [] : id));
}

/** Ids that came since go into the private file first: without it they could not be asked about later. */
function keepNew(run: Run, known: Map<string, AskedId>, { found }: StoreAnswer): void {
  const fresh = new Map<string, AskedId>();
  for (const person of new Set(found.map((one) => one.person))) {
    for (const one of idsOfPerson(person)) {
      const member = run.memberOf(one.kind, one.id);
      if (!known.has(member)) fresh.set(member, one);
    }
  }
  for (const [member, one] of fresh) known.set(member, one);
  run.keepSeen([...fresh.values()]);
}
