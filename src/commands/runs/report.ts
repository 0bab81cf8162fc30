import { defineCommand } from '../../cli/command/define-command.ts';
import { idSourceOptions, runArgument } from '../../erasure/options.ts';

export const reportRun = defineCommand({
  name: 'report',
  summary: 'Write the report of a run: Markdown, JSON, HTML, or CSV with a row for each id',
  description:
    'The report names no person: ids appear as HMACs, which only the check key of the run can recognise. Give an id to show\nits row, which proves that it was in the run. An id that was not in the run is refused.',
  examples: [
    'runs report 20261128T120000Z --save report.html',
    'runs report 20261128T120000Z --save report.md',
    'runs report 20261128T120000Z -o csv --save report.csv',
    'runs report 20261128T120000Z --distinct-ids user_42',
  ],
  arguments: { run: runArgument },
  options: idSourceOptions,
  saves: ['md', 'html', 'htm'],
  paged: true,
  run: async (input, context) => (await import('../../erasure/report.ts')).reportRunOrCase(input, context),
});
