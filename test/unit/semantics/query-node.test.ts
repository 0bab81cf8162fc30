import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../../src/json/kinds.ts';
import { checkQueryNode, pathText } from '../../../src/semantics/query-node.ts';
import { spoiltNodes, validateNode } from '../../support/query-nodes.ts';

const trend = (more: JsonObject = {}): JsonObject => ({
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'a' }], ...more },
});

async function told(node: JsonObject) {
  const { faults } = await checkQueryNode(node);
  return faults.map(({ path, message, likely }) => [pathText(path), message, likely]);
}

describe('a query node', () => {
  it.each<[string, JsonObject, readonly [string, string, string | undefined]]>([
    [
      'an unknown field',
      trend({ date_from: '-7d' }),
      ['source.date_from', 'TrendsQuery has no such field', 'dateRange'],
    ],
    [
      'an unknown field in a list',
      trend({ series: [{ kind: 'EventsNode', evnt: 'a' }] }),
      ['source.series[0].evnt', 'EventsNode has no such field', 'event'],
    ],
    ['a missing field', { kind: 'InsightVizNode' }, ['source', 'InsightVizNode needs this field', undefined]],
    ['a kind', { kind: 'TrendQuery' }, ['kind', 'cannot be "TrendQuery"', 'TrendsQuery']],
    [
      'a kind inside',
      { kind: 'DataVisualizationNode', source: { kind: 'HogQLQueri', query: 'select 1' } },
      ['source.kind', 'cannot be "HogQLQueri": HogQLQuery', 'HogQLQuery'],
    ],
    [
      'a word in another case',
      { kind: 'RetentionQuery', retentionFilter: { period: 'week' } },
      ['retentionFilter.period', 'cannot be "week": Hour, Day, Week, Month', 'Week'],
    ],
    [
      'a word that is none',
      trend({ interval: 'fortnight' }),
      ['source.interval', 'cannot be "fortnight": minute, hour, day, week, month', undefined],
    ],
    [
      'an operator',
      trend({ properties: [{ key: 'plan', type: 'person', operator: 'contains', value: 'x' }] }),
      ['source.properties[0].operator', 'cannot be "contains"', 'icontains'],
    ],
    [
      'a kind of filter',
      trend({ properties: [{ key: 'plan', type: 'persons', operator: 'exact', value: 'x' }] }),
      ['source.properties[0].type', 'cannot be "persons"', 'person'],
    ],
    ['a type', trend({ series: 'x' }), ['source.series', 'takes a list, not text', undefined]],
  ])('is refused for %s', async (_, node, fault) => {
    expect(await told(node)).toEqual([fault]);
  });

  it('passes with a note on kinds that the service has and this does not describe', async () => {
    const paths = { kind: 'PathsQuery', pathsFilter: { anything: true } };
    expect(await checkQueryNode(paths)).toEqual({ faults: [], undescribed: ['PathsQuery'] });
    const framed = { kind: 'InsightVizNode', source: paths };
    expect(await checkQueryNode(framed)).toEqual({ faults: [], undescribed: ['PathsQuery'] });
  });

  it('may have flags and numbers as text, as the service reads them', async () => {
    expect(await told(trend({ filterTestAccounts: 'true', samplingFactor: '0.1' }))).toEqual([]);
    expect(await told(trend({ filterTestAccounts: 'maybe' }))).toEqual([
      ['source.filterTestAccounts', 'takes true or false, not text', undefined],
    ]);
  });
});

const folder = join(import.meta.dirname, '../../fixtures/insights');
const fixtures = readdirSync(folder).flatMap((name): readonly (readonly [string, JsonObject])[] => {
  const { query } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return query?.kind === undefined ? [] : [[name, query]];
});

describe('what PostHog publishes of query nodes', () => {
  it.each(fixtures)('takes the query of %s, which its own program wrote', async (_, query) => {
    expect(await told(query)).toEqual([]);
    expect(validateNode(query, { coerced: true })).toEqual([]);
  });

  it('is read as a validator of JSON Schema reads it, in sound and in spoilt nodes', async () => {
    // One has a flag as text, which only the service takes.
    const nodes = fixtures.map(([, query]) => query).filter((query) => validateNode(query).length === 0);
    expect(nodes.length).toBeGreaterThan(15);
    const wrong: unknown[] = [];
    for (const node of [...nodes, ...spoiltNodes(nodes, 400)]) {
      if (!isObject(node)) continue;
      const [own, others] = [(await told(node)).length === 0, validateNode(node).length === 0];
      if (own !== others) wrong.push([own, node]);
    }
    expect(wrong).toEqual([]);
  });
});
