import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changedFields,
  definitionOf,
  digestOf,
  fileName,
  fileText,
  readInsightFile,
  versionOf,
} from '../../../../src/insights/definitions/files.ts';
import { parseJson } from '../../../../src/json/text.ts';

const insight = {
  id: 9,
  short_id: 'zeNY2NOU',
  name: 'Weekly Überblick / 🛒',
  tags: ['web', 'a'],
  saved: true,
  filters: {},
  query: { source: { series: [], kind: 'TrendsQuery' }, kind: 'InsightVizNode' },
  last_modified_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-02-02T03:04:05Z',
  result: [1, 2, 3],
  last_refresh: '2026-03-02T03:04:05Z',
};

describe('the file of an insight', () => {
  it('has what people decide, in one order, and nothing that changes by itself', () => {
    expect(fileText(insight)).toBe(`{
  "short_id": "zeNY2NOU",
  "version": {
    "modified": "2026-01-02T03:04:05Z",
    "digest": "${digestOf(definitionOf(insight))}",
    "query": "${digestOf({ query: insight.query })}"
  },
  "name": "Weekly Überblick / 🛒",
  "description": null,
  "tags": [
    "a",
    "web"
  ],
  "favorited": false,
  "saved": true,
  "query": {
    "kind": "InsightVizNode",
    "source": {
      "kind": "TrendsQuery",
      "series": []
    }
  }
}
`);
  });

  it('is the same whatever the order of keys and tags, and whatever was calculated', () => {
    const other = {
      ...insight,
      tags: ['a', 'web'],
      query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series: [] } },
      result: null,
      last_refresh: null,
    };
    expect(fileText(other)).toBe(fileText(insight));
  });

  it.each([
    [insight, 'weekly-uberblick-zeNY2NOU.json'],
    [{ id: 1, short_id: 'Ab12' }, 'Ab12.json'],
    [{ id: 1, short_id: 'Ab12', name: '../../etc/passwd' }, 'etc-passwd-Ab12.json'],
    [{ id: 1, short_id: 'Ab12', name: '', derived_name: 'Orders by day' }, 'orders-by-day-Ab12.json'],
  ])('has a name that people can read', (given, name) => {
    expect(fileName(given)).toBe(name);
  });

  it.each(['../x', '', 'a/b', 'a b'])('is not written for the short id %j', (short_id) => {
    expect(() => fileName({ id: 1, short_id })).toThrow('short id');
  });

  it('keeps numbers with their digits, and reads back as what it was', async () => {
    const query = await parseJson('{"kind":"Q","big":12345678901234567890,"one":1.0,"half":0.50}');
    const read = readInsightFile('a.json', await parseJson(fileText({ ...insight, query })));
    expect(changedFields(read.definition, definitionOf({ ...insight, query }))).toEqual([]);
    expect(fileText({ ...insight, query })).toContain('12345678901234567890');
  });

  it('reads back as what it was, whatever it holds', async () => {
    const text = fc.string();
    const given = fc.record({
      name: fc.option(text),
      description: fc.option(text),
      tags: fc.uniqueArray(text),
      favorited: fc.boolean(),
      query: fc.dictionary(text, fc.jsonValue(), { minKeys: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(given, async (fields) => {
        // What fast-check makes is JSON, which its own type does not say.
        const whole = { ...insight, ...fields } as unknown as typeof insight;
        const read = readInsightFile('a.json', await parseJson(fileText(whole)));
        expect(changedFields(read.definition, definitionOf(whole))).toEqual([]);
        expect(digestOf(read.definition)).toBe(read.version?.digest);
        expect(read).toMatchObject({ shortId: 'zeNY2NOU', version: versionOf(whole) });
      }),
    );
  });

  it('names only what differs, and nothing that it does not speak of', () => {
    const { definition } = readInsightFile('a.json', {
      short_id: 'zeNY2NOU',
      name: 'New',
      tags: ['web', 'a'],
    });
    expect(changedFields(definition, definitionOf(insight))).toEqual(['name']);
  });
});

describe('a file that is none', () => {
  it.each([
    [[], 'it holds no JSON object'],
    [{ name: 'x', dashboards: [1] }, 'it has the unknown field "dashboards"'],
    [{ short_id: '../x', name: 'x' }, 'its short_id is not valid'],
    [{ name: 5 }, 'its name is not a text'],
    [{ name: 'x', tags: 'web' }, 'its tags are not a list of texts'],
    [{ name: 'x', tags: [1] }, 'its tags are not a list of texts'],
    [{ name: 'x', saved: 'yes' }, 'its saved must be true or false'],
    [{ name: 'x', filters: null }, 'its filters are not a JSON object'],
    [{ name: 'x', query: null }, 'its query is not a query node'],
    [{ name: 'x', query: {} }, 'its query is not a query node'],
    [{ short_id: 'Ab12' }, 'it has no fields of an insight'],
  ])('is refused with its name: %j', (content, reason) => {
    expect(() => readInsightFile('a.json', content)).toThrow(/^a\.json/);
    expect(() => readInsightFile('a.json', content)).toThrow(reason);
  });
});
