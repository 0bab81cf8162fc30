import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatsByEnding } from '../../src/print/formats.ts';
import { person, startService, temporaryDirectory } from '../support/service.ts';

const save = async (name: string, ...options: readonly string[]) => {
  const service = await startService([{ json: { next: null, results: [person(1)] } }]);
  const file = join(temporaryDirectory(), name);
  const { code, stderr } = await service.hogctl(['persons', 'list', '--save', file, ...options]);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  return { code, stderr, text, requests: service.log.length };
};

describe('--save without a format', () => {
  it.each([
    ['people.csv', 'csv'],
    ['people.TSV', 'tsv'],
    ['people.json', 'json'],
    ['people.ndjson', 'ndjson'],
    ['people.jsonl', 'ndjson'],
  ])('writes %s as %s', async (name, format) => {
    const byName = await save(name, '-q');
    expect(byName).toEqual(await save(name, '-q', '-o', format));
    expect([byName.code, byName.stderr]).toEqual([0, '']);
    expect(byName.text).not.toContain('id  name');
  });

  it.each([
    ['people.txt'],
    ['people'],
    ['people.v2'],
    ['people.csv', '-o', 'table'],
    ['people.xlsx', '-o', 'table'],
  ])('writes %s %s %s as a table', async (name, ...options) => {
    const { code, stderr, text } = await save(name, '-q', ...options);
    expect([code, stderr, text?.split('\n')[0]]).toEqual([0, '', 'id  name      distinct_ids  created_at']);
  });

  it.each(
    ['xlsx', 'parquet', 'PNG', 'html', 'md', 'svg', 'csv.gz'].filter(
      (ending) => !formatsByEnding.has(ending),
    ),
  )('refuses a name that ends in .%s, before anything is sent', async (ending) => {
    const { code, stderr, text, requests } = await save(`people.${ending}`);
    expect([code, text, requests]).toEqual([2, undefined, 0]);
    expect(stderr).toContain(`this command cannot write .${ending.toLowerCase().replace('csv.', '')} files`);
    expect(stderr).toContain(
      `hint: choose a file name that ends in ${[...formatsByEnding.keys()].join(', ')}, or add -o table`,
    );
  });
});

describe('--save into a file that was there', () => {
  it.each([
    [0o644, /^warning: .*people.csv already existed, and other users of this computer can read it\n$/],
    [0o640, /other users of this computer/],
    [0o600, /^$/],
  ])('keeps its mode %o and says who may read it', async (mode, said) => {
    const service = await startService([{ json: { next: null, results: [person(1)] } }]);
    const file = join(temporaryDirectory(), 'people.csv');
    writeFileSync(file, '');
    chmodSync(file, mode);
    const { code, stderr } = await service.hogctl(['persons', 'list', '-q', '--save', file]);
    expect(code).toBe(0);
    expect(stderr).toMatch(said);
    expect(statSync(file).mode & 0o777).toBe(mode);
  });

  it('is readable by its owner only if it was not', async () => {
    const service = await startService([{ json: { next: null, results: [person(1)] } }]);
    const file = join(temporaryDirectory(), 'people.csv');
    await service.hogctl(['persons', 'list', '-q', '--save', file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
