import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Option } from '../../src/cli/command/options.ts';
import { bulkDeletePersons } from '../../src/commands/persons/bulk-delete.ts';
import { deletePerson } from '../../src/commands/persons/delete.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { faultsOfPlan } from '../support/plan-keys.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';
import { makeWorkbook } from '../support/workbook.ts';

const NOW = Date.parse('2026-06-18T12:00:00Z');

/** Every text of theirs holds the letters "zqzqzq", which nothing else does. */
const people = [1, 2, 3].map((number) => ({
  distinct_ids: [`zqzqzq-user-${number}`, `zqzqzq-phone-${number}`],
  properties: { email: `zqzqzq${number}@example.org`, plan: 'zqzqzq-plan' },
}));

async function start() {
  const sandbox = await borrowSandbox({
    dialect: 'live',
    now: new Date(NOW).toISOString(),
    data: { persons: [...people, { distinct_ids: ['other'], properties: { email: 'other@example.org' } }] },
  });
  onTestFinished(() => sandbox.stop());
  const [state, folder] = [temporaryDirectory(), temporaryDirectory()];
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  let minute = 0;
  const hogctl = (line: string) => {
    minute += 1;
    const now = NOW + minute * 60_000;
    const words = splitWords(line).map((word) => word.replace('FOLDER', folder));
    const environment = { ...sandboxEnvironment(sandbox, 'live'), HOGCTL_STATE_DIR: state };
    return runProgram(words, { now: () => now, environment });
  };
  const { stdout } = await hogctl('persons list -o json');
  const uuids = JSON.parse(stdout).map(({ uuid }: { uuid: string }) => uuid);
  return { hogctl, state, folder, write, uuids };
}

const rows = '<row r="1"><c r="A1" t="inlineStr"><is><t>zqzqzqcolumn</t></is></c></row>';
const row2 = '<row r="2"><c r="A2" t="inlineStr"><is><t>zqzqzq-user-1</t></is></c></row>';

const lines = [
  'persons bulk-delete --emails zqzqzq1@example.org,zqzqzq2@example.org',
  'persons bulk-delete --distinct-ids zqzqzq-user-1,zqzqzq-phone-2',
  'persons bulk-delete --ids UUID',
  'persons bulk-delete UUID',
  'persons bulk-delete --from FOLDER/list.csv --as emails --column zqzqzqmail --odd skip --encoding windows-1252 --receipt FOLDER/receipt.csv',
  'persons bulk-delete --from FOLDER/list.csv --as distinct-ids --column zqzqzqcolumn --odd send --trim --received-column zqzqzqday --received 2026-06-02',
  'persons bulk-delete --from FOLDER/book.xlsx --as distinct-ids --sheet Requests --column zqzqzqcolumn',
  'persons bulk-delete --search zqzqzq-user-1 --max 9',
  'persons bulk-delete --property plan=zqzqzq-plan --max 9',
  `persons bulk-delete --properties '[{"key":"email","value":"zqzqzq1@example.org","operator":"exact","type":"person"}]' --max 9`,
  'persons bulk-delete --distinct-ids zqzqzq-user-1,zqzqzq-user-2 --except FOLDER/spared.csv --except-as emails --except-column zqzqzqmail',
  'persons bulk-delete --distinct-ids zqzqzq-user-1,zqzqzq-user-2 --except FOLDER/book.xlsx --except-as distinct-ids --except-column zqzqzqcolumn --except-sheet Requests',
  'persons bulk-delete --distinct-ids zqzqzq-user-1 --received 2026-06-01 --deadline 30d --rate 60 --concurrency 2 --by operator',
  'persons delete --distinct-id zqzqzq-user-1',
  'persons delete --email zqzqzq1@example.org --odd send --received 2026-06-01',
];

/** The record but the list that `runs resume` sends, and the report in each of its forms. */
async function told({ hogctl, state, folder }: Awaited<ReturnType<typeof start>>) {
  const [run = ''] = readdirSync(join(state, 'runs'));
  const names = readdirSync(join(state, 'runs', run)).filter((name) => name !== 'ids');
  const files = names.map((name) => [name, readFileSync(join(state, 'runs', run, name), 'utf8')] as const);
  const forms = ['', '-o json', '-o csv', '--save FOLDER/page.html'];
  const reports = await Promise.all(
    forms.map(async (form) => [form, await hogctl(`runs report last ${form}`)] as const),
  );
  return new Map([
    ...files,
    ...reports.map(
      ([form, { code, stdout, stderr }]) => [`report ${form}`, `${code}${stdout}${stderr}`] as const,
    ),
    ['page', readFileSync(join(folder, 'page.html'), 'utf8')],
  ]);
}

describe('what is kept and told of a deletion names nobody', () => {
  it.each(lines)('%s', async (line) => {
    const place = await start();
    place.write(
      'list.csv',
      'zqzqzqmail,zqzqzqcolumn,zqzqzqday,ticket\nzqzqzq1@example.org,zqzqzq-user-1 ,2026-06-01,zqzqzq-1041\nnull,zqzqzq-user-3,,zqzqzq-1042\n',
    );
    place.write('spared.csv', 'zqzqzqmail\nzqzqzq1@example.org\n');
    place.write('book.xlsx', makeWorkbook({ rows: rows + row2 }));
    const { code, stderr } = await place.hogctl(
      `${line.replace('UUID', place.uuids[0])} --delete-events --yes`,
    );
    expect([0, 8], stderr).toContain(code);
    const texts = await told(place);
    expect(faultsOfPlan(JSON.parse(texts.get('plan.json') ?? '')), 'see test/support/plan-keys.ts').toEqual(
      [],
    );
    const secrets = ['zqzqzq', ...place.uuids];
    const naming = [...texts].flatMap(([name, text]) =>
      text.split('\n').flatMap((written) => {
        const isNaming = secrets.some((secret) => written.toLowerCase().includes(secret));
        return isNaming ? [`${name}: ${written.trim()}`] : [];
      }),
    );
    expect(naming, 'these hold a cell of the list; keep counts, times and HMACs').toEqual([]);
  });

  it('is tried with every option that takes a text, a list or a file', () => {
    const withTexts = Object.entries<Option>({
      ...bulkDeletePersons.options,
      ...deletePerson.options,
    }).filter(([, { type }]) => !['flag', 'boolean', 'integer', 'number'].includes(type));
    const flag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `;
    const missing = withTexts
      .map(([name]) => name)
      .filter((name) => !lines.some((line) => line.includes(flag(name))));
    // Names of stored projects.
    expect(missing, 'add a line with these options').toEqual(['projects']);
  });
});
