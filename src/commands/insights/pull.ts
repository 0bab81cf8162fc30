import { defineCommand } from '../../cli/command/define-command.ts';
import { currentOrigin } from '../../insights/carry-over.ts';
import { definitionOf, readFolder } from '../../insights/definition-files.ts';
import {
  planPull,
  readNames,
  readService,
  refuseOtherFiles,
  showPulled,
  writePulled,
} from '../../insights/pull.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const pullInsights = defineCommand({
  name: 'pull',
  endpoints: [insights.list, platform.cohorts, platform.actions],
  summary: 'Write the definitions of all insights to files',
  description:
    'One JSON file for each insight, with its short id, its project and the version it came from, and the names of the\ncohorts and actions it uses. A file keeps the name you give it.\nEdits that were not pushed are not overwritten without --force.',
  examples: ['insights pull insights', 'insights pull insights --force', 'insights pull insights --dry-run'],
  arguments: { directory: { type: 'file', placeholder: 'dir', description: 'Folder for the files' } },
  omit: insights.list.parameters.map(({ name }) => name),
  options: { force: { type: 'flag', description: 'Overwrite edits that were not pushed' } },
  async run({ directory, force = false }, context) {
    const local = (await readFolder(directory, context)) ?? [];
    await refuseOtherFiles(local, context);
    const { insights: present } = await readService(
      local.map(({ shortId }) => shortId),
      context,
    );
    const names = await readNames([...present.values()].map(definitionOf), context);
    const project = await currentOrigin(context);
    const plan = planPull({ directory, local, present, project, names, force });
    if (!context.dryRun) await writePulled(plan, context);
    await showPulled(plan, { local, present }, context);
  },
});
