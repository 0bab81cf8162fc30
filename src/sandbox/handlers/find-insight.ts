import type { Dialect } from '../../api/endpoint.ts';
import { notFound } from '../refusal.ts';
import { type StoredInsight, selectInsights } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';

/**
 * The insight with a number; the live service takes short ids as well, and tries digits as a number first. A deleted
 * one is found in the specification, whose record remains, and in the live service only `withDeleted`.
 * Throws a `Refusal` 404.
 */
export async function findInsight(
  store: Store,
  id: string,
  { dialect, withDeleted = false }: { readonly dialect: Dialect; readonly withDeleted?: boolean },
): Promise<StoredInsight> {
  const insights = await selectInsights(store);
  const byNumber = insights.find((insight) => String(insight.id) === id);
  const byShortId = dialect === 'live' ? insights.find(({ shortId }) => shortId === id) : undefined;
  const insight = byNumber ?? byShortId;
  const isHidden = insight?.document.deleted === true && dialect === 'live' && !withDeleted;
  if (insight === undefined || isHidden) throw notFound('Insight not found.');
  return insight;
}
