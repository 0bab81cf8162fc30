import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { runArgument } from '../../erasure/options.ts';

export const reportRun = defineCommand({
  name: 'report',
  summary: 'Write the report of a run: Markdown, JSON, HTML, or CSV with a row for each id',
  description: helpText('commands/runs/report'),
  examples: [
    'runs report 20261128T120000Z --save report.html',
    'runs report 20261128T120000Z --save report.md',
    'runs report 20261128T120000Z -o csv --save report.csv',
  ],
  arguments: { run: runArgument },
  saves: ['md', 'html', 'htm'],
  paged: true,
  run: async ({ run }, context) => (await import('../../erasure/report.ts')).reportRunOrRequest(run, context),
});
