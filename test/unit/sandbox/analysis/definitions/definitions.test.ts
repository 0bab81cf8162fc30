import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/json/kinds.ts';
import {
  readLegacyFunnel,
  readQueryDefinition,
} from '../../../../../src/sandbox/analysis/definitions/definition.ts';
import { FUNNEL, QUERY } from './funnel-forms.ts';

/** As a query string carries it: every value is text. */
function asTexts(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

describe('the body of a funnel', () => {
  it('puts events and actions in their common order, and reads every field', () => {
    expect(readLegacyFunnel(FUNNEL)).toMatchObject({
      steps: [
        { type: 'events', id: 'a', properties: [{ key: 'k', value: 1 }] },
        { type: 'actions', id: 7 },
        { type: 'events', id: null, customName: 'Anything' },
      ],
      exclusions: [{ entity: { id: 'x' }, fromStep: 0, toStep: 1 }],
      order: 'strict',
      view: 'trends',
      windowSeconds: 10_800,
      filters: [{ key: 'plan', value: 'pro', type: 'person' }],
      filterTestAccounts: true,
      dates: { from: '-14d', to: '2024-02-10' },
      interval: 'week',
      breakdown: { kind: 'properties', parts: [{ property: 'os' }, { property: 'browser' }], limit: 3 },
      attribution: { kind: 'step', step: 1 },
      fromStep: 0,
      toStep: 2,
    });
  });

  it('means the same as the query node and as the texts of a query string', () => {
    const definition = readLegacyFunnel(FUNNEL);
    expect(readQueryDefinition(QUERY)).toEqual(definition);
    expect(readLegacyFunnel(asTexts(FUNNEL))).toEqual(definition);
  });

  it.each<[JsonObject, number]>([
    [{}, 14 * 86_400],
    [{ funnel_window_days: 7 }, 7 * 86_400],
    [{ funnel_window_interval: 2, funnel_window_interval_type: 'days' }, 2 * 86_400],
    [{ funnel_window_interval: 2, funnel_window_interval_unit: 'week' }, 14 * 86_400],
    [{ funnel_window_interval: 1, funnel_window_interval_type: 'MONTH' }, 30 * 86_400],
    [{ funnel_window_interval: 90, funnel_window_interval_type: 'SECOND', funnel_window_days: 3 }, 90],
  ])('reads the window of %j', (fields, seconds) => {
    expect(readLegacyFunnel(fields).windowSeconds).toBe(seconds);
  });

  it('counts persons for group 0, the query node the first group type', () => {
    expect(readLegacyFunnel({ aggregation_group_type_index: 0 }).groupTypeIndex).toBeUndefined();
    expect(readLegacyFunnel({ aggregation_group_type_index: 1 }).groupTypeIndex).toBe(1);
    const query = { ...QUERY, aggregation_group_type_index: 0 };
    expect(readQueryDefinition(query)).toMatchObject({ groupTypeIndex: 0 });
  });

  it('keeps an event that is named by the empty text apart from any event', () => {
    expect(readLegacyFunnel({ events: [{ id: '' }, { id: null }, {}] }).steps.map(({ id }) => id)).toEqual([
      '',
      null,
      null,
    ]);
  });

  it.each<JsonObject>([
    { events: 'a' },
    { events: [3] },
    { funnel_viz_type: 'pie' },
    { funnel_order_type: 'any' },
    { funnel_window_interval: 'soon' },
    { funnel_window_interval: 1, funnel_window_interval_type: 'fortnight' },
    { interval: 'year' },
    { breakdown: 'x', breakdown_type: 'hogql' },
    { breakdown: 'x', breakdown_type: 'session' },
    { breakdown: ['x'], breakdown_type: 'cohort' },
    { breakdown: 'x', breakdown_limit: 0 },
    { bin_count: 91 },
  ])('is refused with %j', (body) => {
    expect(() => readLegacyFunnel(body)).toThrow(
      expect.objectContaining({ status: 400, type: 'validation_error' }),
    );
  });
});
