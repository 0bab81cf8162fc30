import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';
import { hogctl, startServiceWithPeople, temporaryDirectory } from './built-program.ts';

describe('the built program', { timeout: 60_000 }, () => {
  it('reads a workbook with formats', async () => {
    const { environment } = await startServiceWithPeople([]);
    const file = join(temporaryDirectory(), 'people.xlsx');
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>';
    const rows = `${inlineRows([['id'], ['u1']])}<row><c s="0"><v>42</v></c></row>`;
    writeFileSync(file, makeWorkbook({ rows, styles }));
    const words = [
      'persons',
      'bulk-delete',
      '--from',
      file,
      '--as',
      'distinct-ids',
      '--dry-run',
      '-o',
      'csv',
    ];
    const { code, stdout } = await hogctl(words, environment);
    expect(code).toBe(0);
    expect(String(stdout)).toContain('2,u1,distinct-ids,');
    expect(String(stdout)).toContain('3,00042,distinct-ids,');
  });
});
