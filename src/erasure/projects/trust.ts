import type { Context } from '../../cli/context.ts';
import { counted, usageError } from '../../errors.ts';
import type { Column, Json } from '../../json/kinds.ts';
import type { KnownPerson } from '../input/given.ts';
import { describePeople, MOST_SHOWN } from '../people/describe.ts';
import { cut } from '../people/sql.ts';
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
  if (context.options.yes || !context.terminal.interactive)
    throw usageError(
      `run ${run.id} was not made by this user on this computer, and its people would be sent unseen`,
      'add --trust-record if you know who made it, or run this at a terminal without --yes',
    );
  const { persons } = run.plan.resolved;
  context.note(`${counted(persons, 'person')} of this run:`);
  for (const line of describePeople(await findFirst(run, context), persons)) context.note(line);
}

async function findFirst(run: RunRecord, context: Context): Promise<readonly KnownPerson[]> {
  const people: KnownPerson[] = [];
  for await (const { uuid, shown } of peopleOf(run, context)) {
    people.push(shown ?? { uuid, distinctIds: [], name: 'nobody now' });
    if (people.length === MOST_SHOWN) break;
  }
  return people;
}

/** The people of a plan, and how the person list shows each now. Throws a `refused` error once the ids are gone. */
async function* peopleOf(run: RunRecord, context: Context) {
  const uuids = new Set<string>();
  for (const { person } of run.entries(0, run.plan.members.count)) if (person) uuids.add(person.uuid);
  const { list } = await openListStore(context);
  for (const some of cut([...uuids], AT_ONCE)) {
    const asked = some.map((id) => ({ kind: 'ids' as const, id }));
    const answers = await list(asked, { expect: 'there' });
    const found = new Map(
      answers.flatMap((answer) => answer.found.map((one) => [one.asked.id, one.person] as const)),
    );
    for (const uuid of some) yield { uuid, shown: found.get(uuid) };
  }
}

/** People of one question to the list, of which a look adds one. */
const AT_ONCE = 100;

/** Prints whom a run is about, for somebody who checks its plan: as the person list shows them now. */
export async function printPeople(run: RunRecord, context: Context): Promise<void> {
  run.requireIds();
  async function* rows(): AsyncGenerator<readonly Json[]> {
    for await (const { uuid, shown } of peopleOf(run, context))
      yield [
        {
          person: uuid,
          name: shown?.name ?? null,
          email: shown?.email ?? null,
          created_at: shown?.createdAt ?? null,
          distinct_ids: shown?.distinctIds.length ?? null,
          is_there: shown !== undefined,
        },
      ];
  }
  await context.print(rows(), columns);
}

const columns: readonly Column[] = [
  { key: 'person', kind: 'id' },
  { key: 'name', prominent: true },
  { key: 'email', prominent: true },
  { key: 'created_at', title: 'created' },
  { key: 'distinct_ids', title: 'distinct ids' },
  { key: 'is_there', title: 'there' },
];
