import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parse as parseExactly, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { startService } from './service.ts';

const folder = join(import.meta.dirname, '../../../shared/fixtures/insights');
const names = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];

/** The one whose calculation found nothing. */
const EMPTY = 'trendsNumberEmpty.json';

async function get(name: string, output: string) {
  const text = readFileSync(join(folder, name), 'utf8');
  const service = await startService([{ body: text, headers: { 'content-type': 'application/json' } }]);
  // The answer of a correlation is no insight.
  const line =
    name === 'funnelCorrelation.json' ? 'insights funnel-correlation --events a,b' : 'insights get 9';
  return { text, ...(await service.hogctl(`${line} -o ${output}`)) };
}

describe.skipIf(names.length === 0)('answers of the live service', () => {
  it.each(names)('%s passes through as JSON, digits and all', async (name) => {
    const { text, code, stdout } = await get(name, 'json');
    expect(stringify(parseExactly(stdout))).toBe(stringify(parseExactly(text)));
    expect(code).toBe(0);
  });

  it.each(names)('%s is CSV with a header and the same cells in each row', async (name) => {
    const { code, stdout } = await get(name, 'csv');
    const [header = [], ...rows]: string[][] = parse(stdout);
    expect(new Set(header).size).toBe(header.length);
    expect(rows.length > 0).toBe(name !== EMPTY);
    expect(stdout).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
    expect(code).toBe(0);
  });

  it.each(names)('%s is a table through a pipe', async (name) => {
    const { code, stdout } = await get(name, 'table');
    expect(stdout.split('\n').length > 2).toBe(name !== EMPTY);
    expect(stdout).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
    expect(code).toBe(0);
  });
});
