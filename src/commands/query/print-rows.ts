import type { QueryAnswer, QueryStatus } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import { hasLimit } from '../../queries/sql-limit.ts';
import { MOST_ROWS, USUAL_ROWS } from '../../queries/sql-query.ts';

export type Asked = { readonly sql: string; readonly limit: number | undefined };

/** Prints the rows of a query by its columns, two of one name told apart, and warns where there are more rows. */
export async function printRows(answer: QueryAnswer, asked: Asked, context: Context): Promise<void> {
  const { insightRows } = await import('../../output/insight-rows.ts');
  const read = insightRows(answer, { query: { kind: 'HogQLQuery' } });
  if (read.outcome !== 'rows') {
    throw new CliError('unavailable', `the query answered without rows: ${read.message}`, {
      hint: 'try again later',
    });
  }
  const { rows, columns } = read.figures;
  const shown = asked.limit === undefined ? rows : rows.slice(0, asked.limit);
  await context.print(shown, columns);
  const cut = cutText({ found: rows.length, shown: shown.length, hasMore: answer.hasMore, ...asked });
  if (cut !== undefined) context.warn(`warning: ${cut}`);
}

/** Prints the id of a query that nobody waits for. */
export async function printRunning({ id }: QueryStatus, context: Context): Promise<void> {
  context.note(`The query runs; hogctl api GET query/${id}/ shows how far it is, and its result.`);
  await context.print({ id: id ?? null, complete: false });
}

export type Count = Asked & {
  /** Rows that came, and those of them that are shown. */
  readonly found: number;
  readonly shown: number;
  readonly hasMore: boolean | null | undefined;
};

/** What is said about rows that were cut off; undefined where none were. */
export function cutText({ sql, limit, found, shown, hasMore }: Count): string | undefined {
  const first = shown === 1 ? 'this is the first row' : `these are the first ${shown} rows`;
  const full = shown >= MOST_ROWS;
  // Whoever wrote a LIMIT knows that it is one.
  if (limit === undefined && !full && hasLimit(sql)) return undefined;
  const wider = full ? 'read on by the last key, as in WHERE id > {last}' : `a higher --limit shows them`;
  if (found > shown) return `${first}, and there are more; ${wider}`;
  if (hasMore === true)
    return `${first}, and there are more; ${full ? wider : '--limit asks for up to 50,000'}`;
  if (hasMore === false) return undefined;
  const silent = full || (limit === undefined && shown === USUAL_ROWS);
  return silent
    ? `${first}; there may be more${full ? `: ${wider}` : ', --limit asks for up to 50,000'}`
    : undefined;
}
