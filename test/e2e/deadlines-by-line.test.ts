import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onSandbox } from '../support/on-sandbox.ts';
import { temporaryDirectory } from '../support/service.ts';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';

const DAY = 24 * 3_600_000;
/** The first day of the sandbox. */
const START = Date.parse('2026-06-18T12:00:00Z');

const one = 'shopper-0001@example.org';
const [seven, nine] = ['shopper-0007', 'shopper-0009'].map((name) => `${name}@example.org`);

/** The program, and a list of it that was written to a file. */
async function start(list: string | Buffer, name = 'list.csv') {
  const { hogctl } = await onSandbox();
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, list);
  const erase = (more: string) =>
    hogctl(
      `persons bulk-delete --from ${file} --as emails --column Address --received-column Received ${more}`,
    );
  const list_ = async (option: string, days: number) => {
    const { code, stdout, stderr } = await hogctl(`runs list ${option} -o json`, {
      now: () => START + days * DAY,
    });
    return { code, stderr, rows: JSON.parse(stdout) };
  };
  return { hogctl, erase, list: list_ };
}

const header = 'Ticket,Address,Received\n';

describe('--received-column', () => {
  it('keeps the day of each line, by which the late ones are counted', async () => {
    const { erase, list, hogctl } = await start(
      `${header}T1,${one},2026-06-10\nT2,${seven},2026-06-01T09:30:00Z\nT3,nobody@example.org,2026-05-01\nT4,${nine},\n`,
    );
    expect(
      await erase('--received 2026-06-16 --deadline 20d --delete-events --ignore-missing --yes'),
    ).toMatchObject({ code: 0 });
    expect(await list('--due', 3)).toMatchObject({
      code: 0,
      rows: [{ received: '2026-06-01', deadline: '2026-06-21', days_left: 0, late: 0 }],
    });
    expect(await list('--overdue', 3)).toMatchObject({ code: 0, rows: [] });
    const { code, rows, stderr } = await list('--overdue', 13);
    expect([code, rows]).toMatchObject([9, [{ deadline: '2026-06-21', days_left: -10, late: 2 }]]);
    expect(stderr).toContain('1 of 1 run is overdue, with 2 lines');
    expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
    expect(await list('--due', 90)).toMatchObject({ code: 0, rows: [] });
  });

  it('is that of all lines while a plan waits for its confirmation', async () => {
    const { erase, list } = await start(`${header}T1,${one},2026-06-10\nT2,${seven},2026-06-16\n`);
    expect(await erase('--plan-only')).toMatchObject({ code: 0 });
    const owed = 'all, not confirmed';
    expect(await list('--due', 0)).toMatchObject({ code: 0, rows: [{ deadline: '2026-07-10', owed }] });
    expect(await list('--due', 23)).toMatchObject({ code: 9, rows: [{ late: 1, owed }] });
  });

  it('takes the dates of a workbook, however they are shown', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    const rows = `${inlineRows([['Address', 'Received']])}<row>${cell(one)}<c s="1"><v>46183</v></c></row>`;
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="d. mmm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>';
    const { erase, list } = await start(makeWorkbook({ rows, styles }), 'list.xlsx');
    expect(await erase('--delete-events --yes')).toMatchObject({ code: 0 });
    expect(await list('--due', 0)).toMatchObject({ rows: [{ received: '2026-06-10' }] });
  });

  it.each([
    ['no such column', 'Ticket,Address\nT1,a@example.org\n', '', 'the input has no column "Received"'],
    [
      'days that are none or have not come',
      `${header}T1,a@example.org,01.06.2026\nT2,b@example.org,\nT3,c@example.org,2026-06-30\nT4,d@example.org,2026-06-01\n`,
      '',
      '3 lines have no day, or a day to come, in the column "Received": line 2, line 3, line 4',
    ],
  ])('ends with 2 before anything is asked for %s', async (_, list, more, text) => {
    const { erase } = await start(list);
    const { code, stderr } = await erase(`--yes ${more}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect(stderr).not.toContain('looked up');
  });
});
