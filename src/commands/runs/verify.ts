import { defineCommand } from '../../cli/command/define-command.ts';
import { withRun } from '../../erasure/find-run.ts';
import { withGivenPeople } from '../../erasure/given-ids.ts';
import { idSourceOptions } from '../../erasure/options.ts';
import { verifyAndShow } from '../../erasure/show-outcome.ts';
import { countOpen } from '../../erasure/tasks.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';

export const verifyRunCommand = defineCommand({
  name: 'verify',
  endpoints: [persons.list, persons.get, platform.deletionStatus],
  summary: 'Ask the service whether anybody of a run is left, and whether events have gone',
  description:
    'When it holds and nothing is left to send, the ids are removed from the record; --keep-ids keeps them. Where the\nrecord has lost its ids, they are given again: those that do not belong to the run are refused.',
  examples: [
    'runs verify 20261128T120000Z',
    'runs verify 20261128T120000Z --keep-ids -o json',
    'runs verify 20261128T120000Z --distinct-ids user_1',
  ],
  arguments: {
    run: { type: 'text', offers: 'run', description: 'Id of the run, or its start, or its directory' },
  },
  omit: ['distinct_id', 'email', 'search', 'properties', 'limit', 'offset', 'include_total'],
  options: { ...idSourceOptions, keepIds: { type: 'flag', description: 'Keep the ids in the record' } },
  async run({ run: called, keepIds, ...sources }, context) {
    await withRun(called, context, async (run, name) => {
      await verifyAndShow(await withGivenPeople(run, sources, context), name, context);
      if (!keepIds && !run.plan.keepIds && countOpen(run.state()) === 0) run.dropIds();
    });
  },
});
