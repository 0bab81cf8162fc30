import type { Context } from '../../../cli/context.ts';
import type { Json } from '../../../json/kinds.ts';
import { parseText } from '../../../json/parse.ts';
import type { RowPage } from '../../../output/row-page.ts';
import { type ExportedRow, moment } from './exported-row.ts';
import { gatherRows, parsedPage, type RowTexts } from './gather-rows.ts';
import { isOrdinaryJson } from './ordinary-json.ts';
import { LARGE_NUMBER, readProperties } from './run-sql.ts';

/** A person as SQL answers. */
export type Found = {
  readonly id: string;
  /** A list as JSON. */
  readonly distinctIds: string;
  readonly properties: Json | undefined;
  readonly created: Json | undefined;
};

/**
 * Makes pages of persons. Properties come as JSON in a text, which most often is passed on as it is: it is what would be
 * written after it was parsed. A page in which numbers may keep more digits than a plain number has is parsed.
 */
export function pageMaker(context: Context): (found: readonly Found[]) => Promise<RowPage> {
  const gather = gatherRows();
  return async (found) => {
    const texts: RowTexts[] = [];
    for (const { id, distinctIds, properties, created } of found) {
      const text = asWritten(properties);
      if (text === undefined) return parsedPage(await Promise.all(found.map((one) => parsed(one, context))));
      const createdAt = JSON.stringify(moment(created));
      texts.push({ id: JSON.stringify(id), distinctIds, properties: text, createdAt });
    }
    return gather(texts);
  };
}

/** Properties as the JSON that is written of them; undefined where they need more than a plain parser. */
function asWritten(properties: Json | undefined): string | undefined {
  if (typeof properties !== 'string') return undefined;
  if (isOrdinaryJson(properties)) return properties;
  if (LARGE_NUMBER.test(properties)) return undefined;
  try {
    return JSON.stringify(parseText(properties));
  } catch {
    // Whatever the service keeps there is exported as it is.
    return JSON.stringify(properties);
  }
}

async function parsed(
  { id, distinctIds, properties, created }: Found,
  context: Context,
): Promise<ExportedRow> {
  return {
    id,
    // What was written is a list of texts.
    distinct_ids: parseText(distinctIds) as readonly string[],
    properties: await readProperties(properties, context),
    created_at: moment(created),
  };
}
