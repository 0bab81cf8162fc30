import type { ActivityEntry, PageOf } from '../../api/schemas.ts';
import { activityNeighbours, readActivityPart } from '../paging.ts';
import { type Activity, selectActivity } from '../store/activity.ts';
import type { Store } from '../store/open-store.ts';

/** One page of the activity log, of everything in a scope or of one item. */
export async function activityPage(
  {
    store,
    address,
    input,
  }: {
    readonly store: Store;
    readonly address: URL;
    readonly input: { readonly limit?: number | undefined; readonly page?: number | undefined };
  },
  which: { readonly scope: Activity['scope']; readonly itemId?: bigint },
): Promise<PageOf<ActivityEntry> & { readonly total_count: number }> {
  const part = readActivityPart(input);
  const { total, entries } = await selectActivity(store, { ...which, ...part });
  return { results: entries, ...activityNeighbours(address, part, total), total_count: total };
}
