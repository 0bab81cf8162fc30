import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { formats, namedFormats } from '../../src/print/formats.ts';
import {
  listOf,
  people,
  person,
  startService,
  startWithoutSql,
  temporaryDirectory,
} from '../support/service.ts';

const ESC = '\u001b';

const LONG = 'abcdefghij'.repeat(6);

describe('a table through a pipe', () => {
  const serving = () =>
    startService([() => ({ json: { next: null, results: [{ ...person(1), distinct_ids: [LONG] }] } })]);

  it.each([
    ['nothing set', {}],
    ['COLUMNS=40', { COLUMNS: '40' }],
    ['NO_COLOR=1', { NO_COLOR: '1' }],
    ['TERM=dumb', { TERM: 'dumb' }],
    ['TERM=xterm-256color', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }],
  ])('shortens and paints nothing with %s', async (_, environment) => {
    const { stdout, stderr } = await (await serving()).hogctl('persons list', { environment });
    expect(stdout).toContain(LONG);
    expect(stdout).not.toContain('…');
    expect(stdout + stderr).not.toContain(ESC);
    expect(stderr).toBe('');
  });

  it.each([
    ['NO_COLOR=1 on a terminal', '', { NO_COLOR: '1' }, true, false],
    ['NO_COLOR= (empty) on a terminal', '', { NO_COLOR: '' }, true, true],
    ['NO_COLOR=1 and FORCE_COLOR=1', '', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    ['TERM=dumb on a terminal', '', { TERM: 'dumb' }, true, false],
    ['FORCE_COLOR=1 through a pipe', '', { FORCE_COLOR: '1' }, false, true],
    ['FORCE_COLOR=0 on a terminal', '', { FORCE_COLOR: '0' }, true, false],
    ['--color always through a pipe', '--color always', {}, false, true],
    ['--color always with NO_COLOR=1', '--color always', { NO_COLOR: '1' }, false, true],
    ['--color never on a terminal', '--color never', { FORCE_COLOR: '1' }, true, false],
  ])('paints as told by %s', async (_, options, environment, terminal, painted) => {
    const setting = terminal ? { environment, terminal: { columns: 80 } } : { environment };
    const { stdout } = await (await serving()).hogctl(`persons list ${options}`, setting);
    expect(stdout.includes(ESC)).toBe(painted);
  });

  it.each([
    ['a line of JSON', {}, /^\{"error":\{"kind":"usage",/],
    ['text at a terminal', { terminal: { columns: 80 } }, /^error: /],
  ])('tells an error beside JSON as %s', async (_, setting, told) => {
    const service = await startService([]);
    const { code, stderr } = await service.hogctl('persons list --limit x -o json', setting);
    expect([code, stderr]).toEqual([2, expect.stringMatching(told)]);
  });

  it('takes a terminal that does not know its width for one of 80 columns', async () => {
    const show = async (columns: number) => {
      const setting = { terminal: { columns }, environment: { NO_COLOR: '1' } };
      return (await (await serving()).hogctl('persons list', setting)).stdout;
    };
    expect(await show(0)).toBe(await show(80));
    expect(await show(0)).not.toBe(await show(40));
  });

  it('holds every line of a terminal', async () => {
    for (const columns of [40, 60, 80, 200]) {
      const setting = { terminal: { columns }, environment: { NO_COLOR: '1' } };
      const { stdout } = await (await serving()).hogctl('persons list', setting);
      for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(columns);
    }
  });
});

describe('several pages, one document', () => {
  const padded = (count: number, first: number) =>
    people(count, first).map((row) => ({ ...row, properties: { padding: 'x'.repeat(1200) } }));
  const pages = Array.from({ length: 12 }, (_, index) => padded(100, index * 100 + 1));

  /** A reader that takes its time with every chunk. */
  function slowReader() {
    const chunks: Buffer[] = [];
    const stream = new Writable({
      highWaterMark: 1024,
      write: (chunk, _encoding, done) => {
        chunks.push(Buffer.from(chunk));
        setImmediate(() => setImmediate(done));
      },
    });
    return { stream, bytes: () => Buffer.concat(chunks) };
  }

  it.each(namedFormats)('loses nothing to a slow reader of %s', async (format) => {
    const service = await startService(listOf(pages));
    const quick = await service.hogctl(`persons list --all -o ${format}`);
    const slow = slowReader();
    const { code } = await service.hogctl(`persons list --all -o ${format}`, { stdout: slow.stream });
    expect([quick.code, code]).toEqual([0, 0]);
    expect(slow.bytes().equals(Buffer.from(quick.stdout))).toBe(true);
    expect(quick.stdout.length).toBeGreaterThan(50_000);
    if (format === 'json') expect(JSON.parse(quick.stdout)).toHaveLength(1200);
  });

  it('loses nothing that was read before a failure', async () => {
    const service = await startService([
      { on: /cursor=1$/, times: 9, status: 400, json: { detail: 'no' } },
      ...listOf(pages.slice(0, 2)),
    ]);
    const slow = slowReader();
    const { code } = await service.hogctl('persons list --all -o ndjson', { stdout: slow.stream });
    expect(code).toBe(5);
    expect(slow.bytes().toString().trim().split('\n')).toHaveLength(100);
  });
});

describe('a key that first shows after the columns of CSV were settled', () => {
  const pages = [
    people(2),
    [
      { ...person(3), last_seen_at: 'x' },
      { ...person(4), last_seen_at: 'y' },
    ],
  ];

  it.each(['csv', 'tsv'])('ends %s with 8, after all rows', async (format) => {
    const service = await startService(listOf(pages));
    const { code, stdout, stderr } = await service.hogctl(`persons list --all -o ${format}`);
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([8, 5]);
    expect(stderr).toContain(
      'warning: the column "last_seen_at" appeared after the first page and is left out',
    );
    expect(stderr).toContain(`error: this ${format.toUpperCase()} lacks the column "last_seen_at"\n`);
  });

  it('leaves no file of --save', async () => {
    const service = await startService(listOf(pages));
    const file = join(temporaryDirectory(), 'people.csv');
    const { code } = await service.hogctl(`persons list --all -o csv --save ${file}`);
    expect([code, existsSync(file)]).toEqual([8, false]);
  });

  it.each(['-o ndjson', '-o csv --columns id,last_seen_at'])('is there with %s', async (words) => {
    const service = await startService(listOf(pages));
    const { code, stdout, stderr } = await service.hogctl(`persons list --all ${words}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/[,:]"?y/);
  });
});

const DIGITS = '9007199254740993';
const BODY = `{"id": ${DIGITS}, "uuid": "00000000-0000-4000-8000-000000000001", "created_at": "2026-01-02T03:04:05Z", "distinct_ids": ["u"], "properties": {"tweet": 1524831183200260097, "ratio": 1.0, "big": 1e400, "10": "x", "2": "y"}}`;

describe('integers beyond 2^53', () => {
  const serving = () =>
    startWithoutSql([
      { on: `GET /api/projects/1/persons/${DIGITS}/`, times: 9, body: BODY },
      // Somebody else is there, too, which a look at who has gone is told by.
      { on: 'GET /api/projects/1/persons/?limit=10', times: 9, json: { next: null, results: [person(7)] } },
      { on: `GET /api/projects/1/persons/${person(7).uuid}/`, times: 9, json: person(7) },
      { on: 'GET /api/projects/1/persons/?distinct_id=user_7', json: { next: null, results: [person(7)] } },
      { on: /^GET .*persons\/0+-/, times: 9, status: 404, json: { code: 'not_found' } },
      { on: 'GET /api/projects/1/persons/', times: 9, body: `{"next": null, "results": [${BODY}]}` },
      { on: `DELETE /api/projects/1/persons/${DIGITS}/`, status: 204 },
    ]);

  it.each(namedFormats)('keeps every digit in %s', async (format) => {
    const service = await serving();
    const columns = '--columns id,properties.tweet,properties.ratio,properties.big';
    const get = await service.hogctl(`persons get ${DIGITS} -o ${format}`);
    const list = await service.hogctl(`persons list -o ${format}`);
    const chosen = await service.hogctl(`persons list -o ${format} ${columns}`);
    for (const { stdout } of [get, chosen]) {
      for (const number of [DIGITS, '1524831183200260097', '1.0', '1e400']) expect(stdout).toContain(number);
    }
    expect(list.stdout).toContain(DIGITS);
    const headless = await service.hogctl(`persons list -o ${format} ${columns} --no-headers`);
    expect(headless.stdout.includes('properties.tweet')).toBe(!formats[format].hasHeader);
    // An alias may have one of the two.
    const again = await service.hogctl(`--no-headers persons list -o ${format} ${columns} --headers`);
    expect(again).toEqual(chosen);
    for (const { stdout } of [get, list, chosen])
      expect(stdout).not.toMatch(/…992|740992|260000|null|1\.52e/);
  });

  it('deletes the person whose id was printed', async () => {
    const service = await serving();
    const { stdout } = await service.hogctl('persons list -o tsv --columns id --no-headers');
    const { code } = await service.hogctl(['persons', 'delete', stdout.trim(), '--yes']);
    expect(code).toBe(0);
    const byDistinctId = await service.hogctl('persons get --distinct-id u -o json');
    expect(byDistinctId.code).toBe(0);
    expect(service.log.at(-1)?.url).toBe(`/api/projects/1/persons/${DIGITS}/`);
  });
});
