import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json } from '../../src/json/kinds.ts';
import answerTypes from '../fixtures/openapi/query-answers.json' with { type: 'json' };
import { borrowSandbox } from '../support/open-sandbox.ts';
import type { OpenApiDocument } from '../support/openapi.ts';

const path = join(import.meta.dirname, '../fixtures/openapi/posthog-persons-insights.assembled.yaml');
// The document is data of ours in a known shape.
const document = parse(readFileSync(path, 'utf8')) as OpenApiDocument;
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ ...document, $id: 'document' });
ajv.addSchema(answerTypes, 'answers');

const FUNNEL = {
  kind: 'FunnelsQuery',
  series: ['product_viewed', 'order_completed'].map((event) => ({ kind: 'EventsNode', event })),
};
const ONE = { series: [{ kind: 'EventsNode', event: 'order_completed' }] };
const QUERIES = [
  { kind: 'HogQLQuery', query: 'select event, count() from events group by event order by event limit 2' },
  { kind: 'TrendsQuery', ...ONE },
  { kind: 'LifecycleQuery', ...ONE },
  { kind: 'StickinessQuery', ...ONE },
  { kind: 'RetentionQuery', retentionFilter: { period: 'Week', totalIntervals: 3 } },
  FUNNEL,
  {
    kind: 'ActorsQuery',
    select: ['actor'],
    source: { kind: 'FunnelsActorsQuery', source: FUNNEL, funnelStep: 1 },
  },
  { kind: 'DatabaseSchemaQuery' },
];

type Request = readonly [method: string, path: string, status: number, body?: object];

/** A request for each operation that a key may run, in an order in which each finds what it needs. */
const REQUESTS: readonly Request[] = [
  ['GET', 'persons/?limit=3', 200],
  ['GET', 'persons/1/', 200],
  ['GET', 'persons/1/activity/', 200],
  ['GET', 'persons/activity/', 200],
  ['GET', 'persons/cohorts/?person_id=1', 200],
  ['GET', 'persons/deletion_status/', 200],
  ['GET', 'persons/properties_at_time/?distinct_id=shopper-0001&timestamp=2026-06-01T00:00:00Z', 200],
  ['POST', 'persons/batch_by_distinct_ids/', 200, { distinct_ids: ['shopper-0001', 'nobody'] }],
  ['PATCH', 'persons/1/', 202, { properties: { plan: 'free' } }],
  ['POST', 'persons/1/update_property/', 202, { key: 'plan', value: 'pro' }],
  ['POST', 'persons/1/delete_property/', 201, { $unset: 'plan' }],
  ['POST', 'persons/1/split/', 201, {}],
  ['DELETE', 'persons/2/?delete_events=true', 202],
  ['POST', 'persons/bulk_delete/', 202, { distinct_ids: ['shopper-0003'], delete_events: true }],
  ['GET', 'persons/deletion_status/', 200],
  ['GET', 'insights/?basic=true', 200],
  ['GET', 'insights/', 200],
  ['GET', 'insights/1/?refresh=blocking', 200],
  ['GET', 'insights/1/?refresh=force_async', 200],
  ['GET', 'insights/1/sharing/', 200],
  ['GET', 'insights/1/access_controls/', 200],
  ['GET', 'insights/1/activity/', 200],
  ['GET', 'insights/activity/', 200],
  ['POST', 'insights/viewed/', 201, { insight_ids: [1] }],
  ['POST', 'insights/', 201, { name: 'new', query: FUNNEL, saved: true }],
  ['PATCH', 'insights/1/', 200, { name: 'other' }],
  ['POST', 'insights/funnel/', 200, { events: [{ id: 'product_viewed' }, { id: 'order_completed' }] }],
  ...QUERIES.map((query): Request => ['POST', 'query/', 200, { query }]),
  ['POST', 'query/', 202, { query: QUERIES[1], refresh: 'force_async', client_query_id: 'mine' }],
  ['GET', 'query/mine/', 200],
  ['GET', '/api/personal_api_keys/@current/', 200],
  ['GET', '/api/users/@me/', 200],
  ['GET', '/api/projects/', 200],
  ['GET', '', 200],
];

describe('answers of the sandbox in the live dialect', () => {
  let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
  beforeAll(async () => {
    sandbox = await borrowSandbox({ dialect: 'live', now: '2026-06-18T12:00:00Z' });
  });
  afterAll(() => sandbox.stop());

  const send = (method: string, address: URL, body: object | undefined) =>
    fetch(address, {
      method,
      headers: { authorization: `Bearer ${sandbox.keys[0]?.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  // They build on each other.
  it('hold against the document of the service, by a validator that others wrote', async () => {
    const faults: string[] = [];
    for (const [method, path, status, body] of REQUESTS) {
      const address = new URL(path.startsWith('/') ? path : `/api/projects/1/${path}`, sandbox.origin);
      let answer = await send(method, address, body);
      while (path === 'query/mine/' && answer.status === 202) answer = await send(method, address, body);
      const text = await answer.text();
      const where = `${method} ${path} ${JSON.stringify(body ?? null)}`;
      if (answer.status !== status) faults.push(`${where}: ${answer.status} ${text.slice(0, 300)}`);
      else
        faults.push(
          ...[
            ...faultsOf(address.pathname, { method, status, text }),
            ...(path === 'query/' && status === 200 ? faultsOfAnswer(Object(body).query, text) : []),
          ].map((fault) => `${where}: ${fault}`),
        );
    }
    expect(faults).toEqual([]);
  });
});

it('an answer that does not hold is found', () => {
  const faults = (text: string) => faultsOf('/api/projects/1/persons/', { method: 'GET', status: 200, text });
  expect(faults('{"results":[{"id":5}],"next":null}').length).toBeGreaterThan(0);
  expect(faults('{"results":{},"next":null}')).toEqual(['/results must be array']);
});

/** What PostHog's types of answers to queries say against one. */
function faultsOfAnswer(query: Json, text: string): readonly string[] {
  const kind = isObject(query) ? String(query.kind) : '';
  const type = Object.entries(answerTypes.kinds).find(([name]) => name === kind)?.[1];
  const validate = ajv.getSchema(`answers#/definitions/${type}`);
  if (validate === undefined) return [`${kind} has no type of answers`];
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${type} ${instancePath} ${message}`);
}

type Answer = { readonly method: string; readonly status: number; readonly text: string };

function faultsOf(pathname: string, { method, status, text }: Answer): readonly string[] {
  const template = Object.keys(document.paths)
    .filter((known) => new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
    // A word in the path counts before an id.
    .sort((one, other) => one.split('{').length - other.split('{').length)[0];
  const responses = Object(document.paths[template ?? ''])[method.toLowerCase()]?.responses;
  const response = responses?.[status];
  if (template === undefined || response === undefined) return ['is not in the document'];
  const content = response.content?.['application/json'];
  if (content === undefined) return text === '' ? [] : ['has a body'];
  const pointer = [
    'paths',
    template,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ];
  const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const validate = ajv.getSchema(`document#/${escaped.join('/')}`);
  if (validate === undefined) throw new Error(`${template} has no schema`);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
