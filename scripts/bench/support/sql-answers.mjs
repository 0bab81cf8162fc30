import { once } from 'node:events';
import { MOST, madePages } from './made-pages.mjs';

/**
 * Answers the SQL of an export: keys, distinct ids and persons between two ids, as the service does, whose properties
 * are a text. Resolves with the number of persons that were sent with their properties.
 */
export function sqlAnswers(personOf) {
  const distinctIds = madePages((index) => {
    const { uuid, distinct_ids: ids } = personOf(index);
    return JSON.stringify([uuid, ids]);
  });
  const keys = madePages((index) => JSON.stringify([personOf(index).uuid]));
  const persons = madePages((index) => {
    const { uuid, properties, created_at: created } = personOf(index);
    return JSON.stringify([uuid, JSON.stringify(properties), created.replace('T', ' ').replace('Z', '')]);
  });
  return async (request, response) => {
    const { query, values } = (await bodyOf(request)).query;
    const total = Number(request.url.split('/')[3]);
    const { from, to } = rangeOf(query, values, total);
    const whole = query.includes('properties');
    const ids = query.includes('distinct_ids') ? distinctIds : keys;
    const rowsOf = whole ? persons : ids;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"columns":[],"error":null,"results":[');
    for (let at = from; at < to; ) {
      const number = Math.floor(at / MOST);
      const first = at % MOST;
      const last = Math.min(MOST, first + to - at);
      if (at > from) response.write(',');
      // Written in one go or copied: the next page is written over the one before the last but two.
      const more = response.write(rowsOf(number, { from: first, to: last }));
      if (!more) await once(response, 'drain');
      at += last - first;
    }
    response.end('],"hasMore":false}');
    return whole ? to - from : 0;
  };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** The numbers of the rows that the statement asks for, the second not included. */
function rangeOf(query, values, total) {
  const [, sign, after] = /(>=?) \{(\w+)\}/.exec(query) ?? [];
  const [, last] = /<= \{(\w+)\}/.exec(query) ?? [];
  const limit = Number(/LIMIT (\d+)/.exec(query)?.[1]);
  const from = after === undefined ? 0 : numberOf(values[after]) + (sign === '>' ? 1 : 0);
  const end = last === undefined ? total : Math.min(total, numberOf(values[last]) + 1);
  return { from, to: Math.max(from, Math.min(end, from + limit)) };
}

/** A uuid begins with the number of its page, and ends with its place on it. */
function numberOf(uuid) {
  return Number.parseInt(uuid.slice(0, 8), 16) * MOST + Number(uuid.slice(-12));
}
