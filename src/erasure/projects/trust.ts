import type { Context } from '../../cli/context.ts';
import { counted, usageError } from '../../errors.ts';
import type { KnownPerson } from '../input/given.ts';
import { describePeople, MOST_SHOWN } from '../people/describe.ts';
import { openListStore } from '../people/stores.ts';
import type { RunRecord } from '../record/open.ts';

/**
 * Shows whom a record leads to that was not made here: whoever wrote it could have named anybody. Throws a usage error if
 * nobody would see them.
 */
export async function showUntrusted(
  run: RunRecord,
  { trustRecord }: { readonly trustRecord?: boolean | undefined },
  context: Context,
): Promise<void> {
  if (run.isMadeHere || trustRecord === true) return;
  if (context.options.yes || !context.interactive)
    throw usageError(
      `run ${run.id} was not made by this user on this computer, and nobody would see its people`,
      'add --trust-record if you know who made it, or run this at a terminal without --yes',
    );
  const { persons } = run.plan.resolved;
  context.note(`${counted(persons, 'person')} of this run:`);
  for (const line of describePeople(await findFirst(run, context), persons)) context.note(line);
}

/** The first people of a plan, as the person list shows them now. */
async function findFirst(run: RunRecord, context: Context): Promise<readonly KnownPerson[]> {
  const uuids = new Set<string>();
  for (const { person } of run.entries(0, run.plan.members.count)) {
    if (person !== null && uuids.size < MOST_SHOWN) uuids.add(person.uuid);
  }
  const { list } = await openListStore(context);
  const asked = [...uuids].map((id) => ({ kind: 'ids' as const, id }));
  const shown = new Map(
    (await list(asked, { expect: 'there' })).flatMap(({ found }) =>
      found.map((one) => [one.asked.id, one.person] as const),
    ),
  );
  return [...uuids].map((uuid) => shown.get(uuid) ?? { uuid, distinctIds: [], name: 'nobody by now' });
}
