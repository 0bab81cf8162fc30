import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SPECIAL } from '../../../src/sandbox/sql/expressions.ts';
import translations from '../../../src/sandbox/sql/translations.json' with { type: 'json' };
import { findFunction } from '../../../src/semantics/sql-tree.ts';
import published from '../../../src/service/sql-functions.json' with { type: 'json' };

const names = [...Object.keys(published.functions), ...Object.keys(published.aggregates)];

/** Aggregates that are put together: `sumMap`, `countDistinctArrayIf`. */
const COMBINED =
  /^(?:avg|sum|min|max|count|countDistinct|median)(?:Array|Map|State|Merge|ForEach|OrDefault|OrNull|ArgMin|ArgMax)/;

const document = readFileSync(join(import.meta.dirname, '../../../docs/service.md'), 'utf8');
const listed = (/^> (.*)$/m.exec(document)?.[1] ?? '').split(' ');

const lines = new Set(
  [...Object.keys(SPECIAL), ...Object.keys(translations.functions)].map((key) => key.replace(/[@:].*$/, '')),
);

const runsFunction = (name: string) =>
  lines.has(name) || (findFunction(name)?.isAggregate === true && lines.has(name.replace(/If$/, '')));

const holds = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

describe('the functions that the sandbox lacks', () => {
  const lacking = names.filter((name) => !runsFunction(name) && !COMBINED.test(name));

  it('are all in the list of docs/service.md', () => {
    expect(lacking.filter((name) => !listed.some((pattern) => holds(pattern, name)))).toEqual([]);
  });

  it('are the only ones there', () => {
    const idle = listed.filter((pattern) => !lacking.some((name) => holds(pattern, name)));
    const known = names.filter(
      (name) => runsFunction(name) && listed.some((pattern) => holds(pattern, name)),
    );
    expect({ idle, known }).toEqual({ idle: [], known: [] });
  });

  it('are each on the list of the service once', () => {
    expect(names.length).toBeGreaterThan(1100);
    expect(new Set(names).size).toBe(names.length);
  });
});
