import { describe, expect, it } from 'vitest';
import { counts, EXCLUDED, run, TWO } from './run-funnel.ts';

describe('an exclusion', () => {
  it('takes the person out of the whole funnel, the first step too', () => {
    expect(
      run(
        {
          ann: 'a 10:00, x 10:05, b 10:10',
        },
        { ...TWO, ...EXCLUDED },
      ),
    ).toEqual([]);
    expect(
      run(
        {
          ann: 'a 10:00, x 10:05',
        },
        { ...TWO, ...EXCLUDED },
      ),
    ).toEqual([]);
  });

  it('does nothing at the instant of a step, before, after, or out of the window', () => {
    const body = { ...TWO, ...EXCLUDED, funnel_window_interval: 1, funnel_window_interval_type: 'HOUR' };
    expect(
      counts(
        {
          ann: 'a 10:00, x 10:00, b 10:10',
        },
        body,
      ),
    ).toEqual([1, 1]);
    expect(
      counts(
        {
          ann: 'a 10:00, x 10:10, b 10:10',
        },
        body,
      ),
    ).toEqual([1, 1]);
    expect(
      counts(
        {
          ann: 'x 09:59, a 10:00, b 10:10, x 10:11',
        },
        body,
      ),
    ).toEqual([1, 1]);
    expect(
      counts(
        {
          ann: 'a 10:00, x 11:01',
        },
        body,
      ),
    ).toEqual([1, 0]);
  });

  it('lets a clean attempt save the person, but not a shorter one', () => {
    const body = { ...TWO, ...EXCLUDED };
    const tainted = 'a 10:00, x 10:05, b 10:10';
    expect(counts({ ann: `${tainted}, a 2, b 3` }, body)).toEqual([1, 1]);
    expect(run({ ann: `${tainted}, a 2` }, body)).toEqual([]);
  });

  it('clears what was gathered in an unordered funnel', () => {
    const body = { ...TWO, ...EXCLUDED, funnel_order_type: 'unordered' };
    expect(
      counts(
        {
          ann: 'b 10:00, x 10:05, a 10:10',
        },
        body,
      ),
    ).toEqual([1, 0]);
    expect(
      run(
        {
          ann: 'b 10:00, x 10:05',
        },
        body,
      ),
    ).toEqual([]);
    expect(
      counts(
        {
          ann: 'b 10:00, a 10:04, x 10:05',
        },
        body,
      ),
    ).toEqual([1, 1]);
    expect(
      counts(
        {
          ann: 'b 10:00, x 10:00, a 10:10',
        },
        body,
      ),
    ).toEqual([1, 1]);
  });

  it('takes the person out of a strict funnel while the attempt is open', () => {
    const body = { ...TWO, ...EXCLUDED, funnel_order_type: 'strict' };
    expect(
      run(
        {
          ann: 'a 10:00, x 10:05, b 10:10',
        },
        body,
      ),
    ).toEqual([]);
    expect(
      counts(
        {
          ann: 'a 10:00, y 10:04, x 10:05',
        },
        body,
      ),
    ).toEqual([1, 0]);
  });
});
