import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, numbered } from '../support/bulk-deletions.ts';
import { onSandbox } from '../support/on-sandbox.ts';
import { startWithPeople, temporaryDirectory } from '../support/service.ts';

const [one, seven, nine] = ['0001', '0007', '0009'].map((number) => `shopper-${number}@example.org`);

describe('the report of a list', () => {
  it('accounts for each of its lines in each format', async () => {
    const { hogctl } = await onSandbox();
    const folder = temporaryDirectory();
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const list = file('list.csv', `email\n${one}\n${seven}\n${nine}\nnobody@example.org\nnull\n${one}\n`);
    const hold = file('hold.csv', `email\n${nine}\n`);
    const line = `persons bulk-delete --from ${list} --as emails --odd skip --except ${hold} --except-as emails`;
    expect(await hogctl(`${line} --yes`)).toMatchObject({ code: 8 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
    const text = '6 lines: 2 with a person, 1 excepted, 1 nobody, 1 odd, 1 repeat';
    const report = (await hogctl('runs report last')).stdout;
    expect(report).toContain(`| List | ${text} |`);
    expect(report).toContain('| addresses without a person | 1 |');
    expect(JSON.parse((await hogctl('runs report last -o json')).stdout).list).toEqual({
      lines: 6,
      found: 2,
      nobody: 1,
      doubtful: 0,
      excepted: 1,
      odd: 1,
      repeats: 1,
    });
    const rows = (await hogctl('runs report last -o ndjson')).stdout.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).outcome)).toEqual(['deleted', 'deleted', 'nobody', 'excepted']);
    await hogctl(`runs report last --save ${join(folder, 'page.html')}`);
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    expect(page).toContain(`The list had ${text}.`);
    // Nobody asked for what was left out.
    expect(page).toContain('<strong>Done and proved, except for lines that were left out</strong>');
    expect(page).not.toContain('nothing is known to be missing');
  });

  it('takes many calls that ended alike together, and JSON names each', async () => {
    const { hogctl } = await startWithPeople([allDeleted]);
    const ids = numbered(51, '').join(',');
    expect(await hogctl(`persons bulk-delete --ids ${ids} --batch-size 1 --yes`)).toMatchObject({ code: 0 });
    const { stdout } = await hogctl('runs report last');
    expect(stdout).toMatch(/^\| 1 to 51 \| 51 calls \| 51 \| answered \| 51 \| 51 \| 0 \| 0 \| 2026-/m);
    expect(JSON.parse((await hogctl('runs report last -o json')).stdout).calls).toHaveLength(51);
  });
});
