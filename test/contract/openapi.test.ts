import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Endpoint } from '../../src/service/endpoint.ts';
import { platform } from '../../src/service/platform.ts';
import { settle } from '../support/disagreements.ts';
import { compareWithDocument, findOperation, isCovered, type OpenApiDocument } from '../support/openapi.ts';
import { meant } from '../support/openapi-disagreements.ts';
import { specifiedRows } from '../support/rows.ts';

const path = join(import.meta.dirname, '../fixtures/openapi/posthog-persons-insights.assembled.yaml');
// The document is data of ours in a known shape; a part that is missing shows as a difference.
const document = parse(readFileSync(path, 'utf8')) as OpenApiDocument;
const surrounding: readonly Endpoint[] = Object.values(platform);
// The document tells of persons, insights and queries; rows around them that are about other nouns are not in it.
const rows = [...specifiedRows.values(), ...surrounding.filter((row) => isCovered(document, row))];

describe('the rows and the document of the live service', () => {
  const differences = rows.flatMap((row) =>
    findOperation(document, row) === undefined ? [`${row.id} operation`] : compareWithDocument(document, row),
  );
  const settled = settle(differences, meant);

  it('agree on paths, scopes, parameters and key access, but for differences with a reason', () => {
    const remedy = 'mend the row in src/service, or give a reason in test/support/openapi-disagreements.ts';
    expect(settled.unexplained, remedy).toEqual([]);
  });

  it('keep no reason whose difference is gone', () => {
    expect(settled.stale, 'take the reason out of test/support/openapi-disagreements.ts').toEqual([]);
  });

  it('are compared by the noun of their path, also if the document lacks the operation', () => {
    const row: Endpoint = { ...platform.cohorts, path: '/persons/unknown/' };
    expect([isCovered(document, row), isCovered(document, platform.cohorts)]).toEqual([true, false]);
  });

  const list = specifiedRows.get('P1');
  const without = (name: string) => list?.parameters.filter((parameter) => parameter.name !== name) ?? [];
  it.each<[string, Partial<Endpoint>]>([
    ['operation', { path: '/people/' }],
    ['scopes', { scopes: ['person:write'] }],
    ['key access', { keyAccess: 'refused' }],
    ['lacks email', { parameters: without('email') }],
    [
      'has mail',
      { parameters: [...(list?.parameters ?? []), { name: 'mail', type: 'text', description: '' }] },
    ],
    [
      'email in',
      { parameters: [...without('email'), { name: 'email', type: 'text', in: ['body'], description: '' }] },
    ],
    [
      'email choices',
      { parameters: [...without('email'), { name: 'email', type: 'text', choices: ['a'], description: '' }] },
    ],
  ])('would be seen to differ in %s', (word, change) => {
    if (list === undefined) throw new Error('P1 is missing');
    expect(compareWithDocument(document, { ...list, ...change })).toEqual([`P1 ${word}`]);
  });
});
