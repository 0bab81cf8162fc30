import { describe, expect, test } from 'vitest';
import { giveIds } from '../../../src/erasure/record/find.ts';
import { requireOpenIds } from '../../../src/erasure/sending/look-again.ts';
import { allDeleted, carryOut, failure, knownAs, numbered, rehearse, toPeople, uuidOf } from './rehearsal.ts';

/** The first batch answered, the second refused, and the ids dropped. */
async function robbed(ids = numbered(300)) {
  const rehearsal = rehearse({ ids });
  await carryOut(rehearsal.run, rehearsal.clock, (batch, call) => {
    if (call === 2) throw failure(403, 'not-done');
    return allDeleted(batch, call);
  });
  rehearsal.run.dropIds();
  return rehearsal;
}

describe('ids that are given again', () => {
  test('carry a run out that lost them, in the order of its plan', async () => {
    const { run, clock } = await robbed();
    const again = giveIds(run, [toPeople({ ids: numbered(300).toReversed() })]);
    requireOpenIds(again);
    const { outcome, sent } = await carryOut(again, clock, allDeleted);
    expect(outcome.verdict).toBe('done');
    expect(sent.map(({ ids }) => ids)).toEqual([numbered(300).slice(100, 200), numbered(300).slice(200)]);
  });

  test('need not be those that are done', async () => {
    const { run } = await robbed();
    requireOpenIds(giveIds(run, [toPeople({ ids: numbered(300).slice(100) })]));
  });

  test('must be all that is left, for a run is carried out as it was planned', async () => {
    const { run } = await robbed();
    const again = giveIds(run, [toPeople({ ids: numbered(300).slice(103) })]);
    expect(() => requireOpenIds(again)).toThrow('3 of the ids that are left to send were not given');
  });

  test('must belong to the run, of the same kind', async () => {
    const { run } = await robbed();
    expect(() => giveIds(run, [toPeople({ ids: ['user-1', 'a', 'b'] })])).toThrow(
      '2 of the 3 ids that were given do not belong to this run',
    );
    expect(() => giveIds(run, [toPeople({ ids: ['17'], kind: 'ids' })])).toThrow(
      '1 of the 1 ids that were given does not belong to this run',
    );
  });

  test('are refused while the record has its ids', () => {
    const { run, people } = rehearse({ ids: numbered(3) });
    expect(() => giveIds(run, people)).toThrow('still holds its ids');
  });

  test('may be uuids that the service named among its errors', async () => {
    const { run, clock } = rehearse({ ids: numbered(3), known: knownAs(numbered(3), 9) });
    const errors = [{ person_uuid: uuidOf(9), step: 'postgres' }];
    await carryOut(run, clock, () => ({ found: 1, deleted: 0, errors }));
    run.dropIds();
    expect(() => requireOpenIds(giveIds(run, [toPeople({ ids: numbered(3) })]))).toThrow('1 of the ids');
    const again = giveIds(run, [toPeople({ ids: [uuidOf(9)], kind: 'ids' })]);
    requireOpenIds(again);
    const { outcome, sent } = await carryOut(again, clock, allDeleted);
    expect(sent).toMatchObject([{ kind: 'ids', ids: [uuidOf(9)] }]);
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 1 });
  });

  test('are those of the batch whose errors are left, where nobody resolved them', async () => {
    const { run, clock } = rehearse({ ids: numbered(3) });
    const errors = [{ person_uuid: uuidOf(9), step: 'postgres' }];
    await carryOut(run, clock, () => ({ found: 1, deleted: 0, errors }));
    run.dropIds();
    const uuids = [toPeople({ ids: [uuidOf(9)], kind: 'ids' })];
    expect(() => giveIds(run, uuids)).toThrow('does not belong to this run');
    expect(() => requireOpenIds(giveIds(run, [toPeople({ ids: ['user-1'] })]))).toThrow('2 of the ids');
    const again = giveIds(run, [toPeople({ ids: numbered(3) })]);
    requireOpenIds(again);
    const deleted = () => ({ found: 1, deleted: 1, errors: [] });
    const { outcome, sent } = await carryOut(again, clock, deleted);
    expect(sent).toMatchObject([{ kind: 'distinct-ids', ids: numbered(3) }]);
    expect(outcome).toMatchObject({ verdict: 'done', deleted: 1 });
  });

  test('belong to whom the plan found, as far as the record confirms it', () => {
    const known = [
      { uuid: uuidOf(1), distinctIds: ['user-1'] },
      { uuid: uuidOf(2), distinctIds: ['user-2'] },
      null,
    ];
    const { run } = rehearse({ ids: numbered(3), known });
    run.dropIds();
    const others = [known[0] ?? null, { uuid: uuidOf(5), distinctIds: [] }, null];
    const again = giveIds(run, [toPeople({ ids: numbered(3), known: others })]);
    expect(again.entries(0, 3)).toEqual([
      { kind: 'distinct-ids', id: 'user-1', person: known[0] },
      { kind: 'distinct-ids', id: 'user-2', personMember: run.memberOf('ids', uuidOf(2)) },
      { kind: 'distinct-ids', id: 'user-3', person: null },
    ]);
  });

  test('are their own persons where uuids were planned', () => {
    const known = [{ uuid: uuidOf(1), distinctIds: ['a'] }];
    const { run } = rehearse({ ids: [uuidOf(1)], kind: 'ids', known });
    run.dropIds();
    const again = giveIds(run, [toPeople({ ids: [uuidOf(1)], kind: 'ids' })]);
    expect(again.entries(0, 1)).toEqual([
      { kind: 'ids', id: uuidOf(1), person: { uuid: uuidOf(1), distinctIds: [] } },
    ]);
  });
});

test('ids are read from the record wherever they begin', () => {
  const ids = numbered(1000);
  const { run, reopen } = rehearse({ ids });
  run.close();
  const again = reopen();
  for (const [from, count] of [
    [0, 1],
    [127, 2],
    [128, 128],
    [250, 100],
    [999, 1],
    [900, 100],
    [0, 1000],
  ] as const) {
    expect(again.entries(from, count).map(({ id }) => id)).toEqual(ids.slice(from, from + count));
  }
});

test('an error that names nobody asks for no id', async () => {
  const { run, clock } = rehearse({ ids: numbered(3) });
  await carryOut(run, clock, () => ({ found: 3, deleted: 2, errors: [{ step: 'postgres' }] }));
  run.dropIds();
  const again = giveIds(run, [toPeople({ ids: ['user-2'] })]);
  expect(() => requireOpenIds(again)).not.toThrow();
  expect(again.named()).toEqual([]);
});
