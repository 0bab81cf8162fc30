import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChance } from '../support/failing-deletions.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { BINARY, hogctl, start, startService, temporaryDirectory } from './built-program.ts';

const MOST_SESSIONS = 60;
const LIST_ROWS = 12_000;
const SQL_ROWS = 12_000;

type Asked = { readonly query: { readonly query: string; readonly values: Record<string, string> } };

const uuidAt = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const positionOf = (id: string | undefined) => Number(id?.slice(-12) ?? -1);
const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

/** A page of the list: text with quotes, commas and line breaks in it. */
function listPage({ url }: Received): StubAnswer {
  const query = new URL(url, 'http://stub').searchParams;
  const offset = Number(query.get('offset') ?? 0);
  const end = Math.min(offset + Number(query.get('limit')), LIST_ROWS);
  const results = range(offset, end).map((index) => ({
    id: uuidAt(index),
    uuid: uuidAt(index),
    distinct_ids: [`user ${index}`, `"b,${index}`],
    properties: { index, text: 'a "b",\nc' },
    created_at: '2026-01-02T03:04:05Z',
  }));
  const next = end < LIST_ROWS ? `/api/projects/1/persons/?limit=1000&offset=${end}` : null;
  return { json: { next, results } };
}

/** The same through SQL, in the order of ids. */
function sqlPage(received: Received): StubAnswer {
  // The list tells whom SQL does not show.
  if (received.method === 'GET') return listPage(received);
  const { query, values } = (received.json as Asked).query;
  const isIds = query.includes('person_distinct_ids');
  const most = Number(/LIMIT (\d+)$/.exec(query)?.[1]);
  const from = isIds
    ? positionOf(values.from) + (query.includes('>=') ? 0 : 1)
    : positionOf(values.after) + 1;
  const end = Math.min(isIds ? positionOf(values.last) + 1 : SQL_ROWS, from + most);
  const results = range(from, end).map((index) =>
    isIds ? [uuidAt(index), [`user ${index}`]] : [uuidAt(index), `{"index":${index}}`, '2026-01-02 03:04:05'],
  );
  return { json: { results, columns: [], hasMore: end < SQL_ROWS } };
}

const SIGNALS = ['SIGKILL', 'SIGKILL', 'SIGINT', 'SIGTERM'] as const;
/** Killed, interrupted, terminated, or met by an answer that was cut off. */
const BROKEN_OFF = ['SIGKILL', 130, 143, 6];

describe('an export that is killed again and again', () => {
  it.each([
    ['from the list, csv', 'list', 'csv', listPage, { kills: 4, calls: 3 }],
    ['from the list, ndjson', 'list', 'ndjson', listPage, { kills: 3, calls: 3 }],
    ['through SQL, ndjson', 'query', 'ndjson', sqlPage, { kills: 3, calls: 6 }],
    ['through SQL, csv', 'query', 'csv', sqlPage, { kills: 3, calls: 6 }],
  ] as const)(
    'and resumed is, byte for byte, one that was not, %s',
    {
      timeout: 240_000,
    },
    async (_, way, format, answer, { kills: most, calls }) => {
      const chance = createChance(20261129);
      let heard: () => StubAnswer = () => ({});
      const { environment } = await startService([(received) => ({ ...answer(received), ...heard() })]);
      const folder = temporaryDirectory();
      const words = ['persons', 'export', '--via', way, '-o', format, '--quiet', '--retries', '0', '--save'];
      const file = (name: string) => join(folder, name);
      const resumed = [...words, file('resumed'), '--resume', file('state')];
      const ends: (number | string | null)[] = [];
      while (ends.at(-1) !== 0 && ends.length < MOST_SESSIONS) {
        const { child, ended } = start([process.execPath, BINARY, ...resumed], environment);
        // Before an answer, while it is read, or while its rows are written: by chance.
        let left = ends.length < most ? 1 + Math.floor(chance() * calls) : Number.POSITIVE_INFINITY;
        heard = () => {
          left -= 1;
          if (left !== 0) return {};
          // One in four is the network's fault.
          if (chance() < 0.25) return { cutAt: Math.floor(chance() * 200_000) };
          const signal = SIGNALS[Math.floor(chance() * SIGNALS.length)] ?? 'SIGKILL';
          setTimeout(() => child.kill(signal), chance() * 60);
          return {};
        };
        const { code, signal } = await ended;
        ends.push(signal ?? code);
      }
      heard = () => ({});
      expect(ends.at(-1)).toBe(0);
      expect(ends.length).toBeGreaterThan(most / 2);
      for (const end of ends.slice(0, -1)) expect(BROKEN_OFF).toContain(end);
      expect((await hogctl([...words, file('whole')], environment)).code).toBe(0);
      expect(readFileSync(file('resumed')).equals(readFileSync(file('whole')))).toBe(true);
      expect(readdirSync(folder).sort()).toEqual(['resumed', 'state', 'whole']);
    },
  );
});

describe('an export whose disk takes no more', () => {
  it('ends with 6, and goes on to the same file when there is room', { timeout: 60_000 }, async () => {
    const { environment } = await startService([listPage]);
    const folder = temporaryDirectory();
    const words = ['persons', 'export', '--via', 'list', '-o', 'csv', '--quiet', '--save'];
    const file = (name: string) => join(folder, name);
    const resumed = [...words, file('resumed'), '--resume', file('state')];
    // A file may not grow beyond this, which cuts the write that would: 1,000 blocks of 512 or 1,024 bytes.
    const limited = `trap '' XFSZ; ulimit -f 1000; exec "$0" "$@"`;
    const full = await start(['sh', '-c', limited, process.execPath, BINARY, ...resumed], environment).ended;
    expect(full).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('run the same command again to continue'),
    });
    expect((await hogctl(resumed, environment)).code).toBe(0);
    expect((await hogctl([...words, file('whole')], environment)).code).toBe(0);
    expect(readFileSync(file('resumed')).equals(readFileSync(file('whole')))).toBe(true);
  });
});

describe('an export that is begun twice', () => {
  it('is refused while the first is at work, and goes on when that was killed', {
    timeout: 60_000,
  }, async () => {
    let isStuck = true;
    let heard: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const { environment } = await startService([
      (received) => {
        const isLater = received.url.includes('offset=');
        if (isLater && isStuck) heard();
        return isLater && isStuck ? { never: true } : listPage(received);
      },
    ]);
    const folder = temporaryDirectory();
    const words = ['persons', 'export', '--via', 'list', '-o', 'csv', '--quiet', '--save'];
    const resumed = [...words, join(folder, 'resumed'), '--resume', join(folder, 'state')];
    const { child, ended } = start([process.execPath, BINARY, ...resumed], environment);
    await asked;
    expect(await hogctl(resumed, environment)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`is being written by process ${child.pid}\n`),
    });
    child.kill('SIGKILL');
    await ended;
    isStuck = false;
    expect((await hogctl(resumed, environment)).code).toBe(0);
    expect((await hogctl([...words, join(folder, 'whole')], environment)).code).toBe(0);
    expect(readFileSync(join(folder, 'resumed')).equals(readFileSync(join(folder, 'whole')))).toBe(true);
  });
});
