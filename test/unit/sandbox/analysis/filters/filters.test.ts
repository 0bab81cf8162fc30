import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/json/kinds.ts';
import type { AnalysisEvent, ProjectSettings } from '../../../../../src/sandbox/analysis/dataset.ts';
import { type Entity, maskOf, predicateOf } from '../../../../../src/sandbox/analysis/filters/entity.ts';
import { compileFilters } from '../../../../../src/sandbox/analysis/filters/property-filter.ts';
import { during } from '../stories.ts';

const PERSON = {
  uuid: 'u-1',
  distinct_ids: ['ann'],
  properties: { email: 'ann@shop.example' },
  created_at: 0,
};

function event(properties: JsonObject, name = 'view'): AnalysisEvent {
  return { person: PERSON, event: name, timestamp: Date.parse('2024-02-05T10:00:00Z'), order: 0, properties };
}

function holds(filters: Json, properties: JsonObject = {}, project: Partial<ProjectSettings> = {}): boolean {
  return compileFilters(filters, during(project))?.(event(properties)) ?? true;
}

describe('filters', () => {
  const a = { key: 'a', value: '1' };
  const b = { key: 'b', value: '1' };

  it('all have to hold in a list, and in trees as they say', () => {
    expect(holds([a, b], { a: 1 })).toBe(false);
    expect(
      holds(
        {
          type: 'OR',
          values: [
            { type: 'AND', values: [a, b] },
            { type: 'AND', values: [b] },
          ],
        },
        { b: 1 },
      ),
    ).toBe(true);
    expect(holds({ type: 'OR', values: [a, b] }, {})).toBe(false);
  });

  it('are none where they are empty', () => {
    for (const none of [null, [], {}, { type: 'AND', values: [{ type: 'AND', values: [] }] }]) {
      expect(compileFilters(none, during())).toBeUndefined();
    }
  });

  it('may be written in the oldest form', () => {
    expect(holds({ a: '1', b__icontains: 'x' }, { a: 1, b: 'axe' })).toBe(true);
    expect(holds({ a: '1', b__icontains: 'x' }, { a: 1, b: 'ace' })).toBe(false);
  });

  it('read the person, the group and the event itself', () => {
    const group = [{ key: 'size', value: 'big', type: 'group', group_type_index: 1 }];
    const groups = [{ type_index: 1, key: 'acme', properties: { size: 'big' } }];
    expect(holds([{ key: 'email', value: '@shop', operator: 'icontains', type: 'person' }])).toBe(true);
    expect(holds(group, { $group_1: 'acme' }, { groups })).toBe(true);
    expect(holds(group, { $group_0: 'acme' }, { groups })).toBe(false);
    expect(holds([{ key: 'event', value: 'view', type: 'event_metadata' }])).toBe(true);
  });

  it('of a type that is not known are refused', () => {
    expect(() => holds([{ key: 'x', value: 1, type: 'hogql' }])).toThrow(/"hogql" are not supported/);
  });
});

describe('cohorts', () => {
  const inCohort = (value: Json, more: JsonObject = {}) => [{ type: 'cohort', key: 'id', value, ...more }];
  const cohorts = [
    { id: 1, name: 'listed', distinct_ids: ['ann'] },
    { id: 2, name: 'others', distinct_ids: ['bob'] },
  ];

  it('hold their members, and a list of them those of any', () => {
    expect([1, 2].map((id) => holds(inCohort(id), {}, { cohorts }))).toEqual([true, false]);
    expect(holds(inCohort([2, 1]), {}, { cohorts })).toBe(true);
  });

  it('may be asked for those outside', () => {
    expect(holds(inCohort(1, { operator: 'not_in' }), {}, { cohorts })).toBe(false);
    expect(holds(inCohort(2, { negation: true }), {}, { cohorts })).toBe(true);
  });

  it('are refused where they do not exist', () => {
    expect(() => holds(inCohort(9), {}, { cohorts })).toThrow('Cohort 9 does not exist.');
  });
});

describe('entities', () => {
  const actions = [
    {
      id: 7,
      name: 'Interest',
      steps: [
        { event: 'view', url: '/pricing', url_matching: 'contains' },
        { event: 'ask', properties: [{ key: 'topic', value: 'price' }] },
      ],
    },
  ];
  const is = (entity: Entity, one: AnalysisEvent) => predicateOf(entity, during({ actions }))(one);
  const action: Entity = { type: 'actions', id: 7 };

  it('match an action when one of its steps does', () => {
    expect(is(action, event({ $current_url: 'https://a.example/pricing?x=1' }))).toBe(true);
    expect(is(action, event({ $current_url: 'https://a.example/' }))).toBe(false);
    expect(is(action, event({ topic: 'price' }, 'ask'))).toBe(true);
    expect(
      is({ ...action, properties: [{ key: 'vip', value: 'true' }] }, event({ topic: 'price' }, 'ask')),
    ).toBe(false);
  });

  it('are refused for an action that does not exist', () => {
    expect(() => is({ type: 'actions', id: 8 }, event({}))).toThrow('Action ID 8 does not exist!');
  });

  it('give one bit for each that an event is, up to the 32nd', () => {
    const entities: Entity[] = Array.from({ length: 32 }, () => ({ type: 'events', id: 'other' }));
    entities[1] = { type: 'events', id: null };
    entities[31] = { type: 'events', id: 'view' };
    expect(maskOf(entities, during())(event({})) >>> 0).toBe(0x80000002);
  });
});

const filter = (operator: string, value: Json) => [{ key: 'k', operator, value, type: 'event' }];

describe('operators', () => {
  it.each<[string, Json, Json, boolean]>([
    ['exact', 'a', 'a', true],
    ['exact', ['a', 'b'], 'b', true],
    ['exact', 'true', true, true],
    ['exact', 5, '5', true],
    ['exact', 'A', 'a', false],
    ['is_not', 'a', 'b', true],
    ['is_not', ['a', 'b'], 'b', false],
    ['icontains', 'HOP', 'shop', true],
    ['icontains', ['x', 'sh'], 'shop', true],
    ['not_icontains', 'hop', 'shop', false],
    ['regex', '^s.*p$', 'shop', true],
    ['regex', '(?i)^SHOP$', 'shop', true],
    ['not_regex', '^s', 'shop', false],
    ['gt', 5, 10, true],
    ['gt', '5', '10', true],
    ['gt', 5, 'ten', false],
    ['gte', 5, 5, true],
    ['lt', 5, 4.5, true],
    ['lte', 5, 6, false],
    ['min', 5, 5, true],
    ['max', 5, 6, false],
    ['gt', '2024-01-31', '2024-02-01', true],
    ['between', [1, 3], 3, true],
    ['not_between', [1, 3], 4, true],
    ['is_set', 'is_set', 0, true],
    ['is_set', 'is_set', null, false],
    ['is_not_set', '', null, true],
    ['is_date_before', '2024-02-02', '2024-02-01T23:59:59Z', true],
    ['is_date_after', '2024-02-02', '2024-02-02T10:00:00Z', false],
    ['is_date_after', '-3d', '2024-02-08', true],
    ['is_date_exact', '2024-02-02', 1_706_868_000, true],
    ['is_date_exact', '2024-02-02', 'soon', false],
  ])('%s %j against %j is %s', (operator, wanted, value, expected) => {
    expect(holds(filter(operator, wanted), { k: value })).toBe(expected);
  });

  it('lets a missing property through where the operator is a negative one', () => {
    const passing = ['is_not', 'not_icontains', 'not_regex', 'is_not_set'].filter((name) =>
      holds(filter(name, 'a')),
    );
    expect(passing).toEqual(['is_not', 'not_icontains', 'not_regex', 'is_not_set']);
    for (const name of ['exact', 'icontains', 'regex', 'gt', 'lt', 'is_set', 'not_between']) {
      expect(holds(filter(name, name === 'not_between' ? [1, 2] : 'a'))).toBe(false);
    }
  });

  it('refuses operators, expressions and ranges that make no sense', () => {
    for (const wrong of [
      filter('like', 'a'),
      filter('constructor', 'a'),
      filter('regex', '('),
      filter('regex', '(?=a)'),
      filter('between', 3),
    ]) {
      expect(() => holds(wrong)).toThrow(expect.objectContaining({ status: 400 }));
    }
  });

  it('takes no time without a bound for a regular expression', () => {
    const filters = filter('regex', '^(a+)+$');
    expect(holds(filters, { k: 'a'.repeat(50_000) })).toBe(true);
    expect(holds(filters, { k: `${'a'.repeat(50_000)}b` })).toBe(false);
  });

  it('does not find properties that every object has', () => {
    expect(holds([{ key: 'constructor', operator: 'is_set', value: 'is_set' }])).toBe(false);
  });
});
