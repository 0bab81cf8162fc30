import { describe, expect, it } from 'vitest';
import { person, startService } from '../support/service.ts';

const ESC = '\u001b';
const HOSTILE = `a${ESC}[2Jb${ESC}]0;title\u0007c${ESC}]52;c;aGk=\u0007d\u009b31me\b\b\bf\rg\u202eh\u2028i\u0000j`;
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe('escape sequences in data', () => {
  const hostile = {
    ...person(1),
    name: HOSTILE,
    distinct_ids: [HOSTILE],
    properties: { [HOSTILE]: HOSTILE },
  };
  const serving = () =>
    startService([
      { on: 'GET /api/projects/1/persons/', times: 9, json: { next: null, results: [hostile] } },
      { on: 'GET /api/projects/1/persons/1/', times: 9, json: hostile },
      {
        on: 'GET /api/projects/1/persons/2/',
        status: 400,
        json: { code: 'invalid', detail: HOSTILE, attr: HOSTILE },
      },
      {
        on: 'GET /api/projects/1/persons/3/',
        status: 418,
        body: HOSTILE,
        headers: { 'content-type': 'text/plain' },
      },
    ]);

  it.each([
    ['a table on a terminal', 'persons list', { terminal: { columns: 100 }, environment: { NO_COLOR: '1' } }],
    ['a table through a pipe', 'persons list', {}],
    [
      'a record on a terminal',
      'persons get 1',
      { terminal: { columns: 100 }, environment: { NO_COLOR: '1' } },
    ],
    ['a record through a pipe', 'persons get 1', {}],
    ['an error with a detail', 'persons get 2', {}],
    ['an error as JSON', 'persons get 2 -o json', {}],
    ['an error in plain text', 'persons get 3', {}],
    ['a usage error', ['persons', 'get', HOSTILE], {}],
    ['an unknown option', ['persons', 'list', `--${HOSTILE}`], {}],
    ['an unknown command', [HOSTILE], {}],
  ] as const)('sends no control character to %s', async (_, words, setting) => {
    const { stdout, stderr } = await (await serving()).hogctl(words, setting);
    expect(stdout + stderr).not.toBe('');
    expect(stdout).not.toMatch(CONTROLS);
    expect(stderr).not.toMatch(CONTROLS);
  });

  it('names no project in a way that moves the cursor', async () => {
    const { code, stderr } = await (await serving()).hogctl(['auth', 'logout', HOSTILE], { answers: ['n'] });
    expect(code).toBe(2);
    expect(stderr).toContain('must not contain control characters');
    expect(stderr).not.toContain(ESC);
  });

  it('asks about nobody in a way that moves the cursor', async () => {
    const service = await serving();
    const line = 'persons bulk-delete --property plan:is_not=x --project 1';
    const { code, stderr } = await service.hogctl(line, { answers: ['n'] });
    expect(code).toBe(7);
    expect(stderr).toContain('  a\\u001b[2Jb');
    expect(stderr).not.toMatch(/\u001b\[2Jb|\u001b\]|\u009b|\u202e/);
  });

  it('paints with nothing but its own colours', async () => {
    const { stdout } = await (await serving()).hogctl('persons list', { terminal: { columns: 100 } });
    expect(stdout).toContain(`${ESC}[1m`);
    expect(stdout.replaceAll(`${ESC}[1m`, '').replaceAll(`${ESC}[22m`, '')).not.toMatch(CONTROLS);
  });

  it.each([
    'persons list -o csv',
    'persons list -o tsv',
    'persons list -o csv --columns name',
    'persons get 1 -o csv',
    'persons list --server-format csv',
    'api GET persons/raw/',
  ])('is exact through a pipe and shows escapes on a terminal: %s', async (line) => {
    const answers = () =>
      startService([
        { on: /format=csv|persons.raw/, body: `${HOSTILE}\n`, headers: { 'content-type': 'text/csv' } },
        { on: /persons\/1\//, json: hostile },
        { json: { next: null, results: [hostile] } },
      ]);
    const piped = await (await answers()).hogctl(line);
    const shown = await (await answers()).hogctl(line, { terminal: { columns: 100 } });
    expect([piped.code, shown.code]).toEqual([0, 0]);
    expect(piped.stdout).toContain(`${ESC}[2J`);
    expect(shown.stdout).toContain('\\u001b[2J');
    expect(shown.stdout.replaceAll('\t', '')).not.toMatch(CONTROLS);
  });

  it.each(['json', 'ndjson'])('keeps the value in %s, escaped', async (format) => {
    const { stdout } = await (await serving()).hogctl(`persons list -o ${format}`);
    expect(stdout).not.toContain(ESC);
    expect(stdout).toContain('\\u001b[2J');
    const [row] = [JSON.parse(stdout)].flat();
    expect(row).toEqual(hostile);
  });
});

describe('escape sequences in insights', () => {
  const insight = {
    id: 9,
    short_id: 'zeNY2NOU',
    name: HOSTILE,
    description: HOSTILE,
    tags: [HOSTILE],
    query: { kind: HOSTILE },
    columns: [HOSTILE],
    result: [{ label: HOSTILE, days: [HOSTILE], labels: [HOSTILE], data: [1], count: 1 }],
    last_refresh: '2026-01-02T03:04:05Z',
  };
  it.each(['insights get 9', 'insights get 9 -o json', 'insights list', 'insights sharing 9'])(
    'reach no terminal: %s',
    async (line) => {
      const service = await startService([
        { on: /^GET \/api\/projects\/1\/insights\/(\?|$)/, json: { next: null, results: [insight] } },
        { on: /sharing/, json: { created_at: HOSTILE, enabled: true, access_token: HOSTILE } },
        () => ({ json: insight }),
      ]);
      const setting = { terminal: { columns: 100 }, environment: { NO_COLOR: '1' } };
      const { code, stdout, stderr } = await service.hogctl(line, setting);
      expect(code).toBe(0);
      expect(stdout).not.toBe('');
      expect(stdout + stderr).not.toMatch(CONTROLS);
    },
  );
});
