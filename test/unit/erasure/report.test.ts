import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nextEventDeletion } from '../../../src/erasure/proof/events.ts';
import { createMemberOf } from '../../../src/erasure/record/members.ts';
import { memberOutcomes, report, reportRows } from '../../../src/erasure/report/json.ts';
import { reportMarkdown } from '../../../src/erasure/report/page.ts';
import { outcomeLines } from '../../../src/erasure/report/words.ts';
import { carryOut, failure, numbered, oneFailing, rehearse, uuidOf } from './rehearsal.ts';

const flags = { deleteEvents: true, deleteRecordings: false, keepPerson: false };

describe('report', () => {
  test('tells what ran, where, when, with which key, and where the journal ends', async () => {
    const { run } = await oneFailing();
    expect(report(run)).toMatchObject({
      run: '20261128T120000Z-i00000',
      project: { id: '7', name: 'Shop' },
      host: 'https://eu.example.test',
      flags,
      first_sent_at: '2026-11-28T12:00:00.000Z',
      sessions: [{ at: '2026-11-28T12:00:00.000Z', key_label: 'erasure job', resumed: false }],
      outcome: {
        verdict: 'partly done',
        asked: 5,
        found: 4,
        deleted: 0,
        queued: 3,
        failed: 1,
        failures: [{ batch: 1, person: run.memberOf('ids', uuidOf(2)), step: 'clickhouse' }],
        not_accounted_for: 0,
      },
      events: {
        requested_at: '2026-11-28T12:00:00.000Z',
        queued: 'all',
        not_before: '2026-11-29T05:00:00.000Z',
        not_before_by: 'the clock of the computer that asked',
      },
      batches: [
        { batch: 1, state: 'answered', attempts: 1, sent: 4, found: 4, errors: 1, retry: { errors: 1 } },
      ],
      journal: run.seal(),
      members: { count: 5 },
      ids_dropped: false,
    });
  });

  test('reckons the deletion of events by the service, where its last answer told the time', async () => {
    const { run, clock } = rehearse({ ids: numbered(2), plan: { flags, batchSize: 1 } });
    const times = [undefined, '2027-01-31T05:00:00.000Z'];
    await carryOut(run, clock, (_, call) => ({ errors: [], accepted: true, serviceTime: times[call - 1] }));
    expect(report(run)).toMatchObject({
      events: {
        requested_at: '2026-11-28T12:00:00.000Z',
        not_before: '2027-02-07T05:00:00.000Z',
        not_before_by: "the service's clock",
      },
    });
    expect(reportMarkdown(run)).toContain("before Sunday 2027-02-07, 05:00 UTC, by the service's clock.");
  });

  test('names nobody, in JSON, CSV and Markdown', async () => {
    const { run } = await oneFailing();
    const texts = [JSON.stringify(report(run)), JSON.stringify([...reportRows(run)]), reportMarkdown(run)];
    const key = readFileSync(join(run.path, 'check-key'), 'utf8').trim();
    for (const text of texts) {
      for (const secret of ['user-', uuidOf(2), key]) expect(text.includes(secret)).toBe(false);
    }
  });

  test('with the check key and an id tells whether the id was in the run', async () => {
    const { run } = await oneFailing();
    run.dropIds();
    const checkKey = readFileSync(join(run.path, 'check-key'), 'utf8');
    const rows = [...memberOutcomes(run)].map(({ line: { member }, ...row }) => ({ member, ...row }));
    const find = (id: string, kind: 'ids' | 'distinct-ids' = 'distinct-ids', key = checkKey) => {
      const wanted = createMemberOf(Buffer.from(key.trim(), 'hex'))(kind, id);
      return rows.find(({ member }) => member === wanted);
    };
    expect(find('user-3')).toMatchObject({ outcome: 'failed', step: 'clickhouse', batch: 1 });
    expect(find('user-6')).toBeUndefined();
    expect(find('user-3', 'ids')).toBeUndefined();
    expect(find('user-3', 'distinct-ids', '00'.repeat(32))).toBeUndefined();
    expect(report(run)).toMatchObject({ ids_dropped: true, members: { list: rows } });
  });

  test('calls a batch settled after a lost answer, and counts the last one', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    await carryOut(run, clock, (_, call) => {
      if (call === 1) throw failure(undefined, 'unknown');
      return { found: 2, deleted: 2, errors: [] };
    });
    expect(report(run)).toMatchObject({
      batches: [{ state: 'settled (answer lost once)', found: 2, attempts: 2 }],
    });
    expect(reportMarkdown(run)).toContain('| 1 | 3 | settled (answer lost once) | 2 | 2 |  | 0 |');
  });

  test('Markdown holds the figures, the request for events and the seal', async () => {
    const { run } = await oneFailing();
    const text = reportMarkdown(run);
    expect(text).toContain('| Project | Shop (7) |');
    expect(text).toContain('## Outcome: partly done');
    expect(text).toContain('| queued for deletion | 3 |  |');
    expect(text).toContain('it does not run before Sunday 2026-11-29, 05:00 UTC');
    expect(text).toContain(`--expect ${run.seal().lines}:${run.seal().hash}`);
  });

  test('a figure that the service did not give is not shown as 0', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const { outcome } = await carryOut(run, clock, () => ({ errors: [], accepted: true }));
    const names = outcomeLines(outcome).map(({ figure }) => figure);
    expect(names).toEqual(['ids asked for', 'different ids', 'sent and answered', 'accepted']);
  });
});

test('event deletion runs on the next Sunday at 05:00 UTC', () => {
  const next = (at: string) => nextEventDeletion(Date.parse(at));
  expect(next('2026-11-28T12:00:00Z')).toBe('2026-11-29T05:00:00.000Z');
  expect(next('2026-11-29T04:59:59Z')).toBe('2026-11-29T05:00:00.000Z');
  expect(next('2026-11-29T05:00:00Z')).toBe('2026-12-06T05:00:00.000Z');
  expect(next('2026-11-30T00:00:00Z')).toBe('2026-12-06T05:00:00.000Z');
});
