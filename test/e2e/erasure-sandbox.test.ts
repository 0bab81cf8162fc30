import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { numbered } from '../support/bulk-deletions.ts';
import { inOrder } from '../support/in-order.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';

const THURSDAY = '2026-06-18T12:00:00Z';
const AFTER_SUNDAY = '2026-06-21T06:00:00Z';
const erased = numbered(24, 'erased_');
const spared = numbered(10, 'spared_');

const data = {
  persons: [...erased, ...spared].map((id) => ({
    distinct_ids: [id],
    properties: { email: `${id}@example.org` },
  })),
  events: [...erased, ...spared].flatMap((id) =>
    [1, 2].map((day) => ({ event: 'visit', distinct_id: id, timestamp: `2026-06-1${day}T08:00:00Z` })),
  ),
};

describe.each<Dialect>(['specification', 'live'])(
  '24 people erased on the sandbox, %s dialect',
  (dialect) => {
    let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
    let state: string;
    let minute = 0;
    beforeAll(async () => {
      state = await mkdtemp(join(tmpdir(), 'hogctl-state-'));
      sandbox = await borrowSandbox({ dialect, now: THURSDAY, data });
    });
    afterAll(async () => {
      await sandbox.stop();
      await rm(state, { recursive: true, force: true });
    });
    const hogctl = (line: string, stdin = '') => {
      minute += 1;
      const now = Date.parse(THURSDAY) + minute * 60_000;
      return runProgram(splitWords(line), {
        stdin,
        now: () => now,
        environment: {
          ...sandboxEnvironment(sandbox, dialect),
          HOGCTL_STATE_DIR: state,
        },
      });
    };
    const read = async (line: string, code: number, stdin = '') => {
      const end = await hogctl(`${line} -o json`, stdin);
      expect(end, end.stderr).toMatchObject({ code });
      return JSON.parse(end.stdout);
    };
    const events = async () => {
      const counts = `select distinct_id like 'erased%' as gone, count() as n from events group by 1 order by 1`;
      return read(`query "${counts}"`, 0);
    };
    const ids = erased.join('\n');
    const inTurn = inOrder();

    it(
      'are deleted, their events asked for',
      inTurn(async () => {
        const line = 'persons bulk-delete --from - --as distinct-ids --delete-events --batch-size 20 --yes';
        const outcome = await read(line, 0, ids);
        expect(outcome).toMatchObject({
          verdict: 'done',
          unique: 24,
          found: 24,
          failed: 0,
          events_queued: 'all',
        });
        expect((outcome.deleted ?? 0) + (outcome.queued ?? 0)).toBe(24);
        expect(outcome.batches).toMatchObject({ total: 2, done: 2 });
        const left = await read('persons list --all', 0);
        expect(left.map(({ distinct_ids: [id] }: { distinct_ids: string[] }) => id).sort()).toEqual(
          [...spared].sort(),
        );
      }),
    );

    it(
      'are verified gone, and their events pending',
      inTurn(async () => {
        const verified = await read('runs verify last', 9);
        expect(verified).toMatchObject({
          asked: 24,
          left: 0,
          came_back: 0,
          pending_until: '2026-06-21T05:00:00.000Z',
          stores: ['person list', 'sql'],
        });
        // The live service has a deletion status; of another one events are counted.
        const counted = dialect === 'live' ? {} : { left: 48, later: 0 };
        expect(verified.events).toEqual({ gone: 0, open: 24, ...counted });
        expect(await events()).toMatchObject([{ n: 20 }, { n: 48 }]);
      }),
    );

    it(
      'have no events after Sunday',
      inTurn(async () => {
        expect(await hogctl('runs prune --older-than 0 --yes')).toMatchObject({ code: 0 });
        expect(await hogctl(`sandbox advance --to ${AFTER_SUNDAY}`)).toMatchObject({ code: 0 });
        expect(await events()).toMatchObject([{ n: 20 }]);
        const verified = await read('runs verify last', 0);
        expect(verified).toMatchObject({ asked: 24, left: 0, holds: true, pending_until: null });
        const counted = dialect === 'live' ? {} : { left: 0, later: 0 };
        expect(verified.events).toEqual({ gone: 24, open: 0, ...counted });
      }),
    );

    it(
      'are reported, by no name',
      inTurn(async () => {
        const { code, stdout } = await hogctl('runs report 2026');
        expect(code).toBe(0);
        expect(stdout).not.toContain('erased_');
        const text = stdout
          .replaceAll(sandbox.origin, 'http://sandbox')
          .replace(/\b[0-9a-f]{64}\b/g, '<sha256>');
        await expect(text).toMatchFileSnapshot(`../golden/erasure/report-${dialect}.md`);
        const { members } = await read('runs report 2026', 0);
        const outcomes = new Set(members.list.map((row: { outcome: string }) => row.outcome));
        expect([...outcomes]).toEqual([dialect === 'live' ? 'queued' : 'deleted']);
        expect(await read('runs find --distinct-ids erased_7', 9)).toHaveLength(1);
        expect(await hogctl('runs find --distinct-ids spared_7')).toMatchObject({ code: 0 });
      }),
    );
  },
);

it('events count by when they arrived, whatever time a client gave them', async () => {
  const sandbox = await borrowSandbox({
    dialect: 'specification',
    now: THURSDAY,
    data: { persons: [{ distinct_ids: ['late'] }, { distinct_ids: ['other'] }] },
  });
  const folder = await mkdtemp(join(tmpdir(), 'hogctl-state-'));
  try {
    const environment = { ...sandboxEnvironment(sandbox, 'specification'), HOGCTL_STATE_DIR: folder };
    const file = join(folder, 'events.json');
    await writeFile(
      file,
      JSON.stringify([{ event: 'visit', distinct_id: 'late', timestamp: '2099-01-01T00:00:00Z' }]),
    );
    const now = () => Date.parse(THURSDAY);
    const hogctl = (line: string) => runProgram(splitWords(line), { now, environment });
    expect(await hogctl(`sandbox import --events ${file}`)).toMatchObject({ code: 0 });
    expect(await hogctl('persons bulk-delete --distinct-ids late --delete-events --yes')).toMatchObject({
      code: 0,
    });
    const waiting = await hogctl('runs verify last');
    expect([waiting.code, waiting.stderr]).toEqual([
      9,
      expect.stringContaining('1 event from before the deletion still there'),
    ]);
    expect(await hogctl(`sandbox advance --to ${AFTER_SUNDAY}`)).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
  } finally {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
