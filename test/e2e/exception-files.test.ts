import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { person, queryOf, startWithoutSql, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { inlineRows, makeWorkbook, sheetOf } from '../support/workbook.ts';

const PEOPLE = [1, 2, 3].map(person);

function answer(received: Received): StubAnswer {
  if (received.url.includes('/bulk_delete/')) return allDeleted(received);
  const byId = PEOPLE.find(({ uuid }) => received.url.includes(`/persons/${uuid}/`));
  if (byId !== undefined) return { json: byId };
  const asked = queryOf(received);
  const [distinctId, email] = ['distinct_id', 'email'].map((name) => asked.get(name));
  const results = PEOPLE.filter(
    (one) =>
      (!distinctId || one.distinct_ids.includes(distinctId)) && (!email || one.properties.email === email),
  );
  return { json: { next: null, results: asked.has('search') ? [] : results } };
}

type Rows = readonly (readonly string[])[];

/** A workbook of two sheets. */
function book([first, firstRows]: readonly [string, Rows], [second, secondRows]: readonly [string, Rows]) {
  return makeWorkbook({
    rows: inlineRows(firstRows),
    sheets: `<sheets><sheet name="${first}" sheetId="1" r:id="rId1"/><sheet name="${second}" sheetId="2" r:id="rId2"/></sheets>`,
    others: { 'xl/worksheets/sheet2.xml': sheetOf(inlineRows(secondRows)) },
  });
}

const README: readonly [string, Rows] = ['Read me', [['Requests of week 47'], ['ask Ana']]];
const REQUESTS: Rows = [
  ['Ticket', 'E-mail address'],
  ['R-1', 'user_1@example.org'],
  ['R-2', 'user_2@example.org'],
];
const LIST = book(README, ['Requests', REQUESTS]);
const ASKED = '--from FOLDER/list.xlsx --as emails --column "E-mail address"';

async function start(files: Readonly<Record<string, string | Buffer>>) {
  const service = await startWithoutSql([answer]);
  const folder = temporaryDirectory();
  for (const [name, content] of Object.entries({ 'list.xlsx': LIST, ...files }))
    writeFileSync(join(folder, name), content);
  const run = (words: string) =>
    service.hogctl(`persons bulk-delete ${words} --yes`.replaceAll('FOLDER', folder));
  const deleted = () => service.log.filter(({ url }) => url.includes('/bulk_delete/')).flatMap(idsOf);
  return { ...service, run, deleted };
}

describe('the file of --except', () => {
  it.each([
    ['has a column of its own', 'hold.csv', 'case;email\nC-1;user_2@example.org\n', ''],
    ['is called like that of the list', 'hold.csv', 'email,e-mail address\nx,user_2@example.org\n', ''],
    ['is a list', 'hold.txt', 'user_2@example.org\n', ''],
    ['has one column', 'hold.csv', 'E-Mail\nuser_2@example.org\n', ''],
    [
      'holds another kind',
      'hold.csv',
      'user_id\nuser_2\n',
      '--except-as distinct-ids --except-column user_id',
    ],
    ['holds objects', 'hold.json', '{"case":"C-1","email":"user_2@example.org"}\n', ''],
    [
      'is a workbook with sheets of its own',
      'hold.xlsx',
      book(
        ['Cases', [['case'], ['C-1']]],
        [
          'Hold',
          [
            ['case', 'phone', 'customer e-mail'],
            ['C-1', '', 'user_2@example.org'],
          ],
        ],
      ),
      '',
    ],
    [
      'is a workbook whose sheet and column are named',
      'hold.xlsx',
      book(
        [
          'Old',
          [
            ['who', 'email'],
            ['x', 'y'],
          ],
        ],
        [
          'Hold',
          [
            ['who', 'email'],
            ['user_2@example.org', ''],
          ],
        ],
      ),
      '--except-sheet Hold --except-column who',
    ],
  ])('is read by itself: it %s', async (_, name, content, words) => {
    const { run, deleted } = await start({ [name]: content });
    const { code, stderr } = await run(`${ASKED} --except FOLDER/${name} ${words}`);
    expect([code, deleted()], stderr).toEqual([0, ['1']]);
    expect(stderr).toContain('1 person excepted\n');
  });

  it.each([
    ['nofile.csv', '', ['cannot read'], ['damaged', '--sheet', '--column']],
    [
      'hold.txt',
      '--except-sheet Hold',
      ['hold.txt is not a workbook', 'leave out --except-sheet'],
      ['damaged'],
    ],
    ['hold.txt', '--except-column who', ['no column "who"', 'leave out --except-column'], ['damaged']],
    ['two.csv', '', ['two.csv: the input has 2 columns: "case", "who"', '--except-column'], ['damaged']],
    ['two.csv', '--except-column x', ['two.csv: the input has no column "x"', '"case", "who"'], ['damaged']],
    ['odd.txt', '', ['looks damaged', 'correct the exceptions'], ['--odd', '--column']],
    ['odd.txt', '--odd send', ['looks damaged', 'correct the exceptions'], ['--odd']],
    [
      'hold.xlsx',
      '',
      ['several sheets of the workbook may be meant: "A", "B"', '--except-sheet'],
      ['damaged'],
    ],
    ['hold.xlsx', '--except-sheet C', ['has no sheet "C"', 'its sheets: A, B'], ['damaged']],
    ['empty.csv', '', ['empty.csv holds no addresses', 'check whether the file is complete'], ['--odd']],
  ])('is told what is wrong with it: %s %s', async (name, words, texts, others) => {
    const rows: Rows = [['email'], ['user_2@example.org']];
    const { run, log } = await start({
      'hold.txt': 'user_2@example.org\n',
      'two.csv': 'case,who\nC-1,user_2@example.org\n',
      'odd.txt': 'user_2@example.org\n#N/A\n',
      'hold.xlsx': book(['A', rows], ['B', rows]),
      'empty.csv': '',
    });
    const { code, stderr } = await run(`${ASKED} --except FOLDER/${name} ${words}`);
    expect([code, log], stderr).toEqual([2, []]);
    for (const text of texts) expect(stderr).toContain(text);
    for (const text of others) expect(stderr).not.toContain(text);
  });

  it('is read before anything is asked, and all that is wrong with any file is told at once', async () => {
    const { run, log } = await start({ 'hold.csv': 'email\nana@\n', 'b.csv': 'email\nnull\n' });
    const words = `${ASKED.replace('address', 'adress')} --from FOLDER/b.csv --except FOLDER/hold.csv`;
    const { code, stderr } = await run(words);
    expect([code, log]).toEqual([2, []]);
    expect(stderr).toContain('list.xlsx: no sheet of the workbook has a column "E-mail adress"');
    expect(stderr).toMatch(/b\.csv/);
    expect(stderr).toMatch(/hold\.csv/);
  });

  it('is of the kind of the list only if somebody may be found by it', async () => {
    const { run, deleted } = await start({ 'ids.txt': 'user_1\n', 'hold.txt': 'user_2@example.org\n' });
    const line = '--from FOLDER/ids.txt --as distinct-ids --except FOLDER/hold.txt';
    const { code, stderr } = await run(line);
    expect([code, deleted()]).toEqual([2, []]);
    expect(stderr).toContain('the exceptions spare no person');
    expect(stderr).toContain('add --except-as emails');
    expect(await run(`${line} --except-as distinct-ids`)).toMatchObject({ code: 0 });
    expect(deleted()).toEqual(['1']);
  });

  it.each(['--except-as emails', '--except-column email', '--except-sheet Hold'])(
    'is needed by %s',
    async (words) => {
      const { run, log } = await start({});
      const { code, stderr } = await run(`${ASKED} ${words}`);
      expect([code, log]).toEqual([2, []]);
      expect(stderr).toContain(`${words.split(' ')[0]} needs --except`);
    },
  );
});

describe('the sheet of a list', () => {
  it('is the only one that has the column, which a note names', async () => {
    const { run, deleted } = await start({});
    const { code, stderr } = await run(ASKED);
    expect([code, deleted()], stderr).toEqual([0, ['1', '2']]);
    expect(stderr).toContain('sheet "Requests" is read; not its other sheets: Read me\n');
    const unnamed = await run('--from FOLDER/list.xlsx --as emails');
    expect([unnamed.code, unnamed.stderr]).toEqual([
      2,
      expect.stringContaining('hint: sheet "Read me" is read; not its other sheets: Requests; '),
    ]);
  });

  it.each([
    ['another name', 'Mail', ['no sheet of the workbook has a column "Mail": "Read me", "Requests"']],
    ['several sheets', 'E-mail address', ['several sheets of the workbook may be meant: "Requests", "Old"']],
  ])('is not guessed: %s', async (_, column, texts) => {
    const list = column === 'Mail' ? LIST : book(['Requests', REQUESTS], ['Old', REQUESTS]);
    const { run, log } = await start({ 'list.xlsx': list });
    const { code, stderr } = await run(`--from FOLDER/list.xlsx --as emails --column '${column}'`);
    expect([code, log]).toEqual([2, []]);
    for (const text of texts) expect(stderr).toContain(text);
  });
});
