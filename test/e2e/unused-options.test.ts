import { expect, it } from 'vitest';
import { people, startService } from '../support/service.ts';

it.each([
  ['-o json --no-headers', '--no-headers has no effect: json has no header line'],
  ['-o ndjson --spreadsheet-safe', '--spreadsheet-safe has no effect on ndjson; use -o csv for spreadsheets'],
  ['--spreadsheet-safe', '--spreadsheet-safe has no effect on table; use -o csv for spreadsheets'],
  ['-o csv --no-headers --spreadsheet-safe', undefined],
  ['--no-headers', undefined],
])('says which option the format has no use for: %s', async (options, told) => {
  const service = await startService([{ json: { results: people(2), next: null } }]);
  const { code, stderr } = await service.hogctl(`persons list ${options}`);
  expect(code).toBe(0);
  expect(stderr).toBe(told === undefined ? '' : `warning: ${told}\n`);
});
