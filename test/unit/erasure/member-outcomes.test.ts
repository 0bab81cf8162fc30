import { describe, expect, test } from 'vitest';
import { memberOutcomes } from '../../../src/erasure/report/json.ts';
import {
  allDeleted,
  carryOut,
  failure,
  knownButFifth,
  numbered,
  oneFailing,
  rehearse,
  uuidOf,
} from './rehearsal.ts';

describe('what came of each id', () => {
  test('is told per person where the plan resolved them and the figures agree', async () => {
    const { run } = await oneFailing();
    expect([...memberOutcomes(run)].map(({ outcome, step }) => step ?? outcome)).toEqual([
      'queued',
      'queued',
      'clickhouse',
      'queued',
      'nobody when planned',
    ]);
  });

  test('is sent, and no more, where they do not', async () => {
    const differing = rehearse({ ids: numbered(4), known: knownButFifth(4) });
    await carryOut(differing.run, differing.clock, () => ({ found: 3, deleted: 3, errors: [] }));
    const told = [...memberOutcomes(differing.run)].map(({ outcome }) => outcome);
    expect(new Set(told)).toEqual(new Set(['sent']));
  });

  test.each([
    ['a person who is not in the run', [{ person_uuid: uuidOf(9), step: 'clickhouse' }]],
    ['no person', [{ step: 'clickhouse' }]],
    ['one person twice', ['postgres', 'clickhouse'].map((step) => ({ person_uuid: uuidOf(2), step }))],
  ])('is sent, and no more, if an error names %s', async (_, errors) => {
    const { run, clock } = rehearse({ ids: numbered(4), known: knownButFifth(4) });
    const deleted = 4 - errors.length;
    await carryOut(run, clock, (_batch, call) =>
      call === 1 ? { found: 4, deleted, errors } : { found: 1, deleted: 0, errors },
    );
    const told = new Set([...memberOutcomes(run)].map(({ outcome }) => outcome));
    told.delete('failed');
    expect(told).toEqual(new Set(['sent']));
  });

  test('names the ids left out, refused, unknown and not sent', async () => {
    const { run, clock } = rehearse({
      ids: ['1', ...numbered(400).map((_, index) => uuidOf(index + 2))],
      kind: 'ids',
    });
    await carryOut(run, clock, (batch, call) => {
      if (call === 1) throw failure(undefined, 'unknown');
      if (call === 2) throw failure(400, 'not-done');
      if (call === 4) throw failure(403, 'not-done');
      return allDeleted(batch, call);
    });
    const rows = [...memberOutcomes(run)];
    expect([0, 100, 200, 300, 400].map((index) => rows[index]?.outcome)).toEqual([
      'unknown',
      'refused',
      'deleted',
      'refused',
      'not sent',
    ]);
    const nobody = rehearse({
      ids: ['1', '2'],
      kind: 'ids',
      known: [{ uuid: uuidOf(1), distinctIds: [] }, null],
    });
    expect([...memberOutcomes(nobody.run)].map(({ outcome }) => outcome)).toEqual([
      'not sent',
      'nobody when planned',
    ]);
  });
});
