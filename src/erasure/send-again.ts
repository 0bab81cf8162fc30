import { isUuid } from '../service/endpoint.ts';
import { type Entry, type IdKind, isSendable } from './collect-ids.ts';
import { findNow } from './resolve.ts';
import type { Run, RunRecord } from './run.ts';
import type { Part, Sending, Task } from './run-state.ts';
import type { LookedUp, LookUp } from './sql-store.ts';

export type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What one call is about to carry. */
export type Load = {
  readonly kind: IdKind;
  readonly items: readonly Item[];
  /** The people that a retry is about, if it carries all ids of its part. */
  readonly people?: number;
};

/** What a session has that is needed to send again. */
type Session = {
  readonly run: Run;
  readonly lookUp: LookUp;
  readonly includeRecreated: boolean;
  /** Uuids that the service named among its errors, by their members. */
  readonly named: ReadonlyMap<string, string>;
};

/**
 * Long after a lost sending somebody may have come back under the same id, who never asked to be deleted. So the ids are
 * looked up, and what is sent again is the people from before it, unless the others were asked for.
 */
export async function leaveOutGone(
  work: Session,
  task: Task,
  { planned, lost }: { readonly planned: Load; readonly lost: Sending | undefined },
): Promise<Load> {
  const { run } = work;
  const items = planned.items.filter(({ entry }) => isSendable(entry));
  let existing = items;
  let left = items;
  if (lost !== undefined) {
    const entries = items.map(({ entry }) => entry);
    const now = new Map((await findNow(entries, work.lookUp)).map(({ entry, person }) => [entry, person]));
    existing = items.filter(({ entry }) => now.has(entry));
    left = existing.filter(({ entry }) => isMeant(work, entry, { person: now.get(entry), sending: lost }));
  }
  const kept = new Set(left);
  const withheld = existing.filter((item) => !kept.has(item)).map(({ member }) => member);
  const gone = planned.items.length - existing.length;
  run.append({ type: 'looked-up', ...task, left: left.length, gone, withheld });
  return { ...planned, items: left };
}

/** Whether who is there now was there before a sending; if that cannot be told, no: a deletion cannot be undone. */
function isMeant(
  { run, includeRecreated }: Session,
  entry: Entry,
  { person, sending }: { readonly person: LookedUp | undefined; readonly sending: Sending },
): boolean {
  const planned = personMemberOf(run, entry);
  // No other person than the one whom the plan resolved can be sent.
  const isOther = planned !== undefined && planned !== run.memberOf('ids', person?.uuid ?? '');
  if (isOther || includeRecreated) return !isOther;
  // The service may give somebody who signs up again the same UUID. This computer's clock may be wrong by any time.
  return Date.parse(person?.createdAt ?? '') <= Date.parse(sending.serviceTime ?? '');
}

/**
 * The people of the errors of a part, as uuids that the plan resolved. If it resolved none, the ids of the part
 * themselves: a UUID that only an answer names is never sent.
 */
export function loadRetry({ run, named }: Session, part: Part, own: Load): Load {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  const entries = own.items.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries);
  if (isPlanned === undefined) return { ...own, people: members.size };
  // Ids that were given again may lack some of a part; their uuids were compared with the plan when they were given.
  const isWhole = entries.length === part.count;
  const planned = new Map(own.items.map(({ id, entry }) => [personMemberOf(run, entry), id]));
  const items = [...members].flatMap((member): Item | readonly [] => {
    const uuid = named.get(member);
    if (uuid === undefined || (isWhole && !isPlanned(uuid))) return [];
    return { id: planned.get(member) ?? uuid, member, entry: { kind: 'ids', id: uuid } };
  });
  return { kind: 'ids', items };
}

/** How the person of an id appears in the record: null for no person, undefined if it was not looked up. */
export function personMemberOf(run: RunRecord, { kind, id, person, personMember }: Entry) {
  if (personMember !== undefined) return personMember;
  if (person) return run.memberOf('ids', person.uuid);
  if (kind === 'ids' && isUuid(id)) return run.memberOf('ids', id);
  return person;
}

/** Tells the persons of some ids by UUID; nothing if somebody did not resolve them. */
export function plannedPersons(
  run: RunRecord,
  entries: readonly Entry[],
): ((uuid: string) => boolean) | undefined {
  const members = new Set(entries.map((entry) => personMemberOf(run, entry)));
  return members.has(undefined) ? undefined : (uuid) => members.has(run.memberOf('ids', uuid));
}

/** Whether the record tells whose the ids are, so that a UUID in an answer can be compared with them. */
export function isResolved(run: RunRecord, entries: readonly Entry[]): boolean {
  return plannedPersons(run, entries) !== undefined;
}
