import { insights } from '../../api/endpoints/insights.ts';
import type { Insight } from '../../api/schemas.ts';
import type { InsightReference } from '../../cli/command/arguments.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { idText } from '../id-text.ts';
import { objectRows } from '../object-rows.ts';

/**
 * The number of the insight that was named. A short id is looked up in the list, and the match is checked here as
 * well: a service that ignores the filter must not decide which insight a command touches. Throws `not-found`.
 */
export async function findInsightId(reference: InsightReference, context: Context): Promise<string> {
  if ('id' in reference) return reference.id;
  const { shortId } = reference;
  const listed = await listedAs(shortId, context);
  const found = listed.find((insight) => insight.short_id === shortId);
  if (found !== undefined) return idText(found.id);
  if (listed.length > 0) {
    throw new CliError('refused', `the service answered with other insights than "${shortId}"`, {
      hint: 'name the insight by its number',
    });
  }
  throw new CliError('not-found', `no insight has the short id "${shortId}"`, {
    hint: 'a deleted insight is not listed: name it by its number',
  });
}

/** The id for reading one insight: the live service reads it by its short id too, unless that looks like a number. */
export async function readableInsightId(reference: InsightReference, context: Context): Promise<string> {
  if ('id' in reference) return reference.id;
  const { dialect } = await context.settings();
  if (dialect === 'live' && !/^\d+$/.test(reference.shortId)) return reference.shortId;
  return findInsightId(reference, context);
}

async function listedAs(shortId: string, context: Context): Promise<readonly Insight[]> {
  const client = await context.client();
  const found: Insight[] = [];
  const input = { short_id: shortId, ...(await withoutResults(context)) };
  for await (const page of client.pages(insights.list, input, { limit: 2 })) {
    found.push(...objectRows<Insight>(page));
  }
  return found;
}

/** The live service leaves results out of a list when asked to; whole rows have answered 500 there. */
export async function withoutResults(context: Context): Promise<{ readonly basic?: true }> {
  const { dialect } = await context.settings();
  return dialect === 'live' ? { basic: true } : {};
}
