import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { pullFiles } from '../../insights/pull.ts';
import { insights } from '../../service/insights.ts';
import { platform } from '../../service/platform.ts';

export const pullInsights = defineCommand({
  name: 'pull',
  endpoints: [insights.list, platform.cohorts, platform.actions],
  summary: 'Write the definitions of all insights to files',
  description: helpText('commands/insights/pull'),
  examples: ['insights pull insights', 'insights pull insights --force', 'insights pull insights --dry-run'],
  arguments: { directory: { type: 'file', placeholder: 'dir', description: 'Folder for the files' } },
  omit: insights.list.parameters.map(({ name }) => name),
  options: { force: { type: 'flag', description: 'Overwrite edits that were not pushed' } },
  ownRows: true,
  run: ({ directory, force = false }, context) => pullFiles(directory, { force }, context),
});
