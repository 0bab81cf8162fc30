import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Fault, play } from './random-worlds/play.ts';

/** How many worlds, and from which on: `WORLDS=1000` tries more by hand. */
const { WORLDS = '8', WORLD = '1' } = process.env;
const [count, first] = [Number(WORLDS), Number(WORLD)];

it(`${count} random worlds: nobody unasked is deleted, nobody lost, nothing proven that is not`, {
  timeout: 3_600_000,
}, async () => {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-worlds-'));
  const faults: Fault[] = [];
  try {
    for (let seed = first; seed < first + count && faults.length < 5; seed += 1) {
      const fault = await play(seed, home);
      if (fault !== undefined) faults.push(fault);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  expect(faults.map((fault) => JSON.stringify(fault, null, 1).replaceAll('\\n', '\n')).join('\n')).toBe('');
});
