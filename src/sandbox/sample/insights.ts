import type { JsonObject } from '../../json/kinds.ts';
import { COLLEAGUE, type Moment, OPERATOR, shortIdOf, type User } from '../operator.ts';
import { insertInsights, newDocument } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { recordActivity, takeNumbers } from '../store/state.ts';

export const SHOP_DASHBOARD = 1n;

const DAY = 86_400_000_000n;

type Draft = {
  readonly name: string;
  readonly query: JsonObject;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly favorited?: boolean;
  readonly by?: User;
  readonly onDashboard?: boolean;
};

const event = (name: string, fields: JsonObject = {}): JsonObject => ({
  kind: 'EventsNode',
  event: name,
  name,
  ...fields,
});

const orders = event('order_completed');

const views = event('product_viewed');

const steps = [views, event('added_to_basket'), event('checkout_started'), orders];

const chart = (kind: string, fields: JsonObject): JsonObject => ({
  kind: 'InsightVizNode',
  source: { kind, dateRange: { date_from: '-30d' }, ...fields },
});

const sql = (query: string): JsonObject => ({
  kind: 'DataVisualizationNode',
  source: { kind: 'HogQLQuery', query },
});

/** An insight of every kind that is calculated here, oldest first. */
const DRAFTS: readonly Draft[] = [
  {
    name: 'Orders per day',
    query: chart('TrendsQuery', { series: [orders], interval: 'day' }),
    description: 'All completed orders',
    tags: ['shop'],
    favorited: true,
    onDashboard: true,
  },
  {
    name: 'Revenue per week by category',
    query: chart('TrendsQuery', {
      series: [event('order_completed', { math: 'sum', math_property: 'revenue' })],
      interval: 'week',
      breakdownFilter: { breakdown: 'category', breakdown_type: 'event' },
      trendsFilter: { display: 'ActionsBar' },
    }),
    tags: ['shop', 'revenue'],
    onDashboard: true,
  },
  {
    name: 'Shoppers in the last 30 days',
    query: chart('TrendsQuery', {
      series: [event('$pageview', { math: 'dau' })],
      trendsFilter: { display: 'BoldNumber' },
    }),
    onDashboard: true,
  },
  {
    name: 'From product to order',
    query: chart('FunnelsQuery', { series: steps, funnelsFilter: { funnelVizType: 'steps' } }),
    description: 'Where shoppers are lost on their way to an order',
    tags: ['shop', 'funnel'],
    favorited: true,
    onDashboard: true,
  },
  {
    name: 'From product to order by browser',
    query: chart('FunnelsQuery', {
      series: steps,
      funnelsFilter: { funnelVizType: 'steps' },
      breakdownFilter: { breakdown: '$browser', breakdown_type: 'event' },
    }),
    tags: ['funnel'],
    by: COLLEAGUE,
  },
  {
    name: 'Time from basket to order',
    query: chart('FunnelsQuery', {
      series: [event('added_to_basket'), orders],
      funnelsFilter: { funnelVizType: 'time_to_convert' },
    }),
    by: COLLEAGUE,
  },
  {
    name: 'Conversion per day',
    query: chart('FunnelsQuery', { series: [views, orders], funnelsFilter: { funnelVizType: 'trends' } }),
  },
  {
    name: 'Shoppers who come back',
    query: chart('RetentionQuery', {
      retentionFilter: {
        period: 'Week',
        totalIntervals: 8,
        targetEntity: { id: '$pageview', type: 'events' },
        returningEntity: { id: '$pageview', type: 'events' },
      },
    }),
    by: COLLEAGUE,
  },
  {
    name: 'New, returning and lost shoppers',
    query: chart('LifecycleQuery', { series: [event('$pageview')], interval: 'week' }),
  },
  {
    name: 'Days with a visit',
    query: chart('StickinessQuery', { series: [event('$pageview')] }),
    by: COLLEAGUE,
  },
  {
    name: 'Orders per week by plan',
    query: chart('TrendsQuery', {
      series: [orders],
      interval: 'week',
      breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' },
    }),
    by: COLLEAGUE,
  },
  {
    name: 'Best sellers',
    query: sql(
      "select properties.product as product, count() as baskets from events where event = 'added_to_basket' group by product order by baskets desc",
    ),
    description: 'Products by how often they were put into a basket',
    tags: ['shop', 'sql'],
  },
];

/** Adds the insights of the sample, made one a day until yesterday. */
export async function insertSampleInsights(store: Store, now: Moment): Promise<void> {
  const made = DRAFTS.map((draft, index) => {
    const createdAt = now - BigInt(DRAFTS.length - index) * DAY;
    const { by: user = OPERATOR, onDashboard: _, ...given } = draft;
    const fields = { ...given, saved: true, is_sample: true };
    return { draft, createdAt, document: newDocument(fields, { user, now: createdAt }) };
  });
  const first = await insertInsights(
    store,
    made.map(({ document }) => document),
  );
  const placed = DRAFTS.flatMap(({ onDashboard }, index) =>
    onDashboard === true ? [first + BigInt(index)] : [],
  );
  const tile = await takeNumbers(store, 'dashboard tile', placed.length);
  await store.append(
    'dashboard_tiles',
    placed.map((id, index) => [tile + BigInt(index), SHOP_DASHBOARD, id]),
  );
  await recordActivity(
    store,
    made.map(({ draft: { name, by = OPERATOR }, createdAt }, index) => ({
      scope: 'Insight',
      itemId: first + BigInt(index),
      activity: 'created',
      name,
      shortId: shortIdOf(first + BigInt(index)),
      user: by,
      now: createdAt,
    })),
  );
}
