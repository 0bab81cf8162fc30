import type { Context } from '../cli/context.ts';
import { counted } from '../errors.ts';
import type { IdKind } from './ids.ts';
import type { RunRecord } from './run.ts';
import { type Part, partsOf, stateOf } from './run-state.ts';
import { plannedPersons } from './tasks.ts';

type FailedId = {
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

/**
 * Writes the ids to feed back in, readable by their owner only: CSV that `--from --as` takes again, a file for each kind
 * if there are several. Where nothing failed the file holds its heading alone, so that an older one is not taken for it.
 */
export async function writeFailed(file: string, run: RunRecord, context: Context): Promise<void> {
  const kinds = new Map<IdKind, string[]>();
  for (const { kind, id } of failedIds(run)) {
    const ids = kinds.get(kind) ?? [];
    ids.push(id);
    kinds.set(kind, ids);
  }
  const [first = 'ids'] = run.plan.groups.map(({ kind }) => kind);
  if (kinds.size === 0) {
    await context.files.writePrivate(file, [heading(first)]);
    context.note(`No id is left to do: ${file} holds none.`);
  }
  for (const [kind, ids] of kinds) {
    const name = kinds.size > 1 ? `${file}.${kind}` : file;
    await context.files.writePrivate(name, [heading(kind), ...ids.map((id) => `${csvCell(id)}\n`)]);
    context.note(`${counted(ids.length, 'id')} to feed back in: --from ${name} --as ${kind}`);
  }
}

function heading(kind: IdKind): string {
  return kind === 'ids' ? 'id\n' : 'distinct_id\n';
}

/** Quoted always, so that every reader takes the file for CSV of one column. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
