import type { IdKind } from './ids.ts';
import { plannedPersons } from './list-items.ts';
import type { RunRecord } from './run.ts';
import { type Part, partsOf, stateOf } from './run-state.ts';

export type FailedId = {
  readonly kind: IdKind;
  readonly id: string;
  readonly reason: 'failed' | 'unknown' | 'not sent' | 'refused' | 'withheld';
};

/**
 * The ids that a further run would have to be given: those not known to be done, and the people that the service could
 * not delete. With `withheld` also those created since, whom a resumed run spared. They are personal
 * data. Throws a `refused` error once the ids of the run were dropped.
 */
export function* failedIds(
  run: RunRecord,
  { withheld = false }: { readonly withheld?: boolean } = {},
): Generator<FailedId> {
  let uuids: ReadonlyMap<string, string> | undefined;
  for (const part of partsOf(run.state())) {
    const state = stateOf(part.sending);
    if (state !== 'done') yield* entriesOf(run, part, state === 'failed' ? 'refused' : state);
    else if (withheld && part.sending.withheld.length > 0) yield* withheldOf(run, part);
    if (part.errors.length === 0) continue;
    uuids ??= new Map(run.named().map((uuid) => [run.memberOf('ids', uuid), uuid]));
    yield* failedOf(run, part, uuids);
  }
}

/** As they are sent again: by uuid if the plan resolved them, else all ids of the part. */
function* failedOf(run: RunRecord, part: Part, uuids: ReadonlyMap<string, string>): Generator<FailedId> {
  const named = part.errors.flatMap(({ person }) => person ?? []);
  const isPlanned = named.length === 0 ? undefined : plannedPersons(run, run.entries(part.from, part.count));
  if (isPlanned === undefined) {
    if (named.length > 0) yield* entriesOf(run, part, 'failed');
    return;
  }
  for (const person of named) {
    const id = uuids.get(person);
    if (id !== undefined && isPlanned(id)) yield { kind: 'ids', id, reason: 'failed' };
  }
}

function* entriesOf(run: RunRecord, part: Part, reason: FailedId['reason']): Generator<FailedId> {
  for (const { kind, id } of run.entries(part.from, part.count)) yield { kind, id, reason };
}

function* withheldOf(run: RunRecord, part: Part): Generator<FailedId> {
  const members = new Set(part.sending.withheld);
  for (const { kind, id } of run.entries(part.from, part.count)) {
    if (members.has(run.memberOf(kind, id))) yield { kind, id, reason: 'withheld' };
  }
}
