import { describe, expect, it } from 'vitest';
import { parseRetryAfter, waitTime } from '../../../src/http/send.ts';

describe('the time to wait', () => {
  it('grows, stays within its jitter, and is bounded', () => {
    for (const random of [() => 0, () => 0.5, () => 0.999]) {
      const waits = Array.from({ length: 9 }, (_, index) =>
        waitTime({ failures: index + 1, retryAfter: undefined, now: () => 0, random }),
      );
      for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(waits[index - 1] ?? 0);
      expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    }
  });

  it('spreads programs that were told the same time by up to half a second', () => {
    expect(waitTime({ failures: 1, retryAfter: '2', now: () => 0, random: () => 0.5 })).toBe(2250);
  });

  it('reads fractions', () => {
    expect(parseRetryAfter(' 1.5 ', 0)).toBe(1500);
  });
});
