import { expect, it } from 'vitest';
import { loadCheck } from '../unit/erasure/core/load.ts';

it('tries the core in all sequences of four steps, with several lines', { timeout: 900_000 }, async () => {
  const { check, describeFault, newCount } = await loadCheck();
  const count = newCount();
  const only = /^(?!.*events).*(both|address|nobody|batches|odd)/;
  const deep = /^both$/;
  const fault =
    check({ steps: 4, agreed: 3, far: 3, walks: 0, only }, count) ??
    check({ steps: 1, agreed: 4, far: 1, walks: 0, only: deep }, count);
  expect(fault && describeFault(fault)).toBeUndefined();
  expect(count.steps).toBeGreaterThan(500_000);
});
