import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { insightFieldNames } from '../../insights/answers/insight.ts';
import { nodeOptions } from '../../insights/answers/query-node.ts';
import { readPushed } from '../../insights/definitions/files.ts';
import { pushFiles } from '../../insights/push.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const pushInsights = defineCommand({
  name: 'push',
  endpoints: [
    insights.update,
    insights.create,
    insights.list,
    platform.cohorts,
    platform.actions,
    platform.eventDefinitions,
    platform.propertyDefinitions,
    platform.query,
    platform.insightVariables,
  ],
  summary: 'Update insights from their files',
  description: helpText('commands/insights/push'),
  examples: [
    'insights push insights',
    'insights push insights --dry-run',
    'insights push insights --prune --project shop --yes',
  ],
  arguments: { directory: { type: 'file', placeholder: 'dir', description: 'Folder with the files' } },
  omit: insightFieldNames,
  options: {
    force: { type: 'flag', description: 'Overwrite insights changed since, or that share a name' },
    prune: { type: 'flag', description: 'Soft-delete insights that have no file' },
    unchecked: nodeOptions.unchecked,
  },
  async run({ directory, force = false, prune = false, unchecked = false }, context) {
    await pushFiles(await readPushed(directory, prune, context), { force, prune, unchecked }, context);
  },
});
