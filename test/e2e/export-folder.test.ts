import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, startService, temporaryDirectory } from '../support/service.ts';

const exporting = async (folder: string, id: number, format = 'csv') => {
  const service = await startService([
    { on: /persons\/\d+\/$/, json: person(id) },
    { on: /cohorts/, json: { results: [] } },
    { on: /activity/, json: { results: [], next: null } },
    { on: /persons\/\?/, json: { next: null, results: [person(id)] } },
    { on: /persons\/[^/]+\//, json: person(id) },
  ]);
  return service.hogctl(['persons', 'export', String(id), '-o', format, '--save', folder]);
};

describe('the folder of one person', () => {
  it.each([
    ['csv', 'events.csv'],
    ['tsv', 'person.csv'],
  ])('is not mixed with what an earlier export left: %s', async (format, left) => {
    const folder = temporaryDirectory();
    writeFileSync(join(folder, left), 'of somebody else');
    expect(await exporting(folder, 1, format)).toMatchObject({
      code: 2,
      stderr: `error: ${folder} contains ${left} of an earlier export, which this one would not replace\nhint: remove them, or choose another folder\n`,
    });
    expect(readdirSync(folder)).toEqual([left]);
  });

  it('is written anew by the same command, beside files that no export writes', async () => {
    const folder = join(temporaryDirectory(), 'ana');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.csv'), 'mine');
    expect((await exporting(folder, 1)).code).toBe(0);
    expect((await exporting(folder, 1)).code).toBe(0);
    expect(readFileSync(join(folder, 'distinct-ids.csv'), 'utf8')).toBe('distinct_id\nuser_1\n');
    expect(readFileSync(join(folder, 'notes.csv'), 'utf8')).toBe('mine');
  });
});
