import { describe, expect, it } from 'vitest';
import { inLanes } from '../../../src/system/lanes.ts';

const numbers = Array.from({ length: 23 }, (_, index) => index);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

describe('work in lanes', () => {
  it('is done once for each item, four at a time, and keeps the order of the items', async () => {
    let open = 0;
    let most = 0;
    const begun: number[] = [];
    const results = await inLanes(numbers, async (number) => {
      begun.push(number);
      open += 1;
      most = Math.max(most, open);
      await turns(23 - number);
      open -= 1;
      return number * 2;
    });
    expect(results).toEqual(numbers.map((number) => number * 2));
    expect(begun).toEqual(numbers);
    expect(most).toBe(4);
    expect(await inLanes([], () => expect.unreachable('there is nothing to do'))).toEqual([]);
  });

  it('ends with the first failure, after what was under way', async () => {
    const ended: number[] = [];
    const working = inLanes(numbers, async (number) => {
      await turns(number === 2 ? 1 : 9);
      if (number === 2) throw new RangeError('two');
      ended.push(number);
    });
    await expect(working).rejects.toThrow('two');
    expect(ended).toEqual([0, 1, 3]);
  });
});
