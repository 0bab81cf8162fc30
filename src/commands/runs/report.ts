import { defineCommand } from '../../cli/command/define-command.ts';
import { idSourceOptions } from '../../erasure/options.ts';

export const reportRun = defineCommand({
  name: 'report',
  endpoints: [],
  summary: 'Write the evidence of a run: Markdown, JSON, a page, or CSV with a row for each id',
  description:
    "It names nobody: ids appear as HMACs that only somebody with the run's check key can recognise. With an id given,\nthe row of that id is shown, which proves that it was in the run; an id that was not is refused.",
  examples: [
    'runs report 20261128T120000Z --save report.html',
    'runs report 20261128T120000Z --save report.md',
    'runs report 20261128T120000Z -o csv --save report.csv',
    'runs report 20261128T120000Z --distinct-ids user_42',
  ],
  arguments: {
    run: {
      type: 'text',
      offers: 'run or case',
      description: 'Id of the run, or its start, or its directory, or last; or a case',
    },
  },
  options: idSourceOptions,
  saves: ['md', 'html', 'htm'],
  run: async (input, context) => (await import('../../erasure/show-case.ts')).reportRunOrCase(input, context),
});
