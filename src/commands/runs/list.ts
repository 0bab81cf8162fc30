import { defineCommand } from '../../cli/command/define-command.ts';
import { listRuns, type RunSummary } from '../../erasure/find-run.ts';
import { projectText } from '../../erasure/plan.ts';

export const listRunsCommand = defineCommand({
  name: 'list',
  endpoints: [],
  summary: 'List the runs on this computer, oldest first',
  examples: ['runs list', 'runs list -o json'],
  async run(_input, context) {
    const runs = listRuns(context.stateDirectory(), { owner: context.owner });
    await context.print(runs.map(summaryRow), [
      { key: 'run', kind: 'id' },
      { key: 'project' },
      { key: 'ids' },
      { key: 'state' },
      { key: 'planned_at' },
    ]);
  },
});

function summaryRow({ id, path, problem, plan, outcome, atWork, verified, hasIds }: RunSummary) {
  return {
    run: id,
    project: plan ? projectText(plan.project) : null,
    ids: plan?.unique ?? null,
    state: problem ?? (atWork ? 'at work' : (outcome?.verdict ?? null)),
    planned_at: plan?.createdAt ?? null,
    host: plan?.host ?? null,
    verified: verified ?? null,
    has_ids: hasIds ?? null,
    directory: path,
  };
}
