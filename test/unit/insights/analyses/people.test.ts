import { describe, expect, it } from 'vitest';
import {
  correlationActorsQuery,
  funnelActorsQuery,
  lifecycleActorsQuery,
  stickinessActorsQuery,
  trendsActorsQuery,
} from '../../../../src/insights/analyses/people.ts';

const events = [
  { id: 'signup', type: 'events', order: 0 },
  { id: 'paid', type: 'events', order: 1 },
];
const series = [
  { kind: 'EventsNode', event: 'signup' },
  { kind: 'EventsNode', event: 'paid' },
];
const funnel = { kind: 'FunnelsQuery', series };

describe('people behind a figure as a query', () => {
  it('lists those of a funnel step', () => {
    expect(funnelActorsQuery({ events, funnel_step: -2 })).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: { kind: 'FunnelsActorsQuery', source: funnel, funnelStep: -2 },
    });
    expect(() => funnelActorsQuery({ events })).toThrow('--step is missing');
  });

  it('lists those of a correlation', () => {
    expect(
      correlationActorsQuery({
        events,
        funnel_correlation_person_entity: { id: 'video', type: 'events' },
        funnel_correlation_person_converted: false,
      }),
    ).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: {
        kind: 'FunnelCorrelationActorsQuery',
        source: {
          kind: 'FunnelCorrelationQuery',
          source: { kind: 'FunnelsActorsQuery', source: funnel },
          funnelCorrelationType: 'events',
        },
        funnelCorrelationPersonConverted: false,
        funnelCorrelationPersonEntity: { kind: 'EventsNode', event: 'video' },
      },
    });
    expect(() => correlationActorsQuery({ events })).toThrow('--entity is missing');
  });

  it('lists those of one day of a lifecycle', () => {
    const filters = { events, date_from: '-30d', interval: 'week' };
    const query = lifecycleActorsQuery({ ...filters, target_date: '2026-01-05', lifecycle_type: 'new' });
    expect(query).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: {
        kind: 'InsightActorsQuery',
        source: { kind: 'LifecycleQuery', series, dateRange: { date_from: '-30d' }, interval: 'week' },
        day: '2026-01-05',
        status: 'new',
      },
    });
    expect(() => lifecycleActorsQuery({ ...filters, target_date: '2026-01-05' })).toThrow(
      '--status is missing',
    );
  });

  it('lists those of a number of days', () => {
    expect(stickinessActorsQuery({ events, stickiness_days: 3 })).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: { kind: 'StickinessActorsQuery', source: { kind: 'StickinessQuery', series }, day: 3 },
    });
    expect(() => stickinessActorsQuery({ events })).toThrow('--days is missing');
  });

  it('lists those of one point of a trend', () => {
    const filters = {
      events: events.map((event) => ({ ...event, math: 'dau' })),
      date_from: '2026-01-05',
      date_to: '2026-01-05',
      entity_id: 'paid',
      entity_type: 'events',
      entity_math: 'dau',
      breakdown: 'plan',
      breakdown_type: 'person',
      breakdown_value: 'pro',
    };
    expect(trendsActorsQuery(filters, { series: 1, day: '2026-01-05' })).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: {
        kind: 'InsightActorsQuery',
        source: {
          kind: 'TrendsQuery',
          series: series.map((node) => ({ ...node, math: 'dau' })),
          dateRange: { date_from: '2026-01-05', date_to: '2026-01-05' },
          breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' },
        },
        day: '2026-01-05',
        series: 1,
        breakdown: 'pro',
      },
    });
  });

  it.each([
    ['2026-02-01', 'month', '2026-02-01', '2026-02-28'],
    // Weeks may begin with any day: the range holds the week that the service finds.
    ['2026-01-05', 'week', '2025-12-30', '2026-01-11'],
    ['2026-01-05 14:00', 'hour', '2026-01-05 14:00:00', '2026-01-05 14:59:59'],
  ])('asks about all of the point %s by %s', (day, interval, from, to) => {
    const query = trendsActorsQuery({ events, interval }, { series: 0, day });
    expect(query).toMatchObject({
      source: { source: { dateRange: { date_from: from, date_to: to }, interval }, day },
    });
  });

  it('asks for the whole range where no day is named', () => {
    expect(trendsActorsQuery({ events, display: 'ActionsLineGraphCumulative' }, { series: 0 })).toEqual({
      kind: 'ActorsQuery',
      select: ['actor'],
      source: {
        kind: 'InsightActorsQuery',
        source: { kind: 'TrendsQuery', series, trendsFilter: { display: 'ActionsLineGraphCumulative' } },
        series: 0,
      },
    });
  });

  it('refuses fields that it cannot express', () => {
    expect(() => funnelActorsQuery({ events, funnel_step: 1, shown_as: 'x' })).toThrow(
      'the field "shown_as" cannot be sent in a query',
    );
  });
});
