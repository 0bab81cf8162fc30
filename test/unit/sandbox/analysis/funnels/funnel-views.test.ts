import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/json/kinds.ts';
import { readFunnelPersons } from '../../../../../src/sandbox/analysis/definitions/actors.ts';
import { readLegacyFunnel } from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../../src/sandbox/calculation/question.ts';
import { during, namesOf, type Story, tell } from '../stories.ts';

const TWO = {
  events: ['a', 'b'].map((id, order) => ({ id, order })),
  date_from: '2024-02-01',
  date_to: '2024-02-03',
};
const TRENDS = { ...TWO, funnel_viz_type: 'trends' };

function run(story: Story, body: JsonObject) {
  return calculate(readLegacyFunnel(body), { ...tell(story), ...during() });
}

function people(story: Story, body: JsonObject) {
  return namesOf(readFunnelPersons(body).find({ ...tell(story), ...during() }));
}

const story: Story = {
  ann: 'a 1 10:00, b 3 10:00, a 3 11:00',
  bob: 'a 1 10:00, a 3 10:00',
  cat: 'a 1 10:00',
};

describe('a funnel over time', () => {
  it('counts a person once in each period of a first step, and shows empty periods', () => {
    expect(run(story, TRENDS)).toEqual([
      {
        count: 3,
        data: [33.33, 0, 0],
        days: ['2024-02-01', '2024-02-02', '2024-02-03'],
        labels: ['1-Feb-2024', '2-Feb-2024', '3-Feb-2024'],
        reached_from_step_count: [3, 0, 2],
        reached_to_step_count: [1, 0, 0],
      },
    ]);
  });

  it('lets one later step convert two entries', () => {
    expect(
      run(
        {
          ann: 'a 1 10:00, a 2 10:00, b 2 11:00',
        },
        TRENDS,
      ),
    ).toMatchObject([{ data: [100, 100, 0] }]);
  });

  it('lists who dropped and who converted by period of entry', () => {
    const point = { ...TRENDS, entrance_period_start: '2024-02-01' };
    expect(people(story, { ...point, drop_off: true })).toEqual(['bob', 'cat']);
    expect(people(story, { ...point, drop_off: 'false' })).toEqual(['ann']);
    expect(people(story, { ...TRENDS, entrance_period_start: '2024-02-02', drop_off: true })).toEqual([]);
  });

  it('leaves Other out', () => {
    const named = (name: string) => ({ $browser: name });
    const body = { ...TRENDS, breakdown: '$browser', breakdown_limit: 1 };
    const browsers: Story = {
      ann: [
        ['a', '1 10:00', named('Safari')],
        ['b', '1 11:00', named('Safari')],
      ],
      bob: [['a', '1 10:00', named('Opera')]],
    };
    expect(run(browsers, body)).toMatchObject([{ breakdown_value: ['Safari'], data: [100, 0, 0] }]);
  });
});

describe('the time to convert', () => {
  const body = { ...TWO, funnel_viz_type: 'time_to_convert' };

  it('has as many bins as the cube root of the times, and one entry more', () => {
    const times: Story = {
      ann: 'a 10:00, b 10:01',
      bob: 'a 10:00, b 10:06',
    };
    expect(run(times, body)).toEqual({
      bins: [
        [60, 1],
        [210, 0],
        [360, 1],
      ],
      average_conversion_time: 210,
      median_conversion_time: 210,
    });
  });

  it('has bins of a minute where all times are equal or there are none', () => {
    expect(
      run(
        {
          ann: 'a 10:00, b 10:01',
        },
        body,
      ),
    ).toMatchObject({
      bins: [
        [60, 1],
        [120, 0],
      ],
    });
    expect(run({}, body)).toEqual({
      bins: [
        [0, 0],
        [60, 0],
      ],
      average_conversion_time: null,
      median_conversion_time: null,
    });
  });
});

describe('the persons of a funnel', () => {
  it('lists who reached a step and who got no further than the one before', () => {
    expect(people(story, { ...TWO, funnel_step: 1 })).toEqual(['ann', 'bob', 'cat']);
    expect(people(story, { ...TWO, funnel_step: '2' })).toEqual(['ann']);
    expect(people(story, { ...TWO, funnel_step: -2 })).toEqual(['bob', 'cat']);
  });

  it('refuses steps that cannot be asked about', () => {
    for (const step of [0, -1, 3, -3, 1.5]) {
      expect(() => people(story, { ...TWO, funnel_step: step })).toThrow(
        expect.objectContaining({ status: 400 }),
      );
    }
    expect(() => people(story, TWO)).toThrow('funnel_step is required.');
  });

  it('lists the groups of a funnel by group', () => {
    const groups: Story = {
      ann: [['a', '10:00', { $group_1: 'acme' }]],
      bob: [['b', '11:00', { $group_1: 'acme' }]],
    };
    expect(people(groups, { ...TWO, aggregation_group_type_index: 1, funnel_step: 2 })).toEqual(['acme']);
  });
});

describe('a comparison of funnels', () => {
  it('adds the same funnel over the time before', () => {
    const body = { ...TWO, date_from: '2024-02-03', date_to: '2024-02-04', compare: true };
    const before: Story = {
      ann: 'a 1 10:00',
      bob: 'a 3 10:00, b 3 11:00',
    };
    expect(run(before, body)).toMatchObject([
      { count: 1, compare_label: 'current' },
      { count: 1, compare_label: 'current' },
      { count: 1, compare_label: 'previous' },
      { count: 0, compare_label: 'previous' },
    ]);
  });
});

describe('a funnel that the service refuses', () => {
  const check = (body: JsonObject) => () => run({}, body);
  const exclusion = (from: number, to: number, id = 'x') => ({
    exclusions: [{ id, funnel_from_step: from, funnel_to_step: to }],
  });

  it('says what is wrong with a status, type and code', () => {
    expect(check({ events: [{ id: 'a' }] })).toThrow(
      expect.objectContaining({
        status: 400,
        type: 'validation_error',
        code: 'funnels_require_at_least_two_steps',
        message: 'Funnels require at least two steps.',
      }),
    );
  });

  it('refuses exclusions with the same, a reversed or an unknown step, and steps as exclusions', () => {
    for (const wrong of [
      exclusion(0, 0),
      exclusion(1, 0),
      exclusion(0, 2),
      exclusion(-1, 1),
      exclusion(0, 1, 'b'),
    ]) {
      expect(check({ ...TWO, ...wrong })).toThrow(expect.objectContaining({ status: 400 }));
    }
    const filtered = [{ id: 'a' }, { id: 'b', properties: [{ key: 'k', value: 1 }] }];
    expect(check({ ...TWO, events: filtered, ...exclusion(0, 1, 'b') })).not.toThrow();
  });

  it('refuses partial exclusions without an order, and ranges of steps that do not exist', () => {
    const three = ['a', 'b', 'c'].map((id, order) => ({ id, order }));
    expect(check({ events: three, funnel_order_type: 'unordered', ...exclusion(0, 1) })).toThrow(
      'Partial Exclusions not allowed in unordered funnels',
    );
    expect(check({ ...TWO, funnel_from_step: 1, funnel_to_step: 1 })).toThrow(/range is invalid/);
  });
});
