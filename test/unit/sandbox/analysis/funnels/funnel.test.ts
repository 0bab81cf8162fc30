import { describe, expect, it } from 'vitest';
import type { Story } from '../stories.ts';
import { counts, run, THREE, TWO, times } from './run-funnel.ts';

describe('an ordered funnel', () => {
  it('answers steps in the shape of the service', () => {
    expect(
      run(
        {
          ann: 'a 10:00, b 11:30',
        },
        TWO,
      ),
    ).toEqual([
      {
        action_id: 'a',
        name: 'a',
        custom_name: null,
        order: 0,
        people: [],
        count: 1,
        type: 'events',
        average_conversion_time: null,
        median_conversion_time: null,
      },
      {
        action_id: 'b',
        name: 'b',
        custom_name: null,
        order: 1,
        people: [],
        count: 1,
        type: 'events',
        average_conversion_time: 5400,
        median_conversion_time: 5400,
      },
    ]);
  });

  it('is empty where nobody entered', () => {
    expect(run({ ann: 'b 10:00' }, TWO)).toEqual([]);
  });

  it('includes the end of the window, and measures it from the first step', () => {
    const body = { ...THREE, funnel_window_interval: 3, funnel_window_interval_type: 'HOUR' };
    expect(
      counts(
        {
          ann: 'a 10:00, b 12:00, c 13:00',
        },
        body,
      ),
    ).toEqual([1, 1, 1]);
    expect(
      counts(
        {
          ann: 'a 10:00, b 12:00, c 13:00:01',
        },
        body,
      ),
    ).toEqual([1, 1, 0]);
  });

  it('measures from the latest first step to the first occurrence of a later one', () => {
    const story: Story = {
      ann: 'a 10:00, a 11:00, b 11:10, b 11:40, c 12:10',
    };
    expect(times(story, THREE)).toEqual([null, 600, 3600]);
  });

  it('keeps the first of equally far attempts', () => {
    const story: Story = {
      ann: 'a 10:00, b 10:10, a 2 10:00, b 2 10:01',
    };
    expect(times(story, TWO)).toEqual([null, 600]);
  });

  it('takes the events of one instant in the order of the steps, each once', () => {
    const twice = { ...TWO, events: ['a', 'a', 'b'].map((id, order) => ({ id, order })) };
    expect(
      counts(
        {
          ann: 'b 10:00, a 10:00, a 10:00',
        },
        twice,
      ),
    ).toEqual([1, 1, 1]);
    expect(
      counts(
        {
          ann: 'b 10:00, a 10:00',
        },
        twice,
      ),
    ).toEqual([1, 0, 0]);
  });

  it('never counts events after the last day, even inside an open window', () => {
    expect(
      counts(
        {
          ann: 'a 10 23:00, b 11 00:00',
        },
        TWO,
      ),
    ).toEqual([1, 0]);
    expect(
      counts(
        {
          ann: 'a 10 23:00, b 10 23:59:59',
        },
        { ...TWO, date_to: '2024-02-10T00:00:00Z' },
      ),
    ).toEqual([1, 1]);
  });

  it('measures fourteen days where the window is missing or not above zero', () => {
    const story: Story = {
      ann: 'a 1 10:00, b 15 10:00',
      bob: 'a 1 10:00, b 15 10:00:01',
    };
    for (const window of [{}, { funnel_window_interval: 0 }, { funnel_window_interval: -3 }]) {
      expect(counts(story, { ...TWO, date_to: '2024-02-20', ...window })).toEqual([2, 1]);
    }
  });
});

describe('a strict funnel', () => {
  it('lets nothing stand between two steps, whatever it is', () => {
    const body = { ...TWO, funnel_order_type: 'strict' };
    expect(
      counts(
        {
          ann: 'z 09:00, a 10:00, b 10:10',
        },
        body,
      ),
    ).toEqual([1, 1]);
    expect(
      counts(
        {
          ann: 'a 10:00, z 10:05, b 10:10',
        },
        body,
      ),
    ).toEqual([1, 0]);
  });

  it('does not see events that the filters of the funnel remove', () => {
    const body = {
      ...TWO,
      funnel_order_type: 'strict',
      properties: [{ key: 'site', value: 'shop', type: 'event' }],
    };
    const shop = { site: 'shop' };
    const story: Story = {
      ann: [
        ['a', '10:00', shop],
        ['z', '10:05'],
        ['b', '10:10', shop],
      ],
    };
    expect(counts(story, body)).toEqual([1, 1]);
  });
});

describe('an unordered funnel', () => {
  it('starts with the earliest step and takes the first completion', () => {
    const body = { ...TWO, funnel_order_type: 'unordered' };
    expect(
      times(
        {
          ann: 'b 10:00, b 10:20, a 10:30, b 10:31',
        },
        body,
      ),
    ).toEqual([null, 1800]);
    expect(counts({ ann: 'b 10:00' }, body)).toEqual([1, 0]);
  });

  it('forgets what is older than the window', () => {
    const body = {
      ...THREE,
      funnel_order_type: 'unordered',
      funnel_window_interval: 1,
      funnel_window_interval_type: 'HOUR',
    };
    expect(
      counts(
        {
          ann: 'c 10:00, a 10:30, b 11:10',
        },
        body,
      ),
    ).toEqual([1, 1, 0]);
  });
});
