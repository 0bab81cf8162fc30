import { defineCommand } from '../../cli/command/define-command.ts';
import { report, reportRows } from '../../erasure/report.ts';
import { reportMarkdown } from '../../erasure/report-markdown.ts';
import { withRunRecord } from './steps/with-run.ts';

export const reportRun = defineCommand({
  name: 'report',
  endpoints: [],
  summary: 'Write the evidence of a run: Markdown, JSON, or CSV with a row for each id',
  description:
    "It names nobody: ids appear as HMACs that only somebody with the run's check key can recognise. With --member-* the\nrow of one id is shown.",
  examples: [
    'runs report 20261128T120000Z --save report.md',
    'runs report 20261128T120000Z -o json',
    'runs report 20261128T120000Z -o csv --save report.csv',
  ],
  arguments: { run: { type: 'text', description: 'Id of the run, or its start, or its directory' } },
  async run({ run: name }, context) {
    await withRunRecord(name, context, async (run) => {
      const { output } = context.options;
      if (output === 'csv' || output === 'tsv' || output === 'ndjson')
        await context.print(inPages(reportRows(run)));
      else if (output === 'json') await context.print(report(run));
      else await context.printRaw(reportMarkdown(run));
    });
  },
});

async function* inPages<Row>(rows: Iterable<Row>): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < 1000) continue;
    yield page;
    page = [];
  }
  yield page;
}
