import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, startService, temporaryDirectory } from './service.ts';

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `anon-${index}`);
const listOf = (...counts: readonly number[]) =>
  startService([
    () => ({
      json: {
        next: null,
        results: counts.map((count, index) => ({ ...person(index + 1), distinct_ids: idsOf(count) })),
      },
    }),
  ]);

describe('C-04 a list with as many distinct ids of a person as the service names', () => {
  it.each(['json', 'ndjson', 'csv', 'tsv', 'csv --columns id,distinct_ids'])(
    'ends with 8, as %s',
    async (format) => {
      const service = await listOf(1000, 2, 1000);
      const { code, stdout, stderr } = await service.hogctl(`persons list -o ${format}`);
      expect(code).toBe(8);
      expect(stdout).toContain('anon-999');
      expect(stderr).toContain('2 persons may have more distinct ids than the list shows');
    },
  );

  it('leaves no file that passes for a whole one', async () => {
    const service = await listOf(1000);
    const file = join(temporaryDirectory(), 'people.csv');
    expect((await service.hogctl(`persons list --save ${file}`)).code).toBe(8);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['999 of them', 999, ''],
    ['a table', 1000, '-o table'],
    ['other columns', 1000, '-o csv --columns id'],
  ])('is whole with %s', async (_, count, options) => {
    const service = await listOf(count);
    expect((await service.hogctl(`persons list -o json ${options}`.replace('-o json -o', '-o'))).code).toBe(
      0,
    );
  });
});
