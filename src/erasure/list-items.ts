import { type Entry, idToSend } from './entries.ts';
import { type IdKind, isUuid } from './ids.ts';
import { digestOf } from './members.ts';
import { findPart, type Task } from './resume-decision.ts';
import type { Run, RunRecord } from './run.ts';
import type { Part } from './run-state.ts';

export type Item = { readonly id: string; readonly member: string; readonly entry: Entry };

/** What one call is about to carry, and the digest that stands for it in the journal. */
export type Load = {
  readonly kind: IdKind;
  readonly items: readonly Item[];
  readonly digest: string;
  /** The people that a retry is about, if it carries all ids of its part. */
  readonly people?: number | undefined;
};

export type Loads = {
  /** The ids of a part, read now or made ready before. */
  readonly take: (task: Task) => Load;
  /** Reads the ids of a batch that will be sent next, while the answer to another is waited for. */
  readonly prepare: (batch: number) => void;
  readonly isReady: (batch: number) => boolean;
};

/** `named`: uuids that the service named among its errors, by their members. */
export function createLoads(run: Run, named: ReadonlyMap<string, string>): Loads {
  const ready = new Map<number, { readonly part: Part; readonly load: Load }>();
  const loadPart = (part: Part) => toLoad(part.kind, listPart(run, part));
  return {
    take(task) {
      const part = findPart(run.state(), task);
      if (task.retry) return loadRetry(run, part, named);
      const known = ready.get(task.batch);
      ready.delete(task.batch);
      // A batch may have been cut since.
      const isSame = known?.part.from === part.from && known.part.count === part.count;
      return known !== undefined && isSame ? known.load : loadPart(part);
    },
    prepare(batch) {
      const part = findPart(run.state(), { batch, part: 1 });
      ready.set(batch, { part, load: loadPart(part) });
    },
    isReady: (batch) => ready.has(batch),
  };
}

export function toLoad(kind: IdKind, items: readonly Item[], people?: number): Load {
  return { kind, items, digest: digestOf(items.map(({ member }) => member)), people };
}

/** How the person of an id appears in the record: null for nobody, undefined if nobody looked. */
export function personMemberOf(run: RunRecord, { kind, id, person, personMember }: Entry) {
  if (personMember !== undefined) return personMember;
  if (person) return run.memberOf('ids', person.uuid);
  if (kind === 'ids' && isUuid(id)) return run.memberOf('ids', id);
  return person;
}

/** Whether the record tells whose the ids are, so that a UUID in an answer can be compared with them. */
export function isResolved(run: RunRecord, entries: readonly Entry[]): boolean {
  return entries.every((entry) => personMemberOf(run, entry) !== undefined);
}

/** Tells the persons of some ids by UUID; nothing if somebody did not resolve them. */
export function plannedPersons(
  run: RunRecord,
  entries: readonly Entry[],
): ((uuid: string) => boolean) | undefined {
  const members = new Set(entries.map((entry) => personMemberOf(run, entry)));
  return members.has(undefined) ? undefined : (uuid) => members.has(run.memberOf('ids', uuid));
}

function listPart(run: Run, { from, count }: Part): readonly Item[] {
  return run.entries(from, count).map((entry) => ({
    id: idToSend(entry),
    member: run.memberOf(entry.kind, entry.id),
    entry,
  }));
}

/**
 * The people of the errors of a part, as uuids that the plan resolved. If it resolved none, the ids of the part
 * themselves: a UUID that only an answer names is never sent.
 */
function loadRetry(run: Run, part: Part, named: ReadonlyMap<string, string>): Load {
  const members = new Set(part.errors.flatMap(({ person }) => person ?? []));
  const own = listPart(run, part);
  const entries = own.map(({ entry }) => entry);
  const isPlanned = plannedPersons(run, entries);
  if (isPlanned === undefined) return toLoad(part.kind, own, members.size);
  // Ids that were given again may lack some of a part; their uuids were compared with the plan when they were given.
  const isWhole = entries.length === part.count;
  const items = [...members].flatMap((member): Item | readonly [] => {
    const id = named.get(member);
    if (id === undefined || (isWhole && !isPlanned(id))) return [];
    return { id, member, entry: { kind: 'ids', id } };
  });
  return toLoad('ids', items);
}
