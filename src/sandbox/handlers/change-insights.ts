import { isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { insights } from '../../service/insights.ts';
import { OPERATOR, writeMoment } from '../operator.ts';
import { invalid } from '../refusal.ts';
import type { Call, Handler } from '../routes.ts';
import {
  type InsightDocument,
  insertInsights,
  placeOnDashboards,
  type StoredInsight,
  selectDashboards,
  selectInsights,
  updateInsight,
} from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import { type Change, recordActivity } from '../store/state.ts';
import { findInsight, insightWithResult } from './insight-answers.ts';

type Fields = Omit<Call<typeof insights.update>['input'], 'id'>;

const NEVER_NULL = ['deleted', 'dashboards', 'tags', 'favorited', 'saved'] as const;

const WRITTEN = [
  'name',
  'derived_name',
  'filters',
  'query',
  'order',
  'deleted',
  'description',
  'tags',
  'favorited',
  'saved',
] as const;

/** I2: nothing is required, and what is not given is empty. */
export const createInsight: Handler<typeof insights.create> = async (call) => {
  const { input, store, now } = call;
  await checkFields(store, input);
  const moment = writeMoment(now);
  const empty: InsightDocument = {
    name: null,
    derived_name: null,
    filters: {},
    query: null,
    order: null,
    deleted: false,
    description: null,
    tags: [],
    favorited: false,
    saved: false,
    created_at: moment,
    created_by: OPERATOR,
    updated_at: moment,
    last_modified_at: moment,
    last_modified_by: OPERATOR,
    is_sample: false,
  };
  const id = await insertInsights(store, [{ ...empty, ...written(input) }]);
  await placeOnDashboards(store, id, (input.dashboards ?? []).map(BigInt));
  const insight = await reread(store, id);
  await log(call, insight, 'created', []);
  return { status: 201, body: await insightWithResult(call, insight) };
};

/** I5: only what is given changes. Deleting takes an insight off its dashboards; restoring finds it again. */
export const changeInsight: Handler<typeof insights.update> = async (call) => {
  const { input, dialect, store, now } = call;
  await checkFields(store, input);
  const insight = await findInsight(store, input.id, { dialect, withDeleted: input.deleted === false });
  const fields = written(input);
  const document: InsightDocument = {
    ...insight.document,
    // The live service saves whatever is changed.
    ...(dialect === 'live' ? { saved: true } : {}),
    ...fields,
    updated_at: writeMoment(now),
    last_modified_at: writeMoment(now),
    last_modified_by: OPERATOR,
  };
  await updateInsight(store, insight.id, document);
  if (input.dashboards !== undefined)
    await placeOnDashboards(store, insight.id, input.dashboards.map(BigInt));
  if (document.deleted) await placeOnDashboards(store, insight.id, []);
  const changed = await reread(store, insight.id);
  await log(call, changed, activityOf(insight, changed), changesOf(insight.document, fields));
  return { status: 200, body: await insightWithResult(call, changed) };
};

async function checkFields(store: Store, fields: Fields): Promise<void> {
  const wrong = NEVER_NULL.find((name) => fields[name] === null);
  if (wrong !== undefined) throw invalid(wrong, 'This field may not be null.', 'null');
  const { query, dashboards } = fields;
  if (query !== undefined && query !== null && !(isObject(query) && typeof query.kind === 'string')) {
    throw invalid('query', 'A query needs a kind.');
  }
  if (dashboards === undefined) return;
  const known = await selectDashboards(store);
  const unknown = dashboards.find((id) => !known.has(BigInt(id)));
  if (unknown !== undefined)
    throw invalid('dashboards', `Dashboard ${unknown} does not exist.`, 'does_not_exist');
}

function written(fields: Fields): Partial<InsightDocument> {
  return Object.fromEntries(
    WRITTEN.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

async function reread(store: Store, id: bigint): Promise<StoredInsight> {
  const insight = (await selectInsights(store)).find((candidate) => candidate.id === id);
  if (insight === undefined) throw new Error(`insight ${id} was written and is not there`);
  return insight;
}

function activityOf(before: StoredInsight, after: StoredInsight): string {
  if (before.document.deleted === after.document.deleted) return 'updated';
  return after.document.deleted ? 'deleted' : 'restored';
}

function changesOf(before: InsightDocument, fields: Partial<InsightDocument>): readonly Change[] {
  const earlier: JsonObject = before;
  return Object.entries(fields).flatMap(([field, after]: [string, Json]): readonly Change[] => {
    const old = earlier[field] ?? null;
    return writeJson(old) === writeJson(after) ? [] : [{ action: 'changed', field, before: old, after }];
  });
}

async function log(
  { store, now }: Pick<Call<typeof insights.create>, 'store' | 'now'>,
  insight: StoredInsight,
  activity: string,
  changes: readonly Change[],
): Promise<void> {
  const { name, derived_name } = insight.document;
  await recordActivity(store, [
    {
      scope: 'Insight',
      itemId: insight.id,
      activity,
      name: name ?? derived_name,
      shortId: insight.shortId,
      changes,
      user: OPERATOR,
      now,
    },
  ]);
}
