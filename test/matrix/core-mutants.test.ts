import { describe, expect, it } from 'vitest';
import { loadCheck } from '../unit/erasure/core/load.ts';
import { type Mutant, mutants, plant } from '../unit/erasure/core/mutants.ts';

describe('a fault in the core is found', () => {
  /** In as few steps as it takes, since most are found at once. */
  async function find(mutant: Mutant): Promise<string | undefined> {
    const { check } = await loadCheck((text) => plant(text, mutant));
    for (const steps of [1, 2, 3]) {
      const fault = check({ steps, far: steps, walks: 0, only: mutant.scenes });
      if (fault !== undefined) return fault.fault;
    }
    return undefined;
  }

  it.each(mutants)('$name', { timeout: 300_000 }, async (mutant) => {
    expect(await find(mutant)).toBeDefined();
  });
});

it('tries the core in long walks', { timeout: 900_000 }, async () => {
  const { check, describeFault } = await loadCheck();
  const fault = check({ steps: 1, far: 1, walks: 20 });
  expect(fault && describeFault(fault)).toBeUndefined();
});
