import { describe, expect, it } from 'vitest';
import type { Setting } from '../support/run-program.ts';
import { startService } from '../support/service.ts';
import type { StubStep } from '../support/stub-server.ts';

const told = [
  null,
  { rows_read: 0, estimated_rows_total: 0 },
  { rows_read: 1000, estimated_rows_total: 0 },
  { rows_read: 4000, estimated_rows_total: 10_000 },
  { rows_read: 12_000, estimated_rows_total: 10_000 },
];
const running = { id: 'q1', complete: false, error: false };
const ended = { ...running, complete: true };
const at = (place: number) => told[place] ?? null;
const rows = { results: [['a', 1]], columns: ['event', 'n'] };
const polls = (times: number, progress: object | null): StubStep => ({
  on: 'GET /api/projects/1/query/q1/',
  status: 202,
  json: { query_status: { ...running, query_progress: progress } },
  times,
});

const insight = { id: 9, short_id: 'zeNY2NOU', name: 'Checkout', result: null, last_refresh: null };
const commands = {
  query: {
    line: 'query "select 1" --async --wait',
    what: 'waiting for the query',
    begin: [
      { on: 'POST /api/projects/1/query/', status: 202, json: { results: null, query_status: running } },
    ],
    end: [{ json: { query_status: { ...ended, results: rows } } }],
  },
  'insights get': {
    line: 'insights get 9 --refresh async --wait',
    what: 'waiting for the result',
    begin: [{ on: /refresh=async/, status: 202, json: { ...insight, query_status: running } }],
    end: [
      { on: 'GET /api/projects/1/query/q1/', json: { query_status: ended } },
      { on: /refresh=force_cache/, json: { ...insight, result: [], last_refresh: '2026-03-02T12:00:00Z' } },
    ],
  },
};

/** Runs a command whose clock only waiting moves, and answers what it said on stderr beside notes. */
async function stderrOf(
  { line, begin, end }: (typeof commands)[keyof typeof commands],
  { between, options = '', ...setting }: Setting & { between: readonly StubStep[]; options?: string },
) {
  const service = await startService([...begin, ...between, ...end]);
  let now = Date.UTC(2026, 2, 2, 12);
  const wait = async (milliseconds: number) => {
    now += milliseconds;
  };
  const { code, stderr } = await service.hogctl(`${line} ${options}`, { now: () => now, wait, ...setting });
  expect(code, stderr).toBe(0);
  return stderr.replace(/^Waiting for .*\n/, '').replace(/^Checkout, .*\n|^no rows\n/gm, '');
}

/** What stands in the line on a terminal, one after the other. */
const drawn = (stderr: string) => stderr.split('\r\u001b[K').slice(1);

describe.each(Object.entries(commands))('%s --wait', (_, command) => {
  const { what } = command;

  it('says nothing of a wait that is short', async () => {
    const terminal = { columns: 80 };
    expect(drawn(await stderrOf(command, { between: [polls(1, null)], terminal }))).toEqual([]);
    expect(await stderrOf(command, { between: [polls(1, null)] })).not.toContain(what);
  });

  it('writes a line now and then where there is no terminal', async () => {
    const stderr = await stderrOf(command, {
      between: [polls(8, null), polls(2, at(3)), polls(1, at(4))],
    });
    expect(stderr).toBe(
      [
        `${what}, 11 s\n${what}, 25 s\n`,
        '4000 of 10000 rows read, 116 a second, about 52 s left\n',
        '4000 of 10000 rows read, 90 a second, about 2 min left\n',
        '12000 rows read, 220 a second\n',
      ].join(''),
    );
  });

  it('draws one line on a terminal, in which the time goes on', async () => {
    const between = [...told.map((progress) => polls(1, progress)), polls(1, null)];
    const pictures = drawn(await stderrOf(command, { between, terminal: { columns: 80 } }));
    expect(pictures.pop()).not.toContain(what);
    expect(pictures).toEqual([
      `${what}, 3 s`,
      '1000 rows read, 421 a second',
      '█████████░░░░░░░░░░░░░░ 4000 of 10000 rows read, 985 a second, about 6 s left',
      '12000 rows read, 1820 a second',
      ...[11, 12, 13, 14, 15, 16].map((seconds) => `${what}, ${seconds} s`),
    ]);
  });

  it.each([
    ['-q', {}],
    ['--quiet', { terminal: { columns: 80 } }],
  ])('says nothing with %s', async (options, setting) => {
    const stderr = await stderrOf(command, { between: [polls(12, at(3))], options, ...setting });
    expect(stderr).not.toMatch(/waiting|rows read|\r/);
  });

  it('writes lines on a terminal that takes nothing back', async () => {
    const environment = { TERM: 'dumb' };
    const stderr = await stderrOf(command, {
      between: [polls(9, null)],
      terminal: { columns: 80 },
      environment,
    });
    expect(stderr).toContain(`${what}, 11 s\n`);
    expect(stderr).not.toContain('\r');
  });
});
