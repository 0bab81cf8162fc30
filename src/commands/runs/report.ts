import { defineCommand } from '../../cli/command/define-command.ts';
import { withRunRecord } from '../../erasure/find-run.ts';
import { rowsOfPeople } from '../../erasure/given-ids.ts';
import { idSourceOptions } from '../../erasure/options.ts';
import { readPeople } from '../../erasure/read-people.ts';
import { inPages, report, reportRows } from '../../erasure/report.ts';
import { reportMarkdown } from '../../erasure/report-markdown.ts';

export const reportRun = defineCommand({
  name: 'report',
  endpoints: [],
  summary: 'Write the evidence of a run: Markdown, JSON, or CSV with a row for each id',
  description:
    "It names nobody: ids appear as HMACs that only somebody with the run's check key can recognise. With an id given,\nthe row of that id is shown, which proves that it was in the run; an id that was not is refused.",
  examples: [
    'runs report 20261128T120000Z --save report.md',
    'runs report 20261128T120000Z -o csv --save report.csv',
    'runs report 20261128T120000Z --distinct-ids user_42',
  ],
  arguments: {
    run: { type: 'text', offers: 'run', description: 'Id of the run, or its start, or its directory' },
  },
  options: idSourceOptions,
  saves: ['md'],
  async run({ run: name, ...sources }, context) {
    await withRunRecord(name, context, async (run) => {
      const { output } = context.options;
      const people = await readPeople(sources, context);
      if (people.length > 0) await context.print(rowsOfPeople(run, people));
      else if (output === 'csv' || output === 'tsv' || output === 'ndjson')
        await context.print(inPages(reportRows(run)));
      else if (output === 'json') await context.print(report(run));
      else await context.printRaw(reportMarkdown(run));
    });
  },
});
