import type { PersonReference } from '../../cli/command/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { checkPlace } from '../../erasure/create-run.ts';
import { CliError } from '../../errors.ts';
import { persons } from '../../service/persons.ts';
import { type DeletionFlags, deleteOne } from '../runs/steps/delete-one.ts';
import { refuseOdd } from '../runs/steps/refuse-odd.ts';
import { findPersonId } from './find-person.ts';

export type PersonErasure = DeletionFlags & {
  readonly person: PersonReference;
  readonly ignoreMissing?: boolean | undefined;
  readonly allowOddIds?: boolean | undefined;
};

/** Finds, confirms and deletes one person, with a record. Throws `not-found` unless who is gone may be gone. */
export async function erasePerson(
  { person, ignoreMissing, allowOddIds, ...flags }: PersonErasure,
  context: Context,
): Promise<void> {
  refuseOdd(person, allowOddIds);
  const events = flags.delete_events ? ' and request the deletion of their events' : '';
  if (!context.dryRun) {
    context.requireConsent({ action: `delete this person${events}` });
    const { now, random, owner } = context;
    checkPlace({ stateDirectory: context.stateDirectory() }, { now, random, owner });
  }
  try {
    const id = await findPersonId(person, context);
    await context.confirm({ action: `delete person ${id}${events}` });
    await deleteOne(id, flags, context);
  } catch (failure) {
    if (!ignoreMissing || !(failure instanceof CliError) || failure.kind !== 'not-found') throw failure;
    await proveProject(context);
    context.report('The person is already gone.');
  }
}

/** A wrong host or project answers 404 as well; only a project that lists its persons can have lost one. */
async function proveProject(context: Context): Promise<void> {
  const client = await context.client();
  await client.call(persons.list, { limit: 1 });
}
