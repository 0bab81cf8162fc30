import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/json/kinds.ts';
import type { ProjectSettings } from '../../../../../src/sandbox/analysis/dataset.ts';
import {
  readLegacyFunnel,
  readLegacyTrends,
} from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { calculate } from '../../../../../src/sandbox/calculation/question.ts';
import { during, RANGE, type Story, tell } from '../stories.ts';

const TWO = { events: ['a', 'b'].map((id, order) => ({ id, order })), ...RANGE };
const BY_BROWSER = { ...TWO, breakdown: '$browser' };

type People = Readonly<Record<string, JsonObject>>;

/** Each value with its counts, in the order of the result. */
function split(story: Story, body: JsonObject, people: People = {}, project: Partial<ProjectSettings> = {}) {
  // With a breakdown the result is a list of lists of steps.
  const lists = calculate(readLegacyFunnel(body), {
    ...tell(story, people),
    ...during(project),
  }) as readonly (readonly {
    readonly breakdown: Json;
    readonly breakdown_value: Json;
    readonly count: number;
  }[])[];
  return lists.map((steps) => [
    steps[0]?.breakdown,
    steps[0]?.breakdown_value,
    steps.map(({ count }) => count),
  ]);
}

const named = (name: string | number) => ({ $browser: name });

describe('a funnel by the value of an event property', () => {
  it('puts a person under the first value, even of a later step', () => {
    const story: Story = {
      ann: [
        ['a', '10:00'],
        ['b', '10:10', named('Safari')],
      ],
      bob: [['a', '10:00', named(0)]],
    };
    expect(split(story, BY_BROWSER)).toEqual([
      [['Safari'], ['Safari'], [1, 1]],
      [['0'], ['0'], [1, 0]],
    ]);
  });

  it('puts a person without the property under the empty text', () => {
    expect(split({ ann: 'a 10:00' }, BY_BROWSER)).toEqual([[[''], [''], [1, 0]]]);
  });

  it('takes several properties together from one event', () => {
    const story: Story = {
      ann: [
        ['a', '10:00', { os: 'Mac' }],
        ['b', '10:10', { os: 'Linux', $browser: 'Opera' }],
      ],
    };
    expect(split(story, { ...TWO, breakdown: ['os', '$browser'] })).toEqual([
      [
        ['Mac', ''],
        ['Mac', ''],
        [1, 1],
      ],
    ]);
  });

  it('keeps the most frequent values of events that are a step, and adds the rest as Other', () => {
    const story: Story = {
      ann: [
        ['a', '10:00', named('Safari')],
        ['b', '10:10', named('Safari')],
      ],
      bob: [
        ['a', '10:00', named('Opera')],
        ['z', '10:01', named('Lynx')],
        ['z', '10:02', named('Lynx')],
        ['z', '10:03', named('Lynx')],
      ],
      cat: [['a', '10:00', named('Edge')]],
    };
    expect(split(story, { ...BY_BROWSER, breakdown_limit: 1 })).toEqual([
      [['Safari'], ['Safari'], [1, 1]],
      [['Other'], ['Other'], [2, 0]],
    ]);
  });

  it('does not take a missing value beyond the limit for a value', () => {
    const story: Story = {
      ann: [
        ['a', '10:00'],
        ['b', '10:10', named('Safari')],
      ],
      bob: [['a', '10:00', named('Safari')]],
    };
    expect(split(story, { ...BY_BROWSER, breakdown_limit: 1 })).toEqual([[['Safari'], ['Safari'], [2, 1]]]);
  });
});

describe('the attribution of a value', () => {
  const story: Story = {
    ann: [
      ['a', '10:00', named('Safari')],
      ['a', '10:01', named('Opera')],
      ['b', '10:10', named('Opera')],
    ],
  };

  it('takes the last value by the last touch', () => {
    expect(split(story, { ...BY_BROWSER, breakdown_attribution_type: 'last_touch' })).toEqual([
      [['Opera'], ['Opera'], [1, 1]],
    ]);
  });

  it('makes each value a funnel of its own by all events', () => {
    expect(split(story, { ...BY_BROWSER, breakdown_attribution_type: 'all_events' })).toEqual([
      [['Opera'], ['Opera'], [1, 1]],
      [['Safari'], ['Safari'], [1, 0]],
    ]);
  });

  it('lets the events of one step decide, each value with its own events of that step', () => {
    const strict = { ...BY_BROWSER, funnel_order_type: 'strict' };
    const body = { ...strict, breakdown_attribution_type: 'step', breakdown_attribution_value: 0 };
    expect(split(story, body)).toEqual([
      [['Opera'], ['Opera'], [1, 1]],
      [['Safari'], ['Safari'], [1, 0]],
    ]);
  });

  it('puts a person who never did the deciding step under the empty text', () => {
    const body = { ...BY_BROWSER, breakdown_attribution_type: 'step', breakdown_attribution_value: 1 };
    expect(split({ ann: [['a', '10:00', named('Safari')]] }, body)).toEqual([[[''], [''], [1, 0]]]);
  });
});

describe('a funnel by person, group or cohort', () => {
  const story: Story = { ann: [['a', '10:00', { $group_0: 'acme' }]], bob: 'a 10:00' };

  it('splits by a property of the person', () => {
    const people = { ann: { plan: 'pro' }, bob: { plan: 'free' } };
    expect(split(story, { ...TWO, breakdown: 'plan', breakdown_type: 'person' }, people)).toEqual([
      [['free'], ['free'], [1, 0]],
      [['pro'], ['pro'], [1, 0]],
    ]);
  });

  it('splits by a property of the group', () => {
    const body = { ...TWO, breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 0 };
    const groups = [{ type_index: 0, key: 'acme', properties: { size: 'big' } }];
    expect(split(story, body, {}, { groups })).toEqual([
      [[''], [''], [1, 0]],
      [['big'], ['big'], [1, 0]],
    ]);
  });

  it('names a cohort, and those outside a single one', () => {
    const cohorts = [{ id: 4, name: 'Friends', distinct_ids: ['ann'] }];
    const body = { ...TWO, breakdown: [4], breakdown_type: 'cohort' };
    expect(split(story, body, {}, { cohorts })).toEqual([
      ['Friends', 4, [1, 0]],
      ['Not in Friends', 'not-in-4', [1, 0]],
    ]);
  });

  it('puts all users first of equal counts, in trends as well', () => {
    const cohorts = [{ id: 4, name: 'Friends', distinct_ids: ['ann', 'bob', 'cat', 'dan', 'eve'] }];
    const body = { ...TWO, breakdown: [4, 'all'], breakdown_type: 'cohort' };
    expect(split(story, body, {}, { cohorts }).map(([name]) => name)).toEqual(['all users', 'Friends']);
    const trends = readLegacyTrends({ ...body, events: [{ id: 'a' }] });
    expect(calculate(trends, { ...tell(story), ...during({ cohorts }) })).toMatchObject([
      { breakdown_value: 'all' },
      { breakdown_value: 4 },
    ]);
  });

  it('counts a person in every cohort', () => {
    const cohorts = [
      { id: 4, name: 'Friends', distinct_ids: ['ann'] },
      { id: 5, name: 'Everybody', distinct_ids: ['ann', 'bob'] },
    ];
    const body = { ...TWO, breakdown: [4, 5], breakdown_type: 'cohort' };
    expect(split(story, body, {}, { cohorts })).toEqual([
      ['Everybody', 5, [2, 0]],
      ['Friends', 4, [1, 0]],
    ]);
  });
});
