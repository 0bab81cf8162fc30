import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';
import { inlineRows, makeWorkbook, type WorkbookParts } from '../support/workbook.ts';

const STYLES =
  '<numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs>';
const SHEETS = '<sheet name="Requests" sheetId="1" r:id="rId1"/><sheet name="Done" sheetId="2" r:id="rId2"/>';

async function run(parts: Partial<WorkbookParts>, words: string) {
  const service = await startWithPeople([allDeleted]);
  const file = join(temporaryDirectory(), 'people.csv');
  writeFileSync(file, makeWorkbook({ rows: '', styles: STYLES, ...parts }));
  const ended = await service.hogctl(`persons bulk-delete --from ${file} --as distinct-ids --yes ${words}`);
  return { ...ended, file, sent: service.log.length, lookedUp: [...service.lookedUp].sort() };
}

describe('a workbook', () => {
  it('is known by its bytes, and its ids are what people see in the cells', async () => {
    const rows = `${inlineRows([['Ticket', 'ID']])}<row r="4"><c r="B4" s="1"><v>42</v></c></row><row><c t="str"><v>R-2</v></c><c t="str"><v>u2</v></c></row><row><c t="str"><v> </v></c></row>`;
    const { code, lookedUp, stderr } = await run(
      { rows, sheets: `<sheets>${SHEETS}</sheets>` },
      '--column ID',
    );
    expect({ code, lookedUp }).toEqual({ code: 0, lookedUp: ['00042', 'u2'] });
    expect(stderr).toContain('sheet "Requests" is read; not its other sheets: Done\n');
  });

  it('is read by the sheet that is named, in its one column', async () => {
    const { code, lookedUp } = await run(
      { sheets: `<sheets>${SHEETS.replace('name="Requests"', 'name="Old" state="hidden"')}</sheets>` },
      '--sheet Done',
    );
    expect({ code, lookedUp }).toEqual({ code: 0, lookedUp: ['second'] });
  });

  it('tells of dates, truth values and errors with their lines', async () => {
    const rows = `${inlineRows([['ID', 'x'], ['u1']])}<row><c s="2"><v>45000</v></c></row><row><c t="b"><v>1</v></c></row><row><c t="e"><v>#VALUE!</v></c></row><row><c><v>1.2345678901234568E+18</v></c></row>`;
    const { code, sent, stderr } = await run({ rows }, '--column ID');
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    for (const reason of ['3: a date', '4: a truth value', '5: an error', '6: a number as'])
      expect(stderr).toContain(`line ${reason}`);
  });

  it('tells of a formula that was never calculated, since it may name somebody', async () => {
    const rows = `${inlineRows([['id'], ['u1']])}<row><c><f>LOWER(B3)</f></c></row>`;
    const { code, sent, stderr } = await run({ rows }, '');
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain('line 3: a formula of a spreadsheet');
  });

  it.each([
    ['hides a row', { rows: '<row hidden="1"><c t="str"><v>u1</v></c></row>' }, '', 'hides row 1'],
    [
      'hides a sheet',
      { sheets: `<sheets>${SHEETS.replace('/>', ' state="hidden"/>')}</sheets>` },
      '',
      'hides its sheet',
    ],
    ['lacks the sheet', {}, '--sheet Due', 'has no sheet "Due"'],
    [
      'lacks the column',
      {
        rows: inlineRows([
          ['a', 'b'],
          ['u1', 'u2'],
        ]),
      },
      '--column c',
      'has no column "c"',
    ],
    [
      'has a cell beside its columns',
      { rows: inlineRows([['id'], ['u1', 'u2']]) },
      '',
      'cell B2 of sheet "Requests" stands beside the columns',
    ],
  ] as const)('is refused if it %s', async (_, parts, words, message) => {
    const { code, sent, stderr } = await run(parts, words);
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain(message);
  });

  const row = (attributes: string) =>
    `<row><c t="str"><v>id</v></c></row><row ${attributes}><c t="str"><v>u1</v></c></row>`;
  const styled = (style: string, value: string) =>
    `<row><c t="str"><v>id</v></c></row><row><c t="str" s="${style}"><v>${value}</v></c></row>`;
  const formats =
    '<numFmts><numFmt numFmtId="164" formatCode=";;;"/><numFmt numFmtId="165" formatCode="@&quot;@example.org&quot;"/></numFmts>' +
    '<fonts><font/><font><strike/></font><font><strike val="0"/></font></fonts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="0" fontId="1"/><xf numFmtId="0" fontId="2"/></cellXfs>';
  const shared = (run: string) => ({
    strings: [`<r><t>u</t></r><r><rPr>${run}</rPr><t>1</t></r>`],
    rows: '<row><c t="s"><v>0</v></c></row>',
  });

  it.each([
    ['a row of no height', { rows: row('ht="0.0"') }, 'hides row 2'],
    ['a row lower than a point', { rows: row('ht="0.4"') }, 'hides row 2'],
    ['a row that is hidden in another spelling', { rows: row('hidden=" 1"') }, 'hides row 2'],
    ['a row that is hidden in capitals', { rows: row('hidden="TRUE"') }, 'hides row 2'],
    [
      'a column of no width',
      { rows: row(''), columns: '<cols><col min="1" max="2" width="0.0"/></cols>' },
      'hides columns A to B',
    ],
    [
      'a column narrower than a point',
      { rows: row(''), columns: '<cols><col min="1" max="1" width="0.1"/></cols>' },
      'hides columns A',
    ],
    [
      'rows that are hidden by default',
      { rows: row(''), columns: '<sheetFormatPr zeroHeight="1"/>' },
      'hides each row without a height',
    ],
    [
      'rows that a filter leaves out',
      {
        rows: row(''),
        columns: '<autoFilter ref="A1:A2"><filterColumn colId="0"><filters/></filterColumn></autoFilter>',
      },
      'hides rows by a filter',
    ],
    [
      'a text that its format hides',
      { rows: styled('1', 'u1'), styles: formats },
      'hides what stands in row 2',
    ],
    [
      'a line through a cell',
      { rows: styled('3', 'u1'), styles: formats },
      'strikes out what stands in row 2',
    ],
    ['a line through a part of a text', shared('<strike/>'), 'strikes out what stands in row 1'],
  ] as const)('is refused with its places for %s', async (_, parts, message) => {
    const { code, sent, stderr } = await run(parts, '');
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain(message);
  });

  it.each([
    ['a row of a usual height', { rows: row('ht="15" hidden="0"') }, 'u1'],
    [
      'a text that its format shows otherwise',
      { rows: styled('2', 'ana'), styles: formats },
      'ana@example.org',
    ],
    ['a font that says it has no line', { rows: styled('4', 'u1'), styles: formats }, 'u1'],
    ['a part of a text without a line', shared('<strike val="0"/>'), 'u1'],
    ['a filter that has no conditions', { rows: row(''), columns: '<autoFilter ref="A1:A2"/>' }, 'u1'],
  ] as const)('is read as a person sees it: %s', async (_, parts, id) => {
    const { code, lookedUp, stderr } = await run(parts, '');
    expect({ code, lookedUp }, stderr).toEqual({ code: 0, lookedUp: [id] });
  });

  it('is what --sheet needs', async () => {
    const service = await startWithPeople([]);
    const line = 'persons bulk-delete --from - --as distinct-ids --sheet Due --yes';
    const { code, stderr } = await service.hogctl(line, { stdin: 'u1\n' });
    expect(code).toBe(2);
    expect(stderr).toContain('standard input is not a workbook, so it has no sheets');
  });
});
