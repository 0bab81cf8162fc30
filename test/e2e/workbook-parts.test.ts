import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';
import { inlineRows, makeWorkbook, makeZip, sheetOf, type WorkbookParts } from '../support/workbook.ts';

async function read(content: Buffer, words = '') {
  const service = await startWithPeople([allDeleted]);
  const file = join(temporaryDirectory(), 'people.xlsx');
  writeFileSync(file, content);
  const ended = await service.hogctl(`persons bulk-delete --from ${file} --as distinct-ids --yes ${words}`);
  return { ...ended, sent: service.log.length, lookedUp: [...service.lookedUp].sort() };
}

const OPEN = 'http://schemas.openxmlformats.org';
const RELATIONS = `${OPEN}/officeDocument/2006/relationships`;
const relations = (...all: readonly string[]) =>
  `<Relationships xmlns="${OPEN}/package/2006/relationships">${all.join('')}</Relationships>`;
const relation = (id: string, type: string, target: string, more = '') =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}" ${more}/>`;
const SHEET = relation('rId1', 'worksheet', 'worksheets/sheet1.xml');
const LIST = inlineRows([['id'], ['u1'], ['u2']]);
const text = (reference: string, id: string) => `<c r="${reference}" t="str"><v>${id}</v></c>`;
const book = (parts: Partial<WorkbookParts>) => makeWorkbook({ rows: LIST, ...parts });
const withSheet = (xml: string) => book({ others: { 'xl/worksheets/sheet1.xml': xml } });
const MAIN = `${OPEN}/spreadsheetml/2006/main`;

describe('a workbook', () => {
  it.each([
    [
      'its parts are named in another case',
      makeZip({
        '[Content_Types].xml': '<Types/>',
        'xl/Workbook.xml': `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': relations(SHEET),
        'xl/worksheets/Sheet1.xml': sheetOf(LIST),
      }),
    ],
    [
      'its first part names the book',
      makeZip({
        '[Content_Types].xml': '<Types/>',
        '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook2.xml')),
        'xl/workbook2.xml': `<workbook xmlns:r="${RELATIONS}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        'xl/_rels/workbook2.xml.rels': relations(SHEET),
        'xl/worksheets/sheet1.xml': sheetOf(LIST),
      }),
    ],
    [
      'its elements have a prefix',
      withSheet(
        `<x:worksheet xmlns:x="${MAIN}"><x:sheetData>${LIST.replaceAll('<', '<x:').replaceAll('<x:/', '</x:')}</x:sheetData></x:worksheet>`,
      ),
    ],
    [
      'other rows stand beside its own',
      withSheet(
        `<worksheet xmlns="${MAIN}"><sheetData>${LIST}</sheetData><extLst><ext><row r="9">${text('A9', 'u9')}</row></ext></extLst></worksheet>`,
      ),
    ],
    [
      'another namespace has rows, too',
      withSheet(
        `<worksheet xmlns="${MAIN}" xmlns:o="urn:o"><sheetData>${LIST}<o:row r="9">${text('A9', 'u9')}</o:row><row xmlns="urn:o" r="9">${text('A9', 'u9')}</row></sheetData></worksheet>`,
      ),
    ],
    [
      'its first sheet is a chart',
      book({
        sheets:
          '<sheets><sheet name="Chart" sheetId="1" r:id="rId1"/><sheet name="Due" sheetId="2" r:id="rId2"/></sheets>',
        others: {
          'xl/_rels/workbook.xml.rels': relations(
            relation('rId1', 'chartsheet', 'chartsheets/sheet1.xml'),
            relation('rId2', 'worksheet', 'worksheets/sheet1.xml'),
          ),
        },
      }),
    ],
    [
      'a merged cell covers nothing',
      book({
        others: {
          'xl/worksheets/sheet1.xml': sheetOf(LIST).replace(
            '</sheetData>',
            '</sheetData><mergeCells><mergeCell ref="A1:C1"/></mergeCells>',
          ),
        },
      }),
    ],
    [
      'a table has no totals',
      book({
        others: {
          'xl/worksheets/_rels/sheet1.xml.rels': relations(relation('rId1', 'table', '../tables/table1.xml')),
          'xl/tables/table1.xml': `<table xmlns="${MAIN}" ref="A1:A3" totalsRowCount="0"/>`,
        },
      }),
    ],
  ])('is read if %s', async (_, content) => {
    const { code, lookedUp, stderr } = await read(content);
    expect({ code, lookedUp }, stderr).toEqual({ code: 0, lookedUp: ['u1', 'u2'] });
  });

  const twice = makeZip({ 'xl/workbook.xml': '<a/>', 'xl/Workbook.xml': '<a/>' });
  const renamed = book({});
  renamed.write('xl/workbooK.xml', renamed.indexOf('xl/workbook.xml'));

  it.each([
    ['two parts of one name', twice, 'two parts of one name'],
    ['a part of two names', renamed, 'two parts of one name, or two names'],
    [
      'two relations of one id',
      book({ others: { 'xl/_rels/workbook.xml.rels': relations(SHEET, SHEET) } }),
      'two things of "rId1"',
    ],
    [
      'a sheet that lies elsewhere',
      book({
        others: {
          'xl/_rels/workbook.xml.rels': relations(
            relation('rId1', 'worksheet', 'http://127.0.0.1/a', 'TargetMode="External"'),
          ),
        },
      }),
      'lies elsewhere',
    ],
    [
      'rows out of order',
      book({ rows: `<row r="2">${text('A2', 'u1')}</row><row r="1">${text('A1', 'u2')}</row>` }),
      'row 1 stands behind row 2',
    ],
    [
      'two rows of one number',
      book({ rows: `<row r="2">${text('A2', 'u1')}</row><row r="2">${text('A2', 'u2')}</row>` }),
      'row 2 stands behind row 2',
    ],
    [
      'cells out of order',
      book({ rows: `<row r="1">${text('B1', 'u1')}${text('A1', 'u2')}</row>` }),
      'no place of its own',
    ],
    ['a cell of another row', book({ rows: `<row r="1">${text('A9', 'u1')}</row>` }), 'no place of its own'],
    [
      'cells twice',
      withSheet(
        `<worksheet xmlns="${MAIN}"><sheetData>${LIST}</sheetData><sheetData>${LIST}</sheetData></worksheet>`,
      ),
      'its cells twice',
    ],
    [
      'what a merged cell covers',
      book({
        others: {
          'xl/worksheets/sheet1.xml': sheetOf(LIST).replace(
            '</sheetData>',
            '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>',
          ),
        },
      }),
      'hides what merged cells cover in row 3',
    ],
    [
      'the totals of a table',
      book({
        others: {
          'xl/worksheets/_rels/sheet1.xml.rels': relations(relation('rId1', 'table', '../tables/table1.xml')),
          'xl/tables/table1.xml': `<table xmlns="${MAIN}" ref="A1:A3" totalsRowCount="1"/>`,
        },
      }),
      'row 3 of sheet "Requests" is the totals row of a table',
    ],
    [
      'a row that no sheet has',
      book({ rows: `<row r="1048577">${text('A1048577', 'u1')}</row>` }),
      'more than 1048576 rows',
    ],
    [
      'a text that no cell has',
      book({ rows: `<row>${text('A1', 'u'.repeat(65_536))}</row>` }),
      'more than 65535 characters',
    ],
    [
      'one long text in thousands of cells',
      book({
        strings: [`<t xml:space="preserve">${' '.repeat(65_535)}</t>`],
        rows: '<row><c t="s"><v>0</v></c></row>'.repeat(8193),
      }),
      'larger than 512 MB when unpacked',
    ],
    ['elements within elements', withSheet('<a>'.repeat(1001)), 'nested too deeply'],
    [
      'a format that no program has',
      book({ styles: `<numFmts><numFmt numFmtId="200" formatCode="${'0'.repeat(1001)}"/></numFmts>` }),
      'a number format of it is too long',
    ],
    [
      'too many formats',
      book({ styles: `<cellXfs>${'<xf/>'.repeat(100_002)}</cellXfs>` }),
      'too many cell formats',
    ],
    [
      'merged cells upon each other',
      book({
        others: {
          'xl/worksheets/sheet1.xml': sheetOf(LIST).replace(
            '</sheetData>',
            `</sheetData><mergeCells>${'<mergeCell ref="B1:C3"/>'.repeat(16_385)}</mergeCells>`,
          ),
        },
      }),
      'its merged cells overlap',
    ],
  ])('is refused with %s', async (_, content, message) => {
    const { code, sent, stderr } = await read(content);
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toContain(message);
  });

  it('tells of a sheet without cells', async () => {
    const content = book({
      sheets:
        '<sheets><sheet name="Chart" sheetId="1" r:id="rId1"/><sheet name="Due" sheetId="2" r:id="rId2"/></sheets>',
      others: {
        'xl/_rels/workbook.xml.rels': relations(
          relation('rId1', 'chartsheet', 'chartsheets/sheet1.xml'),
          relation('rId2', 'worksheet', 'worksheets/sheet1.xml'),
        ),
      },
    });
    const { code, stderr } = await read(content, '--sheet Chart');
    expect([code, stderr]).toEqual([2, expect.stringContaining('the sheet "Chart" has no cells')]);
    expect(stderr).toContain('its sheets: Chart, Due');
  });
});
