import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { bystander } from '../support/looked-up-people.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { conditionOf } from '../support/two-stores.ts';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';

const ofNobody = (received: Received): StubAnswer | undefined =>
  /[?&](?:email|search|properties)=/.test(received.url)
    ? { json: { next: null, results: [bystander].filter(conditionOf(received)) } }
    : undefined;

/** What a dry run makes of a list: its rows as `line given outcome`, and what is told. */
async function read(content: string | Buffer, words: string) {
  const service = await startWithPeople([(received) => ofNobody(received) ?? allDeleted(received)]);
  const file = join(temporaryDirectory(), 'list');
  writeFileSync(file, content);
  const line = `persons bulk-delete --from ${file} ${words} --dry-run -o csv --columns line,given`;
  const { code, stdout, stderr } = await service.hogctl(line);
  return { code, rows: stdout.trim().split('\n').slice(1), stderr, sent: service.log.length };
}

describe('columns parted by |', () => {
  it.each([
    ['customer|note\nd1|a\nd2|b\n', '--column customer'],
    ['note|distinct_id\na|d1\nb|d2\n', '--column Distinct_ID'],
  ])('are read if one of them is named: %j', async (content, words) => {
    const { code, rows } = await read(content, `--as distinct-ids ${words}`);
    expect({ code, rows }).toEqual({ code: 0, rows: ['2,d1', '3,d2'] });
  });

  it('are no ids if the first line names them and nothing chooses one', async () => {
    const named = await read('distinct_id|note\nd1|a\n', '--as distinct-ids');
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining('2 columns: "distinct_id", "note"'),
    ]);
    const like = await read('customer|note\nd1|a\nd2|b\nd3|c\n', '--as distinct-ids');
    expect([like.code, like.stderr]).toEqual([2, expect.stringContaining('looks like the name of a column')]);
  });

  it('are not made of ids that hold a bar', async () => {
    const { code, rows } = await read('auth0|5f7c\nauth0|60aa\n', '--as distinct-ids');
    expect({ code, rows }).toEqual({ code: 0, rows: ['1,auth0|5f7c', '2,auth0|60aa'] });
  });
});

describe('white space', () => {
  it('goes off both ends of an address, and stays with an id', async () => {
    const content = 'email,distinct_id\n  ana@example.org\u00a0,u1\nbo@example.org\t, u2\n';
    const addresses = await read(content, '--as emails --column email');
    expect(addresses.stderr).not.toContain('damaged');
    expect(addresses.rows.map((row) => row.split(',')[1])).toEqual(['ana@example.org', 'bo@example.org']);
    const ids = await read(content, '--as distinct-ids --column distinct_id');
    expect([ids.code, ids.stderr]).toEqual([2, expect.stringContaining('white space at its beginning')]);
  });
});

describe('numbers as programs write them', () => {
  it.each(['1.2345678E7', '1.0E7', '5E10', '2,5E7', '1.23E+15'])('are odd in a text: %s', async (id) => {
    const { code, sent, stderr } = await read(`distinct_id\n"${id}"\n`, '--as distinct-ids');
    expect([code, sent]).toEqual([2, 0]);
    expect(stderr).toContain('a number as a spreadsheet shortens it');
  });

  it('are no damage if letters or more digits make an id of them', async () => {
    const ids = ['1e10', '12E5', '4E2a', '123E4567'];
    const { code, rows } = await read(`${ids.join('\n')}\n`, '--as distinct-ids');
    expect([code, rows.length]).toEqual([0, 4]);
  });

  it('are the number that a workbook shows', async () => {
    const cells = ['1.2345678E7', '100.0', '4711', '5E10'].map(
      (digits) => `<row><c><v>${digits}</v></c></row>`,
    );
    const rows = `${inlineRows([['customer']])}${cells.join('')}`;
    const styles = '<cellXfs><xf numFmtId="0"/></cellXfs>';
    const book = await read(makeWorkbook({ rows, styles }), '--as distinct-ids --column customer');
    expect(book.rows, book.stderr).toEqual(['2,12345678', '3,100', '4,4711', '5,50000000000']);
  });
});

describe('--encoding', () => {
  const names = 'name;email\nMüller;j.müller@example.org\nÖz;oez@example.org\n';
  const rows = ['2,j.müller@example.org', '3,oez@example.org'];
  const words = '--as emails --column email';

  it('names how a text without a mark is written', async () => {
    const content = Buffer.from(names, 'latin1');
    const without = await read(content, words);
    expect([without.code, without.sent]).toEqual([2, 0]);
    expect(without.stderr).toContain('line 2 of the input is not valid UTF-8');
    expect(without.stderr).toContain('or name its encoding: --encoding windows-1252');
    const named = await read(content, `${words} --encoding windows-1252`);
    expect(named.rows, named.stderr).toEqual(rows);
    const utf16 = await read(Buffer.from(names, 'utf16le'), `${words} --encoding utf-16le`);
    expect(utf16.rows, utf16.stderr).toEqual(rows);
  });

  it('gives way to the mark of a text', async () => {
    for (const content of [Buffer.from(`\ufeff${names}`), Buffer.from(`\ufeff${names}`, 'utf16le')]) {
      const marked = await read(content, `${words} --encoding windows-1252`);
      expect(marked.rows, marked.stderr).toEqual(rows);
    }
  });

  it.each([
    ['--encoding klingon', 'the encoding "klingon" is not known'],
    ['--encoding shift_jis', 'not valid SHIFT_JIS'],
  ])('is refused if it does not fit: %s', async (more, text) => {
    const { code, sent, stderr } = await read(
      Buffer.from('a@example.org\n\xff\xff\n', 'latin1'),
      `--as emails ${more}`,
    );
    expect([code, sent, stderr]).toEqual([2, 0, expect.stringContaining(text)]);
  });

  it('is about files', async () => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl('persons bulk-delete --ids 1 --encoding utf-8 --yes');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--encoding needs --from')]);
  });

  it('holds for the exceptions, for the answer and for a look into the records', async () => {
    const service = await startWithPeople([allDeleted], { verifies: true });
    const folder = temporaryDirectory();
    const [list, hold] = ['list.csv', 'hold.csv'].map((name) => join(folder, name));
    writeFileSync(list ?? '', Buffer.from('name;id\nMüller;u1\nÖz;u2\n', 'latin1'));
    writeFileSync(hold ?? '', Buffer.from('name;id\nÖz;u2\n', 'latin1'));
    const from = `--from ${list} --as distinct-ids --column id --encoding windows-1252`;
    const deleted = await service.hogctl(`persons bulk-delete ${from} --except ${hold} --yes`);
    expect([deleted.code, deleted.stderr]).toEqual([0, expect.stringContaining('1 person excepted\n')]);
    const receipt = `--receipt ${folder}/answer.csv`;
    expect((await service.hogctl(`runs verify last ${from} ${receipt}`)).stderr).not.toContain('valid UTF-8');
    const found = await service.hogctl(`runs find ${from} -o csv --columns given`);
    expect([found.code, found.stdout]).toEqual([9, 'given\nu1\n']);
  });
});

it('a column beside one of the same name in another case is told', async () => {
  const { rows, stderr } = await read(
    'Email,email\nx@example.org,y@example.org\n',
    '--as emails --column email',
  );
  expect(rows, stderr).toEqual(['2,y@example.org']);
  expect(stderr).toContain('the column "email" is read, not "Email" beside it\n');
  const book = makeWorkbook({
    rows: inlineRows([
      ['Email', 'email'],
      ['x@example.org', 'y@example.org'],
    ]),
  });
  expect((await read(book, '--as emails --column Email')).stderr).toContain(
    'the column "Email" is read, not "email"',
  );
});
