import type { Context } from '../../../cli/context.ts';
import { keepDistinctIds } from './distinct-ids.ts';
import type { Section } from './exported-row.ts';
import { parsedPage } from './gather-rows.ts';
import { type Found, pageMaker } from './page-maker.ts';
import { readStretch, type Stretch, textOf } from './read-stretch.ts';
import { allRows, type Row, rowOf } from './run-sql.ts';

/**
 * Persons in the order of their ids, after the one with this id, as they come. They are asked for in stretches of as
 * many as one answer may have; while those of one come in, what is needed for the next is read.
 */
export async function* readByQuery(after: string | undefined, context: Context): AsyncGenerator<Section> {
  context.saveMemory({ alsoOld: true });
  let [ids, nextIds] = [keepDistinctIds(), keepDistinctIds()];
  let upcoming = ahead({ after, ids }, context);
  for (;;) {
    const stretch = await upcoming;
    if (stretch === undefined) return;
    [ids, nextIds] = [nextIds, ids];
    if (stretch.more) upcoming = ahead({ after: stretch.last, ids }, context);
    yield* personsOf(stretch, context);
    yield { ...NOTHING, settled: stretch.last };
    if (!stretch.more) return;
  }
}

const NOTHING = { page: parsedPage([]), size: 0 };

/** Its failure is met by whoever waits for it; a reader that leaves early does not. */
function ahead(place: Pick<Stretch, 'after' | 'ids'>, context: Context): Promise<Stretch | undefined> {
  const reading = readStretch(place, context);
  reading.catch(() => undefined);
  return reading;
}

async function* personsOf({ after, last, ids }: Stretch, context: Context): AsyncGenerator<Section> {
  const statement = (row: Row | undefined) => {
    const from = row === undefined ? after : textOf(row[0]);
    const sql = `SELECT id, properties, created_at FROM persons WHERE ${from === undefined ? '' : 'id > {after} AND '}id <= {last} ORDER BY id`;
    return { sql, values: from === undefined ? { last } : { after: from, last } };
  };
  const toPage = pageMaker(context);
  for await (const group of allRows(statement, { last, context })) {
    const found: Found[] = [];
    for (const row of group) {
      const [id, properties, created] = rowOf(row);
      const distinctIds = ids.of(textOf(id));
      // Who came after the ids were read belongs to a later export, as do those who come behind this place.
      if (distinctIds !== undefined) found.push({ id: textOf(id), distinctIds, properties, created });
    }
    yield { page: await toPage(found), size: found.length };
  }
}
