import { describe, expect, it } from 'vitest';
import { formatParameter, REFRESH_MODES } from '../../src/service/parameters.ts';
import { type Disagreement, settle } from '../support/disagreements.ts';
import { readTable } from '../support/markdown-tables.ts';
import { specifiedRows } from '../support/rows.ts';
import {
  compareOperation,
  compareParameter,
  documentedParameters,
  funnelFields,
  markdown,
  operations,
  words,
} from '../support/specification.ts';

const funnelNames = funnelFields.map((field) => field.Parameter ?? '');

const meant: readonly Disagreement[] = [
  {
    operations: ['P6', 'P8', 'P9', 'P11', 'P14', 'P16'],
    words: ['lacks properties'],
    reason: 'the inside of this object is not documented, so it is sent through --body only',
  },
  {
    operations: ['P14', 'P16'],
    words: ['has properties'],
    reason: 'as a funnel parameter: property filters, not the undocumented object',
  },
  {
    operations: ['P13', 'P14', 'P15', 'P16', 'I13', 'I15'],
    words: funnelNames.map((name) => `has ${name}`),
    reason: 'none can answer without a funnel, whose parameters are documented for I14 alone',
  },
  {
    operations: ['P6'],
    words: ['$unset in'],
    reason: 'sent in the body as well, where the live service reads it',
  },
  {
    operations: ['P9'],
    words: ['key in', 'value in'],
    reason: 'sent in the body as well, where the live service reads it',
  },
  {
    operations: ['P11'],
    words: ['ids in', 'distinct_ids in'],
    reason: 'a hundred ids do not fit into an address, and addresses end in access logs',
  },
  {
    operations: ['P11'],
    words: ['delete_events in'],
    reason: 'sent in the body as well, where the live service reads it',
  },
  {
    operations: ['P11'],
    words: ['ids maximum', 'distinct_ids maximum'],
    reason:
      'the limit of a call, 1000, is the one the live service keeps; batches are 100 unless asked otherwise',
  },
  {
    operations: ['I14'],
    words: ['breakdown type'],
    reason: 'the type says string, the meaning a list of cohort ids: both are JSON',
  },
];

describe('the rows and the specification', () => {
  it('have the same 36 operations in the same order', () => {
    expect(operations).toHaveLength(36);
    expect([...specifiedRows.keys()]).toEqual(operations.map(({ Id }) => Id));
  });

  const settled = settle(operations.flatMap(compareOperation), meant);

  it('agree on methods, paths, scopes, answers and parameters, but for differences with a reason', () => {
    const remedy =
      'mend the row in src/service or its line in docs/service.md, or give a reason in this test';
    expect(settled.unexplained, remedy).toEqual([]);
  });

  it('keep no reason whose difference is gone', () => {
    expect(settled.stale, 'take the reason out of this test').toEqual([]);
  });

  it('agree on the refresh modes and on the formats', () => {
    expect(REFRESH_MODES).toEqual(readTable(markdown, 'Refresh modes').map(({ Mode }) => Mode));
    expect(markdown).toContain(
      `\`format\` in the query, which is \`${formatParameter.choices.join('` or `')}\``,
    );
  });

  it('name the places of parameters consistently in both tables of the page', () => {
    for (const { Id = '', Parameters } of operations) {
      const places = documentedParameters(Id)
        .map((entry) => entry.In)
        .filter((place) => place !== 'path');
      expect([Id, new Set(words(Parameters?.replace('none', '')))]).toEqual([Id, new Set(places)]);
    }
  });

  it('agree on what the live service does with a personal API key', () => {
    const access = readTable(markdown, 'What a personal API key may do there').flatMap((entry) =>
      words(entry.Operations).map((id) => [id, entry['A key is']]),
    );
    expect(new Map(access.map(([id, said]) => [id, said]))).toEqual(
      new Map([...specifiedRows.values()].map((row) => [row.id, row.keyAccess ?? 'accepted'])),
    );
  });
});

describe('the comparison', () => {
  const [first] = operations;
  it.each([
    ['method', { Method: 'POST' }],
    ['path', { Path: '/people/' }],
    ['scopes', { Scopes: 'person:write' }],
    ['answer', { Answer: 'insight' }],
  ])('notices another %s', (what, change) => {
    expect(compareOperation({ ...first, ...change })).toEqual([`P1 ${what}`]);
  });

  it('notices a missing row', () => {
    expect(compareOperation({ ...first, Id: 'P99' })).toEqual(['P99 row']);
  });

  it.each([
    ['in', { In: 'query' }],
    ['type', { Type: 'boolean' }],
    ['default', { Default: '15' }],
    ['choices', { Choices: 'a, b' }],
    ['deprecated', { Note: 'deprecated: something' }],
  ])('notices another %s of a parameter', (what, change) => {
    const row = specifiedRows.get('I14');
    const parameter = row?.parameters.find(({ name }) => name === 'funnel_window_interval');
    const documented = funnelFields.find((field) => field.Parameter === 'funnel_window_interval');
    if (row === undefined || parameter === undefined || documented === undefined) {
      throw new Error('I14 has lost its funnel_window_interval');
    }
    expect(compareParameter(row, parameter, { ...documented, ...change })).toEqual([
      `I14 funnel_window_interval ${what}`,
    ]);
  });
});
