import { defineCommand } from '../../cli/command/define-command.ts';
import { withRunRecord } from '../../erasure/find-run.ts';
import { reconcile } from '../../erasure/outcome.ts';
import { planLines } from '../../erasure/plan.ts';
import { printOutcome } from '../../erasure/show-outcome.ts';
import { verificationsOf, verificationTitle } from '../../erasure/verify.ts';

export const showRun = defineCommand({
  name: 'show',
  endpoints: [],
  summary: 'Show what a run was to do and what came of it so far',
  examples: ['runs show 20261128T120000Z', 'runs show 20261128T120000Z -o json'],
  arguments: {
    run: { type: 'text', offers: 'run', description: 'Id of the run, or its start, or its directory' },
  },
  async run({ run: name }, context) {
    await withRunRecord(name, context, async (run) => {
      for (const line of planLines(run.plan)) context.note(line);
      const outcome = reconcile(run);
      context.note(`State: ${outcome.verdict}`);
      const { whole, partial } = verificationsOf(run);
      for (const one of [...(whole ? [whole] : []), ...partial]) context.note(verificationTitle(run, one));
      await printOutcome(run, outcome, context);
    });
  },
});
