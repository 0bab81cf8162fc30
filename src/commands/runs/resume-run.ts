import { persons } from '../../api/endpoints/persons.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { decideResume } from '../../erasure/resume-decision.ts';
import { carryingOptions } from '../persons/bulk-delete-options.ts';
import { carryOutAndShow } from './steps/carry-out-and-show.ts';
import { planLines } from './steps/plan-text.ts';
import { withRun } from './steps/with-run.ts';

export const resumeRun = defineCommand({
  name: 'resume',
  endpoints: [persons.bulkDelete],
  summary: 'Carry out what a run has not done yet, exactly as it was planned',
  description:
    'Goes to the host and project of the plan only; another key is fine. Where an answer was lost more than 15 minutes\nago the ids are looked up first, and people created since are spared.',
  examples: ['runs resume 20261128T120000Z', 'runs resume 20261128T120000Z --project shop --yes'],
  arguments: { run: { type: 'text', description: 'Id of the run, or its start, or its directory' } },
  omit: ['ids', 'distinct_ids', 'delete_events', 'delete_recordings', 'keep_person'],
  options: {
    ...carryingOptions,
    includeRecreated: { type: 'flag', description: 'Delete people created since, too' },
  },
  graceful: true,
  async run({ run: name, ...wish }, context) {
    await withRun(name, context, async (run) => {
      for (const line of planLines(run.plan)) context.note(line);
      const { idsToResend, idsToLookUp } = decideResume(run, context.now());
      const left = idsToResend + idsToLookUp;
      if (left === 0) context.note('Nothing is left to send.');
      else
        await context.confirm({
          action: `send the ${left} ids of run ${run.id} that are left`,
          type: String(left),
        });
      await carryOutAndShow(run, wish, context);
    });
  },
});
