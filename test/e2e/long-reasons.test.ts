import { describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { startService } from '../support/service.ts';

const reason = 'why '.repeat(50_000);
const failed = { query_status: { id: 'a', error: true, error_message: reason, complete: true }, results: [] };

describe('a message of the service of any length', () => {
  it.each([
    ['query select', { json: failed }],
    ['persons export --via query', { json: failed }],
    ['persons get 1', { status: 400, json: { detail: reason, attr: reason, code: reason } }],
    ['persons get 1', { status: 302, headers: { location: `http://elsewhere.example/${'a'.repeat(9000)}` } }],
    ['insights get 9', { json: { id: 9, result: null, ...failed } }],
  ])('takes 2,000 characters at most: %s', async (words, answer) => {
    const service = await startService([() => answer]);
    const { code, stderr } = await service.hogctl(words.split(' '));
    expect(code).toBeGreaterThan(1);
    expect(stderr.length).toBeLessThan(2600);
  });
});

describe('a command line of any length', () => {
  const long = 'a'.repeat(120_000);
  it.each([
    ['persons', 'list', '--host', long],
    ['persons', 'list', '--limit', long],
    ['persons', 'get', '--email', `${long}@example.org`],
    ['insights', long],
    [`--${long}`],
    [long],
  ])('is repeated with 2,000 characters at most: %#', async (...words) => {
    const service = await startService([() => ({ json: { results: [], next: null } })]);
    const { code, stderr } = await service.hogctl(words);
    expect(code).toBeGreaterThan(1);
    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(2007);
    expect(stderr).toContain('error: ');
  });
});

it.each([
  ['insights get 9 --refresh blok', 'did you mean blocking? The choices are force_cache, blocking, '],
  ['sandbox start --dialect liv', 'did you mean live? The choices are specification, live'],
  ['persons list -o yaml', 'the choices are table, '],
  ['persons list --projct 7', 'did you mean --project?'],
  ['persons activity --id 42', 'add --help to see the options and arguments'],
  ['persons list -o csv --fields id', 'did you mean --columns?'],
  ['persons list --versoin', 'did you mean --version?'],
  [
    'persons list -o html',
    `the choices are ${namedFormats.join(', ')}; what can be saved as html is, with --save`,
  ],
  ['insights trends --events a --since -7d', 'did you mean --date-from?'],
  ['runs report last --emails a@example.org', 'hogctl runs find takes it'],
  ['persons bulk-delete a@example.org --dry-run', 'for addresses, use --emails, or --from with --as emails'],
  [
    'persons bulk-delete people.csv --dry-run',
    'for a file, use --from people.csv with --as emails, distinct-ids or ids',
  ],
])('a word that is none of the choices leads to them: %s', async (words, hint) => {
  const service = await startService([]);
  const { code, stderr } = await service.hogctl(words.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(`hint: ${hint}`)]);
});
