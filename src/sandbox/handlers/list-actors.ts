import type { PageOf } from '../../api/schemas.ts';
import type { JsonObject } from '../../json/kinds.ts';
import {
  type ActorsRequest,
  readCorrelationPersons,
  readFunnelPersons,
  readLifecyclePersons,
  readStickinessPersons,
  readTrendsPersons,
} from '../analysis/definitions/actors-request.ts';
import { groupRow } from '../calculation/answer-actors.ts';
import { isGroup, listPeople, type PeoplePage } from '../calculation/list-people.ts';
import type { Circumstances, LaterReply } from '../call.ts';
import { neighbours, type Part } from '../paging.ts';
import { bodyPart, filterBody } from './filter-body.ts';
import { personRow } from './person-answers.ts';

/** A handler that lists the people behind a number: 100 to a page. */
function actorsHandler(read: (body: JsonObject) => ActorsRequest) {
  return async (call: Circumstances): Promise<LaterReply<PageOf<JsonObject>>> => {
    const fields = filterBody(call);
    const part = bodyPart(fields, call.address);
    const request = read(fields);
    const session = await call.store.openSession();
    // Nobody can cancel it: it has no id.
    const { signal } = new AbortController();
    const findPeople = call.calculations.people.now();
    const later = async () => {
      try {
        return {
          status: 200,
          body: writePage(call, part, await listPeople(request, part, { session, signal, findPeople })),
        };
      } finally {
        session.close();
      }
    };
    return { later };
  };
}

function writePage({ address, dialect }: Circumstances, part: Part, page: PeoplePage) {
  const people = page.people.map((actor) => (isGroup(actor) ? groupRow(actor) : personRow(actor, dialect)));
  const { next } = neighbours(address, part, page.hasMore);
  const first = new URL(address);
  first.searchParams.delete('offset');
  return {
    results: [{ people, count: people.length }],
    next,
    initial: first.href,
    missing_persons: page.missing,
    is_cached: false,
    last_refresh: null,
  };
}

/** P13, P14 */
export const listFunnelPeople = actorsHandler(readFunnelPersons);

/** P15, P16 */
export const listCorrelationPeople = actorsHandler(readCorrelationPersons);

/** P17 */
export const listLifecyclePeople = actorsHandler(readLifecyclePersons);

/** P18 */
export const listStickinessPeople = actorsHandler(readStickinessPersons);

/** P19 */
export const listTrendPeople = actorsHandler(readTrendsPersons);
