import { isObject, type JsonObject } from '../../json/kinds.ts';
import { parseJson } from '../../json/parse.ts';
import type { AnalysisPerson } from '../analysis/dataset.ts';
import type { Session } from '../store/open-session.ts';
import { numberAt, textAt } from './vector-values.ts';

/**
 * Everybody who may have events, in one order: persons by number, then the owners of events whose person is gone,
 * then distinct ids that belong to nobody. The last two have no profile; they count, and no list can show them.
 */
export const PEOPLE = `people as (
  select (row_number() over (order by kind, person_id, distinct_id) - 1)::integer as place, *
  from (
    select 0 as kind, p.id as person_id, '' as distinct_id, p.uuid, p.created_at, p.properties
    from store.persons p
    union all
    select case when s.person_id is null then 2 else 1 end, s.person_id, s.distinct_id, '', null, null
    from (
      select distinct e.person_id, case when e.person_id is null then e.distinct_id else '' end as distinct_id
      from store.events e anti join store.persons p on p.id = e.person_id
    ) s
  ) everybody
)`;

/** Reads everybody in that order, by uuid; the properties only where they are looked at. */
export async function readPeople(
  session: Session,
  { withProperties, signal }: { readonly withProperties: boolean; readonly signal: AbortSignal },
): Promise<readonly AnalysisPerson[]> {
  const persons: AnalysisPerson[] = [];
  const sql = `with ${PEOPLE} select uuid, epoch_us(created_at)::double / 1000,
    ${withProperties ? 'properties::varchar' : "'{}'"} from people order by place`;
  for await (const { rowCount, vectors } of session.chunks(sql)) {
    signal.throwIfAborted();
    const [uuid, createdAt, properties] = vectors;
    for (let row = 0; row < rowCount; row += 1) {
      persons.push(
        makePerson(persons.length, textAt(uuid, row) ?? '', numberAt(createdAt, row), () =>
          textAt(properties, row),
        ),
      );
    }
  }
  return persons;
}

function makePerson(
  id: number,
  uuid: string,
  createdAt: number | null,
  text: () => string | undefined,
): AnalysisPerson {
  let properties: JsonObject | undefined;
  return {
    id,
    uuid,
    // Cohorts that list persons name them by UUID here.
    distinct_ids: [],
    created_at: createdAt,
    get properties() {
      if (properties === undefined) {
        const value = parseJson(text() ?? '{}');
        properties = isObject(value) ? value : {};
      }
      return properties;
    },
  };
}
