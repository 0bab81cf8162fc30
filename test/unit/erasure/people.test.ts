import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { readGiven } from '../../../src/erasure/input/given.ts';

async function readLong(bytes: number) {
  let saved = 0;
  const line = Buffer.from('0190a5c6-0000-4000-8000-000000000001\n');
  async function* readInput() {
    for (let read = 0; read < bytes; read += line.length * 1000) yield Buffer.alloc(line.length * 1000, line);
  }
  const context = { readInput, system: { saveMemory: () => (saved += 1) }, warn: () => {} };
  // Reading touches nothing else of it.
  const {
    people: [people],
  } = await readGiven({ from: ['people.txt'], as: 'ids' }, context as unknown as Context);
  return { saved, asked: people?.list.asked, size: people?.list.ids.length };
}

describe('a file of ids', () => {
  it('is read with little memory where it is long, and that is said once', async () => {
    expect(await readLong(15_000_000)).toEqual({ saved: 1, asked: 406_000, size: 1 });
  });

  it('is read at full speed where it is short', async () => {
    expect(await readLong(222_000)).toEqual({ saved: 0, asked: 6000, size: 1 });
  });
});
