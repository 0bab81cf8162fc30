import { persons } from '../../api/endpoints/persons.ts';
import { platform } from '../../api/endpoints/platform.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { verifyRun } from '../../erasure/verify-run.ts';
import { CliError } from '../../errors.ts';
import { findEventDeletions } from './steps/find-event-deletions.ts';
import { makeLookUp } from './steps/look-up.ts';
import { refuseOtherProject } from './steps/refuse-other-project.ts';
import { withRun } from './steps/with-run.ts';

export const verifyRunCommand = defineCommand({
  name: 'verify',
  endpoints: [persons.list, persons.get, platform.deletionStatus],
  summary: 'Ask the service whether anybody of a run is left, and whether events have gone',
  description: 'When it holds, the ids are removed from the record; --keep-ids keeps them.',
  examples: ['runs verify 20261128T120000Z', 'runs verify 20261128T120000Z --keep-ids -o json'],
  arguments: { run: { type: 'text', description: 'Id of the run, or its start, or its directory' } },
  omit: ['distinct_id', 'email', 'search', 'properties', 'limit', 'offset', 'include_total'],
  options: { keepIds: { type: 'flag', description: 'Keep the ids in the record' } },
  async run({ run: name, keepIds }, context) {
    await withRun(name, context, async (run) => {
      const { dialect } = await context.settings();
      await refuseOtherProject(run, context);
      const answer = await verifyRun(run, {
        lookUp: await makeLookUp(context),
        findEventDeletions: dialect === 'live' ? await findEventDeletions(context) : undefined,
      });
      const { people, events, ...counts } = answer;
      await context.print({
        run: run.id,
        ...counts,
        events,
        people: people.map((person) => ({ ...person })),
      });
      if (!answer.holds)
        throw new CliError('check', `${people.length} persons of the run are left`, {
          hint: 'the service may still be at work; verify again later',
        });
      if (!keepIds && !run.plan.keepIds) run.dropIds();
    });
  },
});
