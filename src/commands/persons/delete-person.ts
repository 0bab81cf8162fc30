import { persons } from '../../api/endpoints/persons.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { findPersonId } from './find-person.ts';

export const deletePerson = defineCommand({
  name: 'delete',
  endpoints: [persons.delete],
  summary: 'Delete one person, with a record that proves it',
  description:
    'Event deletion is a request: the service carries it out on Sundays at 05:00 UTC.\nWith --yes the project must be named by --project or HOGCTL_PROJECT.',
  examples: [
    'persons delete 42',
    'persons delete --distinct-id user_42 --delete-events --project shop --yes',
  ],
  arguments: { person: { type: 'person' } },
  options: { ignoreMissing: { type: 'flag', description: 'A person who is already gone is a success' } },
  graceful: true,
  async run({ person, ignoreMissing, ...flags }, context) {
    try {
      const id = await findPersonId(person, context);
      const events = flags.delete_events ? ' and request the deletion of their events' : '';
      await context.confirm({ action: `delete person ${id}${events}` });
      const { deleteOne } = await import('../runs/steps/delete-one.ts');
      await deleteOne(id, flags, context);
    } catch (failure) {
      if (!ignoreMissing || !(failure instanceof CliError) || failure.kind !== 'not-found') throw failure;
      await proveProject(context);
      context.report('The person is already gone.');
    }
  },
});

/** A wrong host or project answers 404 as well; only a project that lists its persons can have lost one. */
async function proveProject(context: Context): Promise<void> {
  const client = await context.client();
  await client.call(persons.list, { limit: 1 });
}
