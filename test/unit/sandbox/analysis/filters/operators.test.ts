import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/json/kinds.ts';
import type { AnalysisEvent, ProjectSettings } from '../../../../../src/sandbox/analysis/dataset.ts';
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
