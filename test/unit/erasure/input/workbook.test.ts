import { describe, expect, it } from 'vitest';
import { isWorkbook } from '../../../../src/erasure/input/text-lines.ts';
import { openSheet } from '../../../../src/erasure/input/workbook.ts';
import { readList } from '../../../support/read-list.ts';
import { inlineRows, makeWorkbook, makeZip, type WorkbookParts } from '../../../support/workbook.ts';

async function read(bytes: Uint8Array, sheet?: string) {
  const { name, others, rows } = await openSheet(bytes, { sheet, column: undefined });
  const lines: string[] = [];
  for await (const page of rows)
    for (const { line, cells } of page)
      lines.push(
        `${line}: ${Array.from(cells, (cell) => [cell?.text, cell?.doubtful].filter((one) => one !== undefined).join('/')).join('|')}`,
      );
  return { name, others, lines };
}

const linesOf = async (parts: WorkbookParts) => (await read(makeWorkbook(parts))).lines;

const STYLES =
  '<numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="DD.MM.YYYY"/></numFmts>' +
  '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="49"/><xf numFmtId="1"/></cellXfs>';

describe('a workbook', () => {
  it('shows texts as they are, with their spaces', async () => {
    expect(
      await linesOf({
        strings: [
          '<t xml:space="preserve"> ana@example.org </t>',
          '<r><t>bo</t></r><r><t>@x.org</t></r><rPh sb="0" eb="1"><t>BO</t></rPh>',
          '<t>a_x000D_b_x005F_</t>',
        ],
        rows: '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="5"><c t="s"><v>2</v></c><c t="inlineStr"><is><t>in</t></is></c><c t="str"><f>A1&amp;""</f><v>made &amp; up</v></c></row>',
      }),
    ).toEqual(['1:  ana@example.org ||bo@x.org', '5: a\rb_|in|made & up']);
  });

  it('shows numbers by their format, and the digits of the file if there is none', async () => {
    expect(
      await linesOf({
        styles: STYLES,
        rows: '<row><c s="1"><v>42</v></c><c><v>1234567890123456</v></c><c><v>1.2345678901234568E+18</v></c><c s="5"><v>123456789012345678</v></c><c s="4"><v>7</v></c></row>',
      }),
    ).toEqual(['1: 00042|1234567890123456|1.2345678901234568E+18|123456789012345678|7']);
  });

  it('tells dates, truth values and errors by their kind', async () => {
    const rows =
      '<row><c s="2"><v>45000</v></c><c t="d"><v>2026-03-01</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c s="3"><v>45000</v></c></row>';
    expect(await linesOf({ styles: STYLES, rows })).toEqual([
      '1: 15.03.2023/date|2026-03-01/date|TRUE/boolean|#N/A/error|3/15/2023/date',
    ]);
    const sheets =
      '<workbookPr date1904="1"/><sheets><sheet name="Requests" sheetId="1" r:id="rId1"/></sheets>';
    expect(await linesOf({ styles: STYLES, rows, sheets })).toEqual([
      expect.stringMatching(/^1: 16\.03\.2027\/date/),
    ]);
  });

  it('is read by its first sheet, or the one that is named, which must be if others are hidden', async () => {
    const sheets =
      '<sheets><sheet name="Old" sheetId="1" state="hidden" r:id="rId1"/><sheet name="New" sheetId="2" r:id="rId2"/></sheets>';
    const bytes = makeWorkbook({ rows: '', sheets });
    expect(await read(bytes, 'New')).toEqual({
      name: 'New',
      others: ['Old (hidden)'],
      lines: ['1: second'],
    });
    await expect(read(bytes)).rejects.toMatchObject({ message: 'the workbook hides its sheet "Old"' });
    await expect(read(bytes, 'Old')).rejects.toMatchObject({ message: 'the workbook hides its sheet "Old"' });
    await expect(read(bytes, 'new')).rejects.toMatchObject({
      message: 'the workbook has no sheet "new"',
      hint: 'its sheets: Old (hidden), New',
    });
  });

  it('names all sheets that it hides, and what it lacks if it hides all', async () => {
    const entry = (number: number, more: string) =>
      `<sheet name="S${number}" sheetId="${number}" ${more} r:id="rId1"/>`;
    const hidden = `${entry(1, 'state="hidden"')}${entry(2, 'state="veryHidden"')}`;
    const book = (sheets: string) => read(makeWorkbook({ rows: '', sheets: `<sheets>${sheets}</sheets>` }));
    await expect(book(hidden + entry(3, ''))).rejects.toMatchObject({
      message: 'the workbook hides its sheets "S1", "S2"',
    });
    await expect(book(hidden)).rejects.toMatchObject({
      message: 'the workbook has no sheet that can be seen',
      hint: 'its sheets: S1 (hidden), S2 (hidden)',
    });
  });

  it('may leave out what a number format, a style, a shared text or a row says', async () => {
    const styles =
      '<numFmts><numFmt/></numFmts><cellXfs><xf numFmtId="14"/><xf/><xf numFmtId="999"/></cellXfs>';
    const rows =
      '<row><c s="1"><v>7</v></c><c s="2"><v>8</v></c><c s="99"><v>9</v></c><c t="s"/><c t="b"><v>0</v></c></row>';
    expect(await linesOf({ styles, rows, strings: ['<t>unused</t>'] })).toEqual(['1: 7|8|9||FALSE/boolean']);
    expect(await linesOf({ rows: '' })).toEqual([]);
  });

  it('shows a formula that no program calculated, and nothing for one that gave an empty text', async () => {
    const rows =
      '<row><c><f>LOWER(B1)</f></c><c><f t="shared" si="0"/><v/></c><c t="str"><f>IF(B1="","",B1)</f><v></v></c></row>';
    expect(await linesOf({ rows })).toEqual(['1: =LOWER(B1)|=|']);
  });

  it.each([
    ['a text that it lacks', '<row><c t="s"><v>7</v></c></row>', 'it lacks the text of a cell'],
    ['a cell in small letters', '<row r="3"><c r="a3"/></row>', 'a cell of row 3 has no place of its own'],
    ['a cell without letters', '<row><c r="1"/></row>', 'a cell of row 1 has no place of its own'],
    ['a cell beyond all columns', '<row><c r="ZZZ1"/></row>', 'a cell of row 1 has no place of its own'],
    [
      'two cells in one place',
      '<row><c r="A1"/><c r="A1"/></row>',
      'a cell of row 1 has no place of its own',
    ],
    ['a row without a number', '<row r="x"/>', 'it has a row without a number'],
  ])('loses no cell without a word: %s', async (_, rows, why) => {
    await expect(read(makeWorkbook({ rows, strings: ['<t>a</t>'] }))).rejects.toMatchObject({
      kind: 'usage',
      message: `the workbook cannot be read: ${why}`,
    });
  });

  it('is refused with what is shown as nothing, and rows and columns without a size', async () => {
    const bytes = makeWorkbook({
      columns: '<cols><col min="3" max="3" width="0"/></cols>',
      styles:
        '<numFmts><numFmt numFmtId="164" formatCode=";;;"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>',
      rows: '<row><c s="0"><v>42</v></c></row><row ht="0"><c t="str"><v>a</v></c></row>',
    });
    await expect(read(bytes)).rejects.toMatchObject({
      message: 'sheet "Requests" hides row 2 and columns C and what stands in rows 1, 2',
    });
  });

  it('is refused with the rows and columns that it hides', async () => {
    const cell = '<c t="str"><v>a</v></c>';
    const bytes = makeWorkbook({
      columns: '<cols><col min="2" max="2" hidden="1"/><col min="27" max="30" hidden="1"/></cols>',
      rows: `<row>${cell}</row><row hidden="1">${cell}</row><row r="7" hidden="1"/><row r="9" hidden="true">${cell}</row>`,
    });
    await expect(read(bytes)).rejects.toMatchObject({
      kind: 'usage',
      message: 'sheet "Requests" hides rows 2, 9 and columns B, AA to AD',
    });
    const many = makeWorkbook({ rows: `<row hidden="1">${cell}</row>`.repeat(22) });
    await expect(read(many)).rejects.toMatchObject({ message: expect.stringMatching(/19, 20 and 2 more$/) });
  });

  it.each([
    ['an .xls workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /\.xls workbook/],
    ['an .ods workbook', makeZip({ mimetype: 'x', 'content.xml': '<a/>' }), /\.ods workbook/],
    ['a .numbers workbook', makeZip({ 'Index/Document.iwa': 'x' }), /\.numbers workbook/],
    ['another archive', makeZip({ 'a.txt': 'x' }), /an archive, not a workbook/],
    ['half a workbook', makeWorkbook({ rows: '' }).subarray(0, 400), /damaged/],
    ['broken XML', makeWorkbook({ rows: '<row><c>' }), /damaged/],
    ['no sheet', makeZip({ 'xl/workbook.xml': '<a/>' }), /has no sheet/],
    [
      'too many parts',
      makeZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`${at}`, '']))),
      /too many parts/,
    ],
    [
      'another encoding',
      makeWorkbook({ rows: '', others: { 'xl/workbook.xml': '<a b="\udc00">' } }),
      /damaged|missing|no sheet/,
    ],
  ])('says what is wrong with %s', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(message),
    });
    expect(isWorkbook(bytes)).toBe(true);
  });

  it('is not unpacked if it would be too large', async () => {
    const bytes = makeWorkbook({ rows: '' });
    const name = bytes.lastIndexOf('xl/worksheets/sheet1.xml');
    bytes.writeUInt32LE(0x7fffffff, name - 22);
    await expect(read(bytes)).rejects.toMatchObject({
      message: expect.stringContaining('larger than 512 MB'),
    });
  });

  it('is refused as soon as a part unpacks to more than it says', async () => {
    const bytes = makeWorkbook({ rows: inlineRows(Array.from({ length: 200_000 }, (_, at) => [`u${at}`])) });
    const name = bytes.lastIndexOf('xl/worksheets/sheet1.xml');
    bytes.writeUInt32LE(4_000, name - 22);
    const { rows } = await openSheet(bytes, { sheet: undefined, column: undefined });
    let count = 0;
    const reading = async () => {
      for await (const page of rows) count += page.length;
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'usage' });
    expect(count).toBeLessThan(10_000);
  });

  it('is read no further once a signal asks to stop', async () => {
    const stop = new AbortController();
    const bytes = makeWorkbook({ rows: inlineRows(Array.from({ length: 50_000 }, (_, at) => [`u${at}`])) });
    const choice = { sheet: undefined, column: undefined, signal: stop.signal };
    const { rows } = await openSheet(bytes, choice);
    const reading = async () => {
      for await (const _ of rows) stop.abort('SIGINT');
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'interrupted' });
    await expect(openSheet(bytes, choice)).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('is unpacked no further, either, once all of it was read', async () => {
    const asked = new AbortController();
    async function* whole() {
      yield makeWorkbook({ rows: inlineRows(Array.from({ length: 20_000 }, (_, at) => [`u${at}`])) });
      setImmediate(() => asked.abort('SIGINT'));
    }
    const reading = readList(whole(), { signal: asked.signal });
    await expect(reading).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('tells a table of values from text that begins otherwise', () => {
    expect(isWorkbook(Buffer.from('distinct_id\na\n'))).toBe(false);
    expect(isWorkbook(Buffer.from('PK'))).toBe(false);
  });
});
