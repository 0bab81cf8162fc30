import type { JsonObject } from '../../src/json/kinds.ts';

/** Invented answers of a shop, in the service's shapes, for the pictures in the documents. */
const dates = (count: number, step: number) =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(2026, 4, 1 + index * step)).toISOString().slice(0, 10),
  );

const trends = (data: readonly number[], label: string) => ({ label, data, days: dates(data.length, 1) });
const viz = (source: JsonObject) => ({ kind: 'InsightVizNode', source });

const steps = [
  ['product_viewed', 8412, null, null],
  ['added_to_basket', 3187, 214.2, 96.5],
  ['checkout_started', 1604, 488.7, 180.1],
  ['order_completed', 1193, 151.4, 88.9],
] as const;

const cohorts = [
  [412, 188, 141, 118, 96, 91, 87, 85],
  [398, 201, 150, 121, 103, 99, 92],
  [455, 176, 129, 101, 90, 77],
  [431, 229, 171, 150, 133],
  [467, 243, 188, 161],
  [502, 277, 204],
  [489, 269],
  [513],
];

const lives = {
  new: [310, 288, 342, 371, 356, 402, 389, 420],
  returning: [520, 561, 548, 590, 633, 641, 688, 702],
  resurrecting: [84, 92, 71, 101, 88, 120, 97, 110],
  dormant: [-241, -266, -230, -301, -262, -288, -315, -270],
};

export const PICTURE_ANSWERS = {
  funnel: {
    name: 'From product to order',
    query: viz({ kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'steps' } }),
    result: steps.map(([name, count, average, median], order) => ({
      name,
      order,
      count,
      average_conversion_time: average,
      median_conversion_time: median,
    })),
  },
  trends: {
    name: 'Orders and returns per day',
    query: viz({ kind: 'TrendsQuery', trendsFilter: { display: 'ActionsLineGraph' } }),
    result: [
      trends([42, 55, 61, 38, 35, 47, 58, 63, 71, 66, 49, 44, 57, 72, 78, 81], 'orders'),
      trends([4, 6, 5, 9, 8, 7, 5, 6, 11, 14, 12, 9, 8, 7, 10, 9], 'returns'),
    ],
  },
  retention: {
    name: 'Shoppers who come back',
    query: viz({ kind: 'RetentionQuery' }),
    result: cohorts.map((counts, index) => ({
      date: `${dates(cohorts.length, 7)[index]}T00:00:00Z`,
      label: `Week ${index}`,
      values: counts.map((count, week) => ({ count, label: `Week ${week}` })),
    })),
  },
  lifecycle: {
    name: 'New, returning and lost shoppers',
    query: viz({ kind: 'LifecycleQuery' }),
    result: Object.entries(lives).map(([status, data]) => ({ status, data, days: dates(data.length, 7) })),
  },
  'time-to-convert': {
    name: 'Time from basket to order',
    query: viz({ kind: 'FunnelsQuery', funnelsFilter: { funnelVizType: 'time_to_convert' } }),
    result: {
      bins: [
        [0, 684],
        [300, 251],
        [600, 118],
        [900, 62],
        [1200, 31],
        [1500, 17],
        [1800, 9],
        [2100, 1],
        [2400, 0],
      ],
      average_conversion_time: 342,
    },
  },
};
