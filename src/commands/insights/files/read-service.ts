import { insights } from '../../../api/endpoints/insights.ts';
import type { Insight } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { objectRows } from '../../object-rows.ts';
import { withoutResults } from '../find-insight.ts';
import { shortIdOf } from './insight-file.ts';

const PAGE = 100;

/** Every insight of the project that is not deleted, by short id. */
export async function readService(context: Context): Promise<ReadonlyMap<string, Insight>> {
  const client = await context.client();
  const found = new Map<string, Insight>();
  const input = await withoutResults(context);
  for await (const page of client.pages(insights.list, input, { pageSize: PAGE })) {
    for (const insight of objectRows<Insight>(page)) {
      if (insight.deleted !== true) found.set(shortIdOf(insight), insight);
    }
  }
  return found;
}
