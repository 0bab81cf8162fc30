import { expect, it } from 'vitest';
import { begun } from '../../../src/print/rows.ts';

it.each([1, 2])('ends what it reads from when it is left after %s items', async (wanted) => {
  let isEnded = false;
  async function* reader() {
    try {
      yield* [1, 2, 3];
    } finally {
      isEnded = true;
    }
  }
  const found: number[] = [];
  for await (const item of await begun(reader())) {
    found.push(item);
    if (found.length === wanted) break;
  }
  expect([found.length, isEnded]).toEqual([wanted, true]);
});
