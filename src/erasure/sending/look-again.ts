import type { Context } from '../../cli/context.ts';
import { foreseen } from '../../errors.ts';
import { persons } from '../../service/persons.ts';
import { isNotThere, makeLookUp } from '../people/resolve.ts';
import type { LookedUp, LookUp } from '../people/sql.ts';
import { askedAs, type Entry } from '../record/entry.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { type Sending, stateOf, type Task } from '../record/state.ts';

export type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What a session has that is needed to send again. */
type Session = {
  readonly run: Run;
  readonly lookUp: () => Promise<LookUp>;
  /** Told why nobody could be looked up. */
  readonly cannotLook: (error: unknown) => void;
  readonly serviceTime: () => string | undefined;
};

/**
 * After a call, or in another session than that of the plan, an id may lead to somebody who never asked to be deleted. So
 * the ids are looked up, and what is sent is the people from before it. Nothing if they
 * cannot be looked up.
 */
export async function leaveOutGone(
  work: Session,
  task: Task,
  { planned, inDoubt }: { readonly planned: readonly Item[]; readonly inDoubt: Sending },
): Promise<readonly Item[] | undefined> {
  const { run } = work;
  const entries = planned.map(({ entry }) => entry);
  const now = await findAgain(work, entries);
  if (now === undefined) return undefined;
  const existing = planned.filter(({ entry }) => now.has(entry));
  const left = existing.filter(({ entry }) =>
    isMeant(work, entry, { person: now.get(entry), sending: inDoubt }),
  );
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const there = new Set(existing);
  const missing = planned.filter((item) => !there.has(item)).map(({ member }) => member);
  const found = { left: left.length, gone: missing.length, withheld, missing };
  run.append({ type: 'looked-up', ...task, ...found, serviceTime: work.serviceTime() });
  return left;
}

async function findAgain({ run, lookUp, cannotLook }: Session, entries: readonly Entry[]) {
  try {
    return await findByAnyId(run, entries, await lookUp());
  } catch (error) {
    cannotLook(error);
    return undefined;
  }
}

/** Whom the ids lead to now. Somebody whose id leads to no person may have been merged, and has other ids then. */
async function findByAnyId(run: RunRecord, entries: readonly Entry[], lookUp: LookUp) {
  const now = new Map((await findNow(entries, lookUp)).map(({ entry, person }) => [entry, person]));
  const missing = entries.filter((entry) => !now.has(entry));
  for (const { entry, person } of await findByOtherIds(missing, lookUp)) {
    const isPlanned = personMemberOf(run, entry) === run.memberOf('ids', person.uuid);
    if (isPlanned || !now.has(entry)) now.set(entry, person);
  }
  return now;
}

/**
 * A look-up of people who may have gone. A wrong project answers 404, too: only one that lists persons can have lost some.
 * `onSingle` is told that the service has no look-up of many.
 */
export async function makeLookUpOfGone(
  context: Context,
  onTime?: (time: string) => void,
  onSingle?: () => void,
): Promise<LookUp> {
  const { dialect } = await context.settings();
  const client = await context.client();
  const single = await makeLookUp(context, onTime, { isSingle: true });
  let many = dialect === 'live' ? await makeLookUp(context, onTime) : undefined;
  return async (batch) => {
    try {
      if (many !== undefined) return await many(batch);
    } catch (error) {
      // Older services have no look-up of many ids.
      if (!isNotThere(foreseen(error))) throw error;
      many = undefined;
      onSingle?.();
    }
    const found = await single(batch);
    if (batch.kind === 'ids' && found.length < batch.ids.length)
      await client.call(persons.list, { limit: 1 });
    return found;
  };
}

/** Whom ids of a run lead to now, asked for as they were given: somebody else may have one by now. */
export async function findNow(
  entries: readonly Entry[],
  lookUp: LookUp,
): Promise<readonly { readonly entry: Entry; readonly person: LookedUp }[]> {
  const found: { readonly entry: Entry; readonly person: LookedUp }[] = [];
  for (const kind of ['ids', 'distinct-ids'] as const) {
    const own = entries.filter((entry) => entry.kind === kind);
    if (own.length === 0) continue;
    const byId = new Map(own.map((entry) => [askedAs(entry), entry]));
    for (const person of await lookUp({ kind, ids: [...byId.keys()] })) {
      const entry = byId.get(person.id);
      if (entry !== undefined) found.push({ entry, person });
    }
  }
  return found;
}

/** Whom the other ids of their persons lead to, of those that the plan knows: several for one entry, if they were split. */
export async function findByOtherIds(entries: readonly Entry[], lookUp: LookUp): ReturnType<typeof findNow> {
  const others = entries.flatMap((entry) => {
    const { person } = entry;
    if (person === null) return [];
    const ids = person.distinctIds.map((id): Entry => ({ kind: 'distinct-ids', id, person: null }));
    const all: readonly Entry[] = [{ kind: 'ids', id: person.uuid, person: null }, ...ids];
    return all.filter(({ id }) => id !== askedAs(entry)).map((other) => ({ other, entry }));
  });
  const owners = new Map(others.map(({ other, entry }) => [other, entry]));
  const found = await findNow([...owners.keys()], lookUp);
  return found.flatMap(({ entry: other, person }) => {
    const entry = owners.get(other);
    return entry === undefined ? [] : { entry, person };
  });
}

/** Whether who is there now was there before; if that cannot be told, no: a deletion cannot be undone. */
function isMeant(
  { run }: Session,
  entry: Entry,
  { person, sending }: { readonly person: LookedUp | undefined; readonly sending: Sending },
): boolean {
  // No other person than the one whom the plan found can be sent.
  const isOther = personMemberOf(run, entry) !== run.memberOf('ids', person?.uuid ?? '');
  if (isOther) return false;
  const isLost = stateOf(sending) === 'unknown';
  const before = run.plan.serviceTime ?? (isLost ? sending.serviceTime : undefined);
  // Without a time, only a call that may have run leaves it in doubt who this is.
  if (before === undefined) return !isLost;
  // The service may give somebody who signs up again the same UUID. This computer's clock may be wrong by any time.
  return Date.parse(person?.createdAt ?? '') <= Date.parse(before);
}

/** How the person of an id appears in the record; null for no person. */
export function personMemberOf(run: RunRecord, { person }: Entry): string | null {
  return person && run.memberOf('ids', person.uuid);
}
