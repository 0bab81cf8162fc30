import { defineCommand } from '../../cli/command/define-command.ts';
import { listRuns } from '../../erasure/find-run.ts';
import { openRun } from '../../erasure/run.ts';

export const pruneRuns = defineCommand({
  name: 'prune',
  endpoints: [],
  summary: 'Remove the ids from the records of old runs; journal, report and check key stay',
  description: 'Only runs that are done lose their ids, since an open one could not be resumed without them.',
  examples: ['runs prune --older-than 30', 'runs prune --older-than 30 --yes'],
  options: {
    olderThan: {
      type: 'integer',
      minimum: 0,
      placeholder: 'days',
      description: 'Planned at least so many days ago (30)',
    },
  },
  async run({ olderThan = 30 }, context) {
    const before = context.now() - olderThan * 24 * 3_600_000;
    const old = listRuns(context.stateDirectory(), { owner: context.owner }).filter(
      ({ plan, hasIds, isOpen, atWork }) =>
        plan && hasIds && !isOpen && !atWork && Date.parse(plan.createdAt) <= before,
    );
    if (old.length === 0) return context.note('No run has ids to remove.');
    await context.confirm({ action: `remove the ids from the records of ${old.length} runs`, local: true });
    for (const { path, id } of context.dryRun ? [] : old) {
      const run = openRun(path, { now: context.now, random: context.random, owner: context.owner });
      run.dropIds();
      run.close();
      context.report(`Removed the ids of run ${id}.`);
    }
  },
});
