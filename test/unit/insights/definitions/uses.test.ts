import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usedNames, usesOf, withNumbers } from '../../../../src/insights/definitions/uses.ts';
import type { Json } from '../../../../src/json/kinds.ts';
import { parseJson } from '../../../../src/json/text.ts';

const numbersIn = (query: Json) => [...usesOf({ query }).numbered.keys()];
const seenIn = (query: Json) => [...usesOf({ query }).seen.keys()];
/** Each number becomes a hundred more. */
const moved = (query: Json) =>
  withNumbers({ query }, (kind, id) => (kind === 'variable' ? `${id}-there` : Number(id) + 100)).query;

describe('the numbers in a definition', () => {
  it.each<[string, Json, readonly string[], Json]>([
    ['an action', { kind: 'ActionsNode', id: 3 }, ['action 3'], { kind: 'ActionsNode', id: 103 }],
    ['an older action', { type: 'actions', id: '3' }, ['action 3'], { type: 'actions', id: '103' }],
    [
      'the action of a list',
      { kind: 'EventsQuery', actionId: 3 },
      ['action 3'],
      { kind: 'EventsQuery', actionId: 103 },
    ],
    [
      'a filter by cohort',
      { properties: [{ type: 'cohort', key: 'id', value: 4, operator: 'in' }] },
      ['cohort 4'],
      { properties: [{ type: 'cohort', key: 'id', value: 104, operator: 'in' }] },
    ],
    [
      'cohorts of a kind',
      { type: 'static-cohort', key: 'id', value: ['4', 5] },
      ['cohort 4', 'cohort 5'],
      { type: 'static-cohort', key: 'id', value: ['104', 105] },
    ],
    [
      'a breakdown by cohorts',
      { breakdown_type: 'cohort', breakdown: [4, 'all', 0] },
      ['cohort 4'],
      { breakdown_type: 'cohort', breakdown: [104, 'all', 0] },
    ],
    [
      'a breakdown by one',
      { breakdown_type: 'cohort', breakdown: 4 },
      ['cohort 4'],
      { breakdown_type: 'cohort', breakdown: 104 },
    ],
    [
      'one of several breakdowns',
      { breakdowns: [{ type: 'cohort', property: 4 }] },
      ['cohort 4'],
      { breakdowns: [{ type: 'cohort', property: 104 }] },
    ],
    [
      'a variable of SQL',
      { kind: 'HogQLQuery', variables: { v1: { code_name: 'country', variableId: 'v1', value: 'DE' } } },
      ['variable v1'],
      {
        kind: 'HogQLQuery',
        variables: { 'v1-there': { code_name: 'country', variableId: 'v1-there', value: 'DE' } },
      },
    ],
  ])('are found and replaced: %s', (_, query, numbers, after) => {
    expect(numbersIn(query)).toEqual(numbers);
    expect(moved(query)).toEqual(after);
  });

  it('leave all else alone', () => {
    const query = {
      kind: 'EventsNode',
      id: 3,
      event: 'paid',
      properties: [{ type: 'event', key: 'id', value: 4 }],
      breakdown_type: 'event',
      breakdown: '4',
      dateRange: { date_from: '-30d' },
    };
    expect(numbersIn(query)).toEqual([]);
    expect(moved(query)).toEqual(query);
  });

  it('are left alone in any JSON that names none, which keeps its digits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // What fast-check makes is JSON, which its own type does not say.
        expect(moved(value as Json)).toEqual(value);
      }),
    );
    const exact = parseJson('{"kind":"Q","value":12345678901234567890,"rate":1.0}');
    expect(moved(exact)).toEqual(exact);
  });

  it('have names, of which a file keeps those it uses', () => {
    const names = { cohorts: { '4': 'Trial', '5': 'Paying' }, actions: { '3': 'Signed up', '4': 'Left' } };
    const query = [
      { kind: 'ActionsNode', id: 3 },
      { type: 'cohort', key: 'id', value: 4 },
    ];
    expect(usedNames({ query }, names)).toEqual({ cohorts: { '4': 'Trial' }, actions: { '3': 'Signed up' } });
    expect(usedNames({ filters: { actions: [{ type: 'actions', id: 4 }] } }, names).actions).toEqual({
      '4': 'Left',
    });
  });
});

describe('what a definition expects to have been seen', () => {
  it.each<[string, Json, readonly string[]]>([
    ['an event', { kind: 'EventsNode', event: 'paid' }, ['event paid']],
    ['any event', { kind: 'EventsNode', event: null }, []],
    ['an older event', { type: 'events', id: 'paid' }, ['event paid']],
    ['a step that is excluded', { exclusions: [{ kind: 'EventsNode', event: 'left' }] }, ['event left']],
    ['what is returned to', { targetEntity: { id: '$pageview', type: 'events' } }, ['event $pageview']],
    ['a filter', { type: 'event', key: 'plan', operator: 'is_set' }, ['event property plan']],
    ['a filter on persons', { type: 'person', key: 'plan', value: 'pro' }, ['person property plan']],
    ['an older filter', { key: 'plan', value: 'pro', operator: 'exact' }, ['event property plan']],
    ['a filter on a group', { type: 'group', key: 'plan', value: 'pro' }, []],
    ['a filter on the session', { type: 'session', key: '$session_duration', value: 5 }, []],
    ['a breakdown', { breakdown: 'plan', breakdown_type: 'person' }, ['person property plan']],
    [
      'a breakdown of no kind',
      { breakdown: ['plan', 'city'] },
      ['event property plan', 'event property city'],
    ],
    [
      'several breakdowns',
      { breakdowns: [{ property: 'plan' }, { property: 'city', type: 'person' }] },
      ['event property plan', 'person property city'],
    ],
    [
      'a property that is summed',
      { kind: 'EventsNode', event: 'paid', math_property: 'revenue' },
      ['event paid', 'event property revenue'],
    ],
    [
      'a person property that is summed',
      { math_property: 'age', math_property_type: 'person_properties' },
      ['person property age'],
    ],
    ['a column of other data', { math_property: 'age', math_property_type: 'data_warehouse_properties' }, []],
    ['what the service derives', { type: 'person', key: '$virt_initial_channel_type', value: 'x' }, []],
  ])('is found: %s', (_, query, seen) => {
    expect(seenIn(query)).toEqual(seen);
  });

  it('is not looked for in SQL, which is told', () => {
    const query = {
      kind: 'InsightVizNode',
      source: {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: null, math_hogql: 'sum(1)' }],
        properties: [{ type: 'hogql', key: 'person_id in cohort 12' }],
        breakdownFilter: { breakdown_type: 'hogql', breakdown: "properties.plan = 'pro'" },
      },
    };
    expect(usesOf({ query })).toMatchObject({
      seen: new Map(),
      sql: ['sum(1)', 'person_id in cohort 12', "properties.plan = 'pro'"],
    });
    expect(usesOf({ query: { kind: 'HogQLQuery', query: 'select 1' } }).sql).toEqual(['select 1']);
  });

  it('is told of all that is not looked for elsewhere', () => {
    const series = [{ kind: 'DataWarehouseNode', table_name: 'orders', math_group_type_index: 0 }];
    const query = { kind: 'TrendsQuery', series, properties: [{ type: 'hogql', key: '1 = 1' }] };
    expect([...usesOf({ query }).unchecked]).toEqual(['SQL', 'warehouse tables', 'group types']);
  });
});
