import { people, person } from './service.ts';
import type { Received, StubAnswer } from './stub-server.ts';

export type Asked = { readonly query: { readonly query: string; readonly values: Record<string, string> } };
/** The rows that an export asks for at a time. */
export const MOST = 2500;

type Stored = {
  readonly uuid: string;
  readonly distinct_ids: readonly string[];
  readonly properties: string;
};

/** Answers the SQL of an export over so many people. */
export function sqlOver(total: number): (received: Received) => StubAnswer {
  const stored = people(total).map(({ id }) => {
    const { properties, ...rest } = person(id);
    return { ...rest, properties: JSON.stringify(properties) };
  });
  const answer = sqlAnswers(stored);
  return (received) => ({ json: { ...answer(received), columns: [] } });
}

/** What the service answers to the SQL of an export over people: properties are a text, times have spaces. */
export function sqlAnswers(all: readonly Stored[]) {
  return ({ json, method }: Received) => {
    // Nobody is dated ahead.
    if (method === 'GET') return { results: [], hasMore: false };
    const { query, values } = (json as Asked).query;
    const { after = '', from = '', last = '~' } = values;
    const isAfter = (uuid: string) => (query.includes('>=') ? uuid >= from : uuid > (after || from));
    const within = all.filter(({ uuid }) => isAfter(uuid) && uuid <= last);
    const limit = Number(/ LIMIT (\d+)$/.exec(query)?.[1]);
    const rows = within.slice(0, limit).map(({ uuid, distinct_ids, properties }) => {
      if (query.includes('person_distinct_ids')) return [uuid, distinct_ids];
      return query.includes('properties') ? [uuid, properties, '2026-01-02 03:04:05.000000'] : [uuid];
    });
    return { results: rows, hasMore: within.length > limit };
  };
}

export const queriesIn = (log: readonly Received[]) =>
  log.filter(({ method }) => method === 'POST').map(({ json }) => (json as Asked).query);

/** Tells a request that holds these words. */
export const asksFor =
  (words: string) =>
  ({ body }: Received) =>
    body.includes(words);
