import { describe, expect, test } from 'vitest';
import { toBatchAnswer } from '../../../src/erasure/record/journal.ts';
import { reportMarkdown } from '../../../src/erasure/report/page.ts';
import { CliError } from '../../../src/errors.ts';
import { type Answering, allDeleted, carryOut, knownAs, numbered, rehearse, uuidOf } from './rehearsal.ts';

/** Fails the calls with these numbers, answers the others. */
function failing(calls: Readonly<Record<number, CliError>>): Answering {
  return (batch, call) => {
    const error = calls[call];
    if (error !== undefined) throw error;
    return allDeleted(batch, call);
  };
}

describe('answers', () => {
  const uuids = [uuidOf(1), uuidOf(2), uuidOf(3)];
  const errors = uuids.map((person_uuid) => ({ person_uuid, step: 'postgres' }));

  test('people that failed are sent once more as uuids, then listed (O-12)', async () => {
    const { run, clock } = rehearse({ ids: numbered(105), known: knownAs(numbered(105)) });
    const answer: Answering = (_, call) => {
      if (call === 1) return { found: 100, deleted: 97, errors };
      if (call === 2) return { found: 3, deleted: 1, errors: errors.slice(1) };
      return { found: 0, deleted: 0, errors: [] };
    };
    const { sent, outcome } = await carryOut(run, clock, answer);
    expect(sent[1]).toMatchObject({ ids: uuids });
    expect(outcome).toMatchObject({
      verdict: 'partly done',
      kind: 'partial',
      sent: 105,
      found: 100,
      deleted: 98,
      failed: 2,
      notAccountedFor: 5,
      failures: [
        { batch: 1, person: run.memberOf('ids', uuidOf(2)), step: 'postgres' },
        { batch: 1, person: run.memberOf('ids', uuidOf(3)), step: 'postgres' },
      ],
    });
  });

  test('resuming sends people that failed again, also in a new process', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(100), known: knownAs(numbered(100)) });
    await carryOut(run, clock, () => ({ found: 100, deleted: 97, errors }));
    run.close();
    const { sent, outcome } = await carryOut(reopen(), clock, allDeleted);
    expect(sent).toMatchObject([{ ids: uuids }]);
    expect(outcome.failed).toBe(0);
  });

  test('an error that names somebody whom nobody asked for sends nobody again', async () => {
    const { run, clock } = rehearse({ ids: ['alice', 'bob'] });
    const answer: Answering = (_batch, call) =>
      call === 1
        ? { found: 2, deleted: 1, errors: [{ person_uuid: uuidOf(999), step: 'postgres' }] }
        : { found: 0, deleted: 0, errors: [] };
    const { sent, outcome } = await carryOut(run, clock, answer);
    expect(sent).toHaveLength(1);
    const open = { failed: 1, notInRun: 1 };
    expect(outcome).toMatchObject({ verdict: 'partly done', kind: 'partial', deleted: 1, ...open });
    expect(reportMarkdown(run)).toContain('| not in this run | 1 |');
    const { sent: later } = await carryOut(run, clock, allDeleted);
    expect(later).toEqual([]);
  });

  test('of those who failed, who is named again is sent again', async () => {
    const { run, clock, reopen } = rehearse({ ids: numbered(100) });
    const named = errors.slice(0, 2);
    const answer: Answering = (_, call) =>
      call === 1
        ? { found: 100, deleted: 98, errors: named }
        : { found: 2, deleted: 1, errors: named.slice(1) };
    const { outcome } = await carryOut(run, clock, answer);
    expect(outcome).toMatchObject({ deleted: 99, failed: 1, notDeleted: 0, beyond: 0 });
    run.close();
    const last: Answering = () => ({ found: 1, deleted: 1, errors: [] });
    const resumed = await carryOut(reopen(), clock, last);
    expect(resumed.outcome).toMatchObject({ verdict: 'done', deleted: 100, failed: 0 });
    expect(resumed.sent.map(({ ids }) => ids)).toEqual([['user-2']]);
  });

  test('queued is counted as queued, not as deleted (O-11)', async () => {
    const { run, clock } = rehearse({
      ids: numbered(3),
      plan: { flags: { deleteEvents: true, deleteRecordings: false, keepPerson: false } },
    });
    const summary = {
      persons_found: 3,
      persons_deleted: 0,
      persons_queued_for_deletion: 3,
      events_queued_for_deletion: true,
      deletion_errors: [],
    };
    const { outcome } = await carryOut(run, clock, () => toBatchAnswer(summary));
    expect(outcome).toMatchObject({
      verdict: 'done',
      found: 3,
      deleted: 0,
      queued: 3,
      eventsQueued: { queued: 3, notQueued: 0, notTold: 0 },
    });
  });

  test.each([undefined, null])('an answer without a body is accepted (O-11): %o', async (summary) => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const { outcome } = await carryOut(run, clock, () => toBatchAnswer(summary));
    expect(outcome).toMatchObject({ verdict: 'done', accepted: 3, sent: 3, notAccountedFor: 0 });
    expect(outcome.found).toBeUndefined();
    expect(outcome.deleted).toBeUndefined();
  });

  test.each(['false', 'true', 1, null])(
    'events are not called queued by %o, which is no yes',
    async (told) => {
      const { run, clock } = rehearse({
        ids: numbered(3),
        plan: { flags: { deleteEvents: true, deleteRecordings: true, keepPerson: false } },
      });
      // Cast: a service may answer with another type than it says.
      const summary = {
        persons_found: 3,
        persons_deleted: 3,
        events_queued_for_deletion: told,
        recordings_queued_for_deletion: told,
      } as unknown as Parameters<typeof toBatchAnswer>[0];
      const { outcome } = await carryOut(run, clock, () => toBatchAnswer(summary));
      const figure = { queued: 0, notQueued: 0, notTold: 3 };
      expect(outcome).toMatchObject({ eventsQueued: figure, recordingsQueued: figure });
    },
  );

  test('a summary in a 5xx is an answer (O-12)', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const answer = { persons_found: 3, persons_deleted: 0, deletion_errors: errors };
    const error = new CliError('unavailable', 'failed', { status: 503, outcome: 'unknown', answer });
    const { sent, outcome } = await carryOut(run, clock, failing({ 1: error, 2: error }));
    expect(sent).toHaveLength(2);
    expect(outcome).toMatchObject({ verdict: 'partly done', found: 3, deleted: 0, failed: 3, unknown: 0 });
  });
});
