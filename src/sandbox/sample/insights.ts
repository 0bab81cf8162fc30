import { COLLEAGUE, type Moment, OPERATOR, shortIdOf } from '../operator.ts';
import { type InsightDocument, insertInsights, newDocument } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { recordActivity, takeNumbers } from '../store/state.ts';
import drafts from './insights.json' with { type: 'json' };

export const SHOP_DASHBOARD = 1n;

const DAY = 86_400_000_000n;

type Draft = {
  readonly name: string;
  readonly isColleagues?: boolean;
  readonly onDashboard?: boolean;
  readonly fields: Partial<InsightDocument>;
};

/** An insight of every kind that is calculated here, oldest first. */
const DRAFTS: readonly Draft[] = drafts;

/** Adds the insights of the sample, made one a day until yesterday. */
export async function insertSampleInsights(store: Store, now: Moment): Promise<void> {
  const made = DRAFTS.map((draft, index) => {
    const createdAt = now - BigInt(DRAFTS.length - index) * DAY;
    const user = draft.isColleagues ? COLLEAGUE : OPERATOR;
    const fields = { name: draft.name, ...draft.fields, saved: true, is_sample: true };
    return { name: draft.name, user, createdAt, document: newDocument(fields, { user, now: createdAt }) };
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
    made.map(({ name, user, createdAt }, index) => ({
      scope: 'Insight',
      itemId: first + BigInt(index),
      activity: 'created',
      name,
      shortId: shortIdOf(first + BigInt(index)),
      user,
      now: createdAt,
    })),
  );
}
