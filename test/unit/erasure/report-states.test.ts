import { describe, expect, test } from 'vitest';
import type { LookUp } from '../../../src/erasure/people/resolve.ts';
import { verifyRun } from '../../../src/erasure/proof/ask.ts';
import type { RunRecord } from '../../../src/erasure/record/open.ts';
import { reconcile } from '../../../src/erasure/record/outcome.ts';
import { memberOutcomes, report, reportRows } from '../../../src/erasure/report/json.ts';
import { reportMarkdown } from '../../../src/erasure/report/page.ts';
import { CliError } from '../../../src/errors.ts';
import { inPages } from '../../../src/print/rows.ts';
import {
  type Answering,
  allDeleted,
  carryOut,
  failure,
  knownAs,
  listOnly,
  numbered,
  rehearse,
  unlabelled,
  uuidOf,
} from './rehearsal.ts';

const hour = 60 * 60_000;
const withEvents = { deleteEvents: true, deleteRecordings: false, keepPerson: false };
const outcomesOf = (run: RunRecord) => [...memberOutcomes(run)].map(({ outcome }) => outcome);
const unavailable = (): never => {
  throw failure(503, 'not-done');
};
const lost = (): never => {
  throw failure(undefined, 'unknown');
};
/** Knows these people, each since this moment. */
const finding =
  (created: Readonly<Record<string, string>>): LookUp =>
  async ({ ids }) =>
    ids.flatMap((id) => {
      const createdAt = created[id];
      return createdAt === undefined ? [] : [{ id, uuid: uuidOf(1), distinctIds: [id], createdAt }];
    });

describe('the report of a run', () => {
  test('that was not begun has no times and no figures', () => {
    const { run } = rehearse({ ids: numbered(2), plan: { flags: withEvents } });
    expect(report(run)).toMatchObject({
      first_sent_at: null,
      last_answered_at: null,
      ended_at: null,
      outcome: { verdict: 'not finished', found: null, deleted: null, queued: null, not_sent: 2 },
      events: { requested_at: null, queued: null, not_before: null, not_before_by: null },
      batches: [{ state: 'not sent', attempts: 0, found: null, errors: null, failure: null }],
    });
    expect(reportMarkdown(run)).toMatch(/\| Ended \| not yet \|[\s\S]*## Outcome: not finished\n/);
  });

  test('that failed tells the failure of each batch, and what was never sent', async () => {
    const { run, clock } = rehearse({ ids: numbered(500) });
    await carryOut(run, clock, unavailable);
    const { outcome, batches } = report(run) as { outcome: object; batches: readonly object[] };
    expect(outcome).toMatchObject({
      verdict: 'stopped',
      stopped: 'three failures in a row',
      refused: 300,
      not_sent: 200,
    });
    expect(batches).toMatchObject([
      ...Array.from({ length: 3 }, () => ({
        state: 'failed, not carried out',
        failure: { outcome: 'not-done', kind: 'unavailable', status: 503 },
      })),
      { state: 'not sent' },
      { state: 'not sent' },
    ]);
    expect(reportMarkdown(run)).toContain('## Outcome: stopped (three failures in a row)');
    expect(new Set(outcomesOf(run))).toEqual(new Set(['refused', 'not sent']));
  });

  test('whose answers were lost calls their outcome unknown', async () => {
    const { run, clock } = rehearse({ ids: numbered(2) });
    await carryOut(run, clock, lost);
    expect(report(run)).toMatchObject({ batches: [{ state: 'unknown' }], outcome: { unknown: 2 } });
  });

  test('that was answered without figures calls its ids accepted', async () => {
    const { run, clock } = rehearse({ ids: numbered(2) });
    await carryOut(run, clock, () => ({ errors: [], accepted: true }));
    expect(report(run)).toMatchObject({
      outcome: { verdict: 'done', found: null, accepted: 2 },
      batches: [{ state: 'accepted', found: null, deleted: null }],
    });
    expect(outcomesOf(run)).toEqual(['accepted', 'accepted']);
  });

  test('that was settled by a look-up says who is gone', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(2) });
    await carryOut(run, clock, lost);
    run.close();
    clock.forward(hour);
    const again = reopen();
    const { sent } = await carryOut(again, clock, allDeleted, { lookUp: finding({}) });
    expect(sent).toEqual([]);
    expect(report(again)).toMatchObject({
      batches: [{ state: 'settled (nobody left when looked up)' }],
      outcome: { gone_when_looked_up: 2 },
    });
    expect(outcomesOf(again)).toEqual(['gone when looked up', 'gone when looked up']);
  });

  test('in which somebody was spared who came back names them among what is left', async () => {
    const { run, clock, reopen } = rehearse({
      ids: numbered(2),
      plan: { serviceTime: '2026-11-28T12:00:00Z' },
    });
    await carryOut(run, clock, lost);
    run.close();
    clock.forward(hour);
    const again = reopen();
    const before = '2026-11-01T00:00:00Z';
    const lookUp = finding({ 'user-1': before, 'user-2': new Date(clock.now()).toISOString() });
    await carryOut(again, clock, allDeleted, { lookUp });
    expect(outcomesOf(again)).toEqual(['deleted', 'withheld']);
  });

  test('whose errors were sent again counts what that deleted, and those that nobody named', async () => {
    const { run, clock } = rehearse({ ids: numbered(3), known: knownAs(numbered(3)) });
    const answer: Answering = (batch, call) =>
      call === 1
        ? {
            found: 3,
            deleted: 1,
            errors: [{ person_uuid: uuidOf(1), step: 'postgres' }, { step: 'postgres' }],
          }
        : allDeleted(batch, call);
    const { outcome } = await carryOut(run, clock, answer);
    expect(outcome).toMatchObject({ verdict: 'partly done', deleted: 2, failed: 1 });
    expect(report(run)).toMatchObject({ batches: [{ retry: { deleted: 1, errors: 0 } }] });
  });

  test('whose events only some calls queued says so', async () => {
    const { run, clock } = rehearse({ ids: numbered(200), plan: { flags: withEvents } });
    await carryOut(run, clock, ({ ids }, call) => ({
      found: ids.length,
      deleted: ids.length,
      eventsQueued: call === 1,
      errors: [],
    }));
    expect(report(run)).toMatchObject({ events: { queued: 'some' } });
  });

  test('that was cut numbers the parts of a batch', async () => {
    const { run, clock } = rehearse({ ids: numbered(300), plan: { batchSize: 300 } });
    await carryOut(run, clock, (batch, call) => {
      if (batch.ids.length > 100)
        throw new CliError('refused', 'too many', { status: 400, outcome: 'not-done' });
      return allDeleted(batch, call);
    });
    expect(reportMarkdown(run)).toMatch(/\| 1\.1 \|[\s\S]*\| 1\.2 \|[\s\S]*\| 1\.3 \|/);
  });

  test('tells a verification that holds, without events that nobody asked for', async () => {
    const { run, clock } = rehearse({ ids: numbered(2) });
    await carryOut(run, clock, allDeleted);
    await verifyRun(run, { ...listOnly, lookUp: finding({}) });
    const text = reportMarkdown(run);
    expect(text).toContain(': holds');
    expect(text).not.toContain('events pending');
  });
});

test('a run of more than 10,000 ids lists them as rows only, all of them', async () => {
  const { run, clock } = rehearse({ ids: numbered(10_001), plan: { batchSize: 1000 } });
  await carryOut(run, clock, allDeleted);
  expect(report(run)).toMatchObject({ members: { count: 10_001, list: null } });
  const pages: number[] = [];
  for await (const rows of inPages(reportRows(run))) pages.push(rows.length);
  expect([pages.length, pages.reduce((sum, one) => sum + one, 0)]).toEqual([11, 10_001]);
});

describe('the head of a report', () => {
  test('names a project without a name by its id, keys without a label, and each session', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(2), plan: { project: { id: '7', name: '7' } } });
    await carryOut(run, clock, unavailable, { settings: async () => unlabelled });
    run.close();
    const again = reopen();
    await carryOut(again, clock, allDeleted, { settings: async () => unlabelled });
    const text = reportMarkdown(again);
    expect(text).toMatch(/\| Project \| 7 \|/);
    expect(text).toMatch(/\| Started \| \S+, key without a label \|/);
    expect(text).toMatch(/\| Resumed \| \S+, key without a label \|/);
  });

  test('whose events no call queued says so, and tells the events of a verification', async () => {
    const { run, clock } = rehearse({ ids: numbered(2), plan: { flags: withEvents } });
    await carryOut(run, clock, ({ ids }) => ({
      found: ids.length,
      deleted: 2,
      eventsQueued: false,
      errors: [],
    }));
    expect(report(run)).toMatchObject({ events: { queued: 'none' } });
  });

  test('counts what was accepted when errors were sent again', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const errors = [{ person_uuid: uuidOf(1), step: 'postgres' }];
    const { outcome } = await carryOut(run, clock, (_, call) =>
      call === 1 ? { found: 3, deleted: 2, errors } : { errors: [], accepted: true },
    );
    expect(outcome).toMatchObject({ deleted: 2, accepted: 1, failed: 0 });
  });
});

test('a wait that fails by itself is a bug, and no signal', async () => {
  const { run, clock } = rehearse({ ids: numbered(300) });
  const wait = () => Promise.reject(new RangeError('broken clock'));
  await expect(carryOut(run, clock, allDeleted, { wait, rate: 1 })).rejects.toThrow('broken clock');
});

test('a bug of ours stops the run as what it is, and is written down as one that may have run', async () => {
  const { run, clock } = rehearse({ ids: numbered(2) });
  const broken: Answering = () => {
    throw new TypeError('x is not a function');
  };
  await expect(carryOut(run, clock, broken)).rejects.toThrow('x is not a function');
  expect(report(run)).toMatchObject({ batches: [{ state: 'unknown', failure: { kind: 'bug' } }] });
});

test.each([
  ['was not counted at first leaves the others open', undefined, 1, 'partly done'],
  ['was counted at first adds it', 2, 3, 'done'],
] as const)('a deletion that %s', async (_, first, deleted, verdict) => {
  const { run, clock } = rehearse({ ids: numbered(3) });
  const errors = [{ person_uuid: uuidOf(1), step: 'postgres' }];
  const { outcome } = await carryOut(run, clock, (_, call) =>
    call > 1 ? { found: 1, deleted: 1, errors: [] } : { found: 3, errors, ...(first && { deleted: first }) },
  );
  expect(outcome).toMatchObject({ verdict, found: 3, deleted, notAccountedFor: 0 });
});

test('a run of integers that belong to nobody sends nothing and finds nobody', async () => {
  const { run, clock } = rehearse({ ids: ['11', '12'], kind: 'ids', known: [null, null] });
  const { sent, outcome } = await carryOut(run, clock, allDeleted);
  expect(sent).toEqual([]);
  expect(outcome).toMatchObject({ verdict: 'nobody found', kind: 'not-found', leftOut: 2, sent: 0 });
  expect(outcome.found).toBeUndefined();
});

test('a run of which nothing was done, for a fault of ours, ends as partly done', () => {
  const { run } = rehearse({ ids: numbered(2) });
  const where = { batch: 1, part: 1, retry: false };
  run.append({ type: 'sending', ...where, count: 2, digest: 'd' });
  run.append({ type: 'failed', ...where, failure: { outcome: 'not-done', kind: 'bug' } });
  run.append({ type: 'ended', stopped: null });
  expect(report(run)).toMatchObject({ outcome: { verdict: 'partly done', refused: 2 } });
  expect(reconcile(run)).toMatchObject({ kind: 'partial', batches: { failed: 1, total: 1 } });
});
