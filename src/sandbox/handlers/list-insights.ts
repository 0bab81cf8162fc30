import type { insights } from '../../api/endpoints/insights.ts';
import type { Insight } from '../../api/schemas.ts';
import { readRefresh } from '../calculation/freshness.ts';
import type { Handler } from '../call.ts';
import { neighbours, readPart } from '../paging.ts';
import { invalid } from '../refusal.ts';
import { type StoredInsight, selectInsights } from '../store/insights.ts';
import { basicInsight } from './insight-answers.ts';
import { insightLater } from './insight-results.ts';

type Input = Parameters<Handler<typeof insights.list>>[0]['input'];

const SORTABLE = [
  'id',
  'name',
  'created_at',
  'updated_at',
  'last_modified_at',
  'last_viewed_at',
  'favorited',
];

/** I1 */
export const listInsights: Handler<typeof insights.list> = async (call) => {
  const { input, dialect, store, address } = call;
  const mode = readRefresh(input.refresh, 'force_cache');
  const all = await selectInsights(store);
  const found = all.filter((insight) => isListed(insight, dialect) || input.saved === false);
  const matching = sortInsights(
    found.filter((insight) => !insight.document.deleted && matches(insight, input)),
    input.order ?? '-last_modified_at',
  );
  const part = readPart(input);
  const rows = matching.slice(part.offset, part.offset + part.limit);
  const page = neighbours(address, part, part.offset + part.limit < matching.length);
  const answer = (results: readonly Insight[]) => ({
    status: 200,
    body: { count: matching.length, ...page, results },
  });
  if (input.basic === true) return answer(rows.map(basicInsight));
  const results: (() => Promise<Insight>)[] = [];
  for (const insight of rows) results.push(await insightLater(call, insight, { mode }));
  return { later: async () => answer(await Promise.all(results.map((result) => result()))) };
};

/** The live service lists what was saved or stands on a dashboard. */
function isListed({ document, tiles }: StoredInsight, dialect: 'live' | 'specification'): boolean {
  return dialect === 'specification' || document.saved || tiles.length > 0;
}

function matches({ shortId, document }: StoredInsight, input: Input): boolean {
  const { short_id, created_by, search, saved, favorited } = input;
  if (short_id !== undefined && short_id !== shortId) return false;
  if (created_by !== undefined && created_by !== document.created_by.id) return false;
  if (saved !== undefined && saved !== document.saved) return false;
  if (favorited === true && !document.favorited) return false;
  const texts = [document.name, document.derived_name, document.description, ...document.tags];
  const wanted = (search ?? '').toLowerCase();
  return wanted === '' || texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

function sortInsights(found: readonly StoredInsight[], order: string): readonly StoredInsight[] {
  const field = order.replace(/^-/, '');
  if (!SORTABLE.includes(field))
    throw invalid('order', `"${order}" is not a valid choice.`, 'invalid_choice');
  const sign = order.startsWith('-') ? -1 : 1;
  const keys = new Map(found.map((insight) => [insight, sortKey(insight, field)]));
  return found.toSorted((one, other) => {
    const [left, right] = [keys.get(one) ?? '', keys.get(other) ?? ''];
    if (left !== right) return left < right ? -sign : sign;
    return one.id < other.id ? 1 : -1;
  });
}

function sortKey(insight: StoredInsight, field: string): string {
  // Padded, so that numbers sort as numbers among texts.
  if (field === 'id') return String(insight.id).padStart(20, '0');
  const value = basicInsight(insight)[field];
  return typeof value === 'string' ? value.toLowerCase() : String(value ?? '');
}
