import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rememberRows } from '../../../src/http/pages.ts';
import { parseJson } from '../../../src/json/text.ts';

describe('remembering rows', () => {
  it('knows exactly the uuids that came before', () => {
    fc.assert(
      fc.property(fc.array(fc.uuid(), { maxLength: 50 }), (uuids) => {
        const isSeen = rememberRows();
        const seen = new Set<string>();
        for (const uuid of [...uuids, ...uuids.slice(0, 5)]) {
          expect(isSeen({ uuid })).toBe(seen.has(uuid));
          seen.add(uuid);
        }
      }),
    );
  });

  it('takes upper and lower case, and the nil uuid, for what they are', () => {
    const isSeen = rememberRows();
    const nil = '00000000-0000-0000-0000-000000000000';
    const uuid = '0190c2f5-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
    expect([uuid, uuid.toUpperCase(), nil, nil].map((one) => isSeen({ uuid: one }))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('never takes a row without an identity for one that came before', () => {
    const isSeen = rememberRows();
    const rows = [{}, { uuid: null }, { id: null }, 'a row', null];
    expect([...rows, ...rows].map((row) => isSeen(row))).toEqual(Array(10).fill(false));
  });

  it('grows without forgetting, up to a generation', () => {
    const isSeen = rememberRows();
    const at = (index: number) => ({
      uuid: `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    });
    for (let index = 0; index < 20_000; index += 1) expect(isSeen(at(index))).toBe(false);
    for (let index = 0; index < 20_000; index += 1) expect(isSeen(at(index))).toBe(true);
  });

  it('forgets what is older than four generations, so that memory is bounded', () => {
    const isSeen = rememberRows(10);
    for (let id = 0; id < 55; id += 1) isSeen({ id });
    expect([0, 9, 10, 54].map((id) => isSeen({ id }))).toEqual([false, false, true, true]);
  });

  it('tells exact numbers apart by their digits', async () => {
    const isSeen = rememberRows();
    const rows = await Promise.all(
      ['{"id":9007199254740993}', '{"id":9007199254740992.0}', '{"id":9007199254740993}'].map(parseJson),
    );
    expect(rows.map((row) => isSeen(row))).toEqual([false, false, true]);
  });

  it('takes a list or an object for no identity', () => {
    const isSeen = rememberRows();
    const rows = [{ id: { toString: 1 } }, { id: [1] }, { id: true }];
    expect([...rows, ...rows].map((row) => isSeen(row))).toEqual(Array(6).fill(false));
  });
});
