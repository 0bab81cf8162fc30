import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, startService, temporaryDirectory } from './service.ts';

const save = async (name: string, ...options: readonly string[]) => {
  const service = await startService([{ json: { next: null, results: [person(1)] } }]);
  const file = join(temporaryDirectory(), name);
  const { code, stderr } = await service.hogctl(['persons', 'list', '--save', file, ...options]);
  return { code, file, stderr, text: readFileSync(file, 'utf8') };
};

describe('--save without a format', () => {
  it.each([
    ['people.csv', 'csv'],
    ['people.TSV', 'tsv'],
    ['people.json', 'json'],
    ['people.ndjson', 'ndjson'],
    ['people.jsonl', 'ndjson'],
  ])('warns that %s becomes a table, and the option that it names makes it %s', async (name, format) => {
    const { code, file, stderr, text } = await save(name, '-q');
    expect([code, text.split('\n')[0]]).toEqual([0, 'id  name      distinct_ids  created_at']);
    const option = `-o ${format}`;
    expect(stderr).toBe(`warning: ${file} becomes a table for people; ${option} writes ${format} into it\n`);
    const again = await save(name, '-q', ...option.split(' '));
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.text).not.toContain('id  name');
  });

  it.each([['people.txt'], ['people'], ['people.csv', '-o', 'table'], ['people.json', '-o', 'csv']])(
    'says nothing of %s %s %s',
    async (name, ...options) => {
      expect((await save(name, '-q', ...options)).stderr).toBe('');
    },
  );
});
