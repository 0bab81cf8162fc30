import { parse } from 'csv-parse/sync';
import { parse as parseExactly, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { insightNames, readInsight } from '../support/truth.ts';

/** The one whose calculation found nothing. */
const EMPTY = 'trendsNumberEmpty';

async function get(name: string, output: string) {
  const text = readInsight(name);
  const service = await startService([{ body: text, headers: { 'content-type': 'application/json' } }]);
  // The answer of a correlation is no insight.
  const line = name === 'funnelCorrelation' ? 'insights funnel-correlation --events a,b' : 'insights get 9';
  return { text, ...(await service.hogctl(`${line} -o ${output}`)) };
}

describe('answers of the live service', () => {
  it.each(insightNames)('%s passes through as JSON, digits and all', async (name) => {
    const { text, code, stdout } = await get(name, 'json');
    expect(stringify(parseExactly(stdout))).toBe(stringify(parseExactly(text)));
    expect(code).toBe(0);
  });

  it.each(insightNames)('%s is CSV with a header and the same cells in each row', async (name) => {
    const { code, stdout } = await get(name, 'csv');
    const [header = [], ...rows]: string[][] = parse(stdout);
    expect(new Set(header).size).toBe(header.length);
    expect(rows.length > 0).toBe(name !== EMPTY);
    expect(stdout).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
    expect(code).toBe(0);
  });

  it.each(insightNames)('%s is a table through a pipe', async (name) => {
    const { code, stdout } = await get(name, 'table');
    expect(stdout.split('\n').length > 2).toBe(name !== EMPTY);
    expect(stdout).not.toMatch(/\bundefined\b|\bNaN\b|\[object/);
    expect(code).toBe(0);
  });
});
