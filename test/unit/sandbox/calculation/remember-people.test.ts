import { describe, expect, it } from 'vitest';
import { rememberPeople } from '../../../../src/sandbox/calculation/calculations.ts';

/** Answers its name, and counts how often it is asked. */
function makeWork(name: string) {
  let calls = 0;
  return {
    calls: () => calls,
    work: async () => {
      calls += 1;
      return [name];
    },
  };
}

describe('remembering people', () => {
  it('finds a list once, until something changes', async () => {
    const memory = rememberPeople();
    const ana = makeWork('ana');
    for (const _page of [1, 2]) expect(await memory.now()('list', ana.work)).toEqual(['ana']);
    expect(ana.calls()).toBe(1);
    memory.forget();
    await memory.now()('list', ana.work);
    expect(ana.calls()).toBe(2);
  });

  it('keeps nothing that was found in older data', async () => {
    const memory = rememberPeople();
    const findBefore = memory.now();
    memory.forget();
    await findBefore('list', makeWork('before').work);
    expect(await memory.now()('list', makeWork('after').work)).toEqual(['after']);
  });

  it('keeps the four lists that were found last', async () => {
    const memory = rememberPeople();
    const find = memory.now();
    const first = makeWork('first');
    await find('first', first.work);
    for (const key of ['2', '3', '4', '5']) await find(key, makeWork(key).work);
    await find('first', first.work);
    expect(first.calls()).toBe(2);
  });
});
