import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { people, queryOf, startService, temporaryDirectory } from '../support/service.ts';
import { asksFor, MOST, sqlOver } from '../support/sql-service.ts';
import type { StubAnswer } from '../support/stub-server.ts';

const PAGE = 1000;
/** Wide enough for the name of any file. */
const terminal = { columns: 1000 };

/** A service whose list takes three seconds for each page, by a clock that only its answers move. */
async function slowService(
  total: number,
  fault: (asked: number) => StubAnswer | undefined = () => undefined,
  { counts = false } = {},
) {
  const state = { now: Date.UTC(2026, 2, 2, 12), asked: 0 };
  const all = people(total);
  const service = await startService([
    (received) => {
      state.now += 3000;
      state.asked += 1;
      const failure = fault(state.asked);
      if (failure !== undefined) return failure;
      const query = queryOf(received);
      const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit'))];
      const end = offset + limit;
      const next = end < total ? `/api/projects/1/persons/?limit=${limit}&offset=${end}` : null;
      return { json: { next, ...(counts ? { count: total } : {}), results: all.slice(offset, end) } };
    },
  ]);
  return { ...service, now: () => state.now };
}

/** Lines as a terminal leaves them: what a bar has taken away is not in them. */
const seen = (stderr: string) => stderr.split('\n').map((line) => line.split('\r\u001b[K').at(-1));

const parts = (folder: string) =>
  ['persons', 'export', '--via', 'list', '-o', 'csv', '--save', join(folder, 'out')].concat([
    ...['--resume', join(folder, 'state'), '--retries', '0'],
  ]);

describe('the progress of an export', () => {
  it('makes no rows ragged on the terminal that they go to', async () => {
    const { hogctl, now } = await slowService(3 * PAGE);
    const { stdout, stderr } = await hogctl('persons export --via list -o csv', { terminal, now });
    expect(stdout.split('\n')).toHaveLength(3 * PAGE + 2);
    expect(stderr).toBe('Reading persons from the list, newest first.\n');
  });

  it('makes way for what is said meanwhile', async () => {
    const { hogctl, now } = await slowService(3 * PAGE, (asked) =>
      asked === 3 ? { status: 503 } : undefined,
    );
    const file = join(temporaryDirectory(), 'out');
    const line = ['persons', 'export', '--via', 'list', '-o', 'csv', '--save', file];
    const { stderr } = await hogctl(line, { terminal, now });
    expect(stderr).toContain(' persons, ');
    expect(seen(stderr)).toEqual([
      'Reading persons from the list, newest first.',
      expect.stringMatching(/^the service answered 503.*; trying again in .*\(1 of 4\)$/),
      `Saved ${3 * PAGE} rows to ${file}.`,
      '',
    ]);
  });

  it.each([[], ['--resume']])('tells how long the first persons are waited for %s', async (...resume) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = sqlOver(2);
    let now = Date.UTC(2026, 2, 2, 12);
    const { hogctl } = await startService([
      (received) => {
        now += 6000;
        vi.advanceTimersByTime(1000);
        return answer(received);
      },
    ]);
    const file = join(temporaryDirectory(), 'out');
    const line = ['persons', 'export', '-o', 'csv', '--save', file];
    const wish = { now: () => now };
    const state = resume.flatMap((option) => [option, `${file}.state`]);
    const shown = await hogctl([...line, ...state], { ...wish, terminal });
    const waited = [6, 12].map((seconds) => `waiting for the first persons, ${seconds} s`);
    expect(shown.stderr.split(/\r\u001b\[K|\n/)).toEqual(expect.arrayContaining(waited));
    expect(seen(shown.stderr)).toHaveLength(3);
    const written = await hogctl([...line, ...state], wish);
    expect(written.stderr).toContain('\nReading persons through SQL');
    expect(written.stderr).toMatch(/^(The export .*\n)?waiting for the first persons, 12 s\n/);
  });

  it('tells the time that is left where the service counts', async () => {
    let broken = true;
    const fault = (asked: number) => (broken && asked === 3 ? { status: 503 } : undefined);
    const { hogctl, now } = await slowService(4 * PAGE, fault, { counts: true });
    const folder = temporaryDirectory();
    const first = await hogctl(parts(folder), { terminal, now });
    expect(first.stderr).toMatch(/1000 of 4000 persons, \d+ a second, about \d+ s left\r/);
    broken = false;
    const { stderr } = await hogctl(parts(folder), { terminal, now });
    expect(stderr).toMatch(/960 of 2020 more persons, \d+ a second, about \d+ s left\r/);
    const file = join(folder, 'list');
    const whole = await hogctl(['persons', 'export', '--via', 'list', '--save', file], { terminal, now });
    expect(whole.stderr).toMatch(/1000 of 4000 persons, \d+ a second, about \d+ s left\r/);
  });

  it('counts what came since an export was gone on with', async () => {
    let broken = true;
    const { hogctl, now } = await slowService(4 * PAGE, (asked) =>
      broken && asked === 3 ? { status: 503 } : undefined,
    );
    const folder = temporaryDirectory();
    const { code } = await hogctl(parts(folder), { terminal, now });
    broken = false;
    const { stderr } = await hogctl(parts(folder), { terminal, now });
    expect(code).toBe(6);
    expect(stderr).toContain('960 more persons, ');
    expect(seen(stderr)).toEqual([
      'Continuing after 1980 persons.',
      'Reading persons from the list, newest first.',
      `Saved ${4 * PAGE} rows to ${join(folder, 'out')}.`,
      '',
    ]);
  });
});

describe('the progress of a list', () => {
  it('leaves out of its total what --offset skips', async () => {
    const { hogctl, now } = await slowService(5 * PAGE, undefined, { counts: true });
    const line = `persons list --all --offset ${2 * PAGE} -o csv --save ${join(temporaryDirectory(), 'out')}`;
    const { stderr } = await hogctl(line, { terminal, now });
    expect(stderr).toMatch(/ \d000 of 3000 rows, /);
  });
});

describe('what to do about an export that ended early', () => {
  it('is the same command once there is something to go on from', async () => {
    const controller = new AbortController();
    const folder = temporaryDirectory();
    const failing = await slowService(3 * PAGE, (asked) => (asked === 2 ? { status: 503 } : undefined));
    const failed = await failing.hogctl(parts(folder).concat('-o', 'ndjson'));
    expect(failed.code).toBe(6);
    expect(JSON.parse(failed.stderr.split('\n').at(-2) ?? '')).toMatchObject({
      error: { hint: 'try again later; run the same command again to continue', status: 503 },
    });
    const service = await slowService(3 * PAGE, (asked) => {
      if (asked === 2) controller.abort();
      return asked === 2 ? { never: true } : undefined;
    });
    const stopped = await service.hogctl(parts(temporaryDirectory()), { signal: controller.signal });
    expect(stopped.stderr).toMatch(/interrupted.*\nhint: run the same command again to continue\n$/);
  });

  it('is to try again where nothing came', async () => {
    const { hogctl } = await slowService(PAGE, () => ({ status: 503 }));
    const { stderr } = await hogctl(parts(temporaryDirectory()));
    expect(stderr).toMatch(/hint: try again later\n$/);
  });

  it('is to begin anew where the file has gone', async () => {
    const folder = temporaryDirectory();
    const { hogctl } = await slowService(3 * PAGE, (asked) => (asked === 2 ? { status: 503 } : undefined));
    await hogctl(parts(folder));
    rmSync(join(folder, 'out.part'));
    expect(await hogctl(parts(folder))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/out\.part: no such .*\nhint: remove .*state to start over\n$/),
    });
  });

  it('is to begin anew where it is to go another way', async () => {
    const folder = temporaryDirectory();
    const { hogctl, log } = await slowService(3 * PAGE, (asked) =>
      asked === 2 ? { status: 503 } : undefined,
    );
    await hogctl(parts(folder));
    const state = join(folder, 'state');
    expect(await hogctl(parts(folder).concat('--via', 'query'))).toMatchObject({
      code: 2,
      stderr: `error: the export in ${state} uses --via list, and cannot change to query\nhint: leave out --via, or remove ${state} to start over\n`,
    });
    expect(log).toHaveLength(2);
    rmSync(state);
    const again = await hogctl(parts(folder).map((word) => (word === 'list' ? 'query' : word)));
    expect(again.stderr).not.toContain('cannot change');
  });

  it.each(['out', './out', 'out.part', 'out.part.lock'])(
    'is to name two files where --resume is %s and --save is out',
    async (name) => {
      const { hogctl, log } = await slowService(1);
      const line = ['persons', 'export', '-o', 'csv', '--save', 'out', '--resume', name];
      expect(await hogctl(line)).toMatchObject({
        code: 2,
        stderr:
          'error: --resume and --save need different files\nhint: give --resume another, such as out.state\n',
      });
      expect(log).toHaveLength(0);
    },
  );
});

describe('an export through SQL', () => {
  it('asks for the next persons before the distinct ids of these have come', async () => {
    const answer = sqlOver(MOST + 2);
    let goOn = () => {};
    const next = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const service = await startService([
      (received) => {
        if (asksFor('persons WHERE id >')(received)) goOn();
        return asksFor('person_distinct_ids')(received)
          ? { ...answer(received), after: next }
          : answer(received);
      },
    ]);
    const { code, stdout } = await service.hogctl('persons export -o csv --columns id --no-headers');
    expect([code, stdout.split('\n').length]).toEqual([0, MOST + 3]);
  });
});
