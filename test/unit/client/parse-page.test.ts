import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../src/client/parse-page.ts';
import { asObject, type Json } from '../../../src/json/kinds.ts';
import { parseText } from '../../../src/json/parse.ts';

const tricky = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '},{',
    '"results":[',
    '[{"a":1},{"b":2}]',
    '\\',
    '\\"},{',
    ']',
    '}]',
    '日本😀',
    '__proto__',
  ),
);
const value = fc.letrec((tie) => ({
  leaf: fc.oneof(tricky, fc.integer(), fc.boolean(), fc.constant(null)),
  node: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(tricky, tie('node'), { maxKeys: 4 }),
  ),
})).node;

/** Rows that make the page large enough to be parsed in groups. */
const filler = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    index,
    text: 'x},{y]'.repeat(30),
    list: [{ a: 1 }, { b: 2 }],
  }));

async function parse(text: string): Promise<{ envelope: Json; rows: readonly Json[] }> {
  const { envelope, rows } = await parsePage(Buffer.from(text));
  return { envelope, rows: rows() };
}

describe('parsing a page in groups', () => {
  it('gives what the whole text gives, for any rows and any fields around them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 6 }),
        fc.dictionary(
          fc.string().filter((name) => name !== 'results'),
          value,
          { maxKeys: 3 },
        ),
        fc.dictionary(
          fc.string().filter((name) => name !== 'results'),
          value,
          { maxKeys: 3 },
        ),
        fc.integer({ min: 0, max: 900 }),
        async (rows, before, after, size) => {
          const text = JSON.stringify({
            ...before,
            results: [...filler(size), ...rows, ...filler(3)],
            ...after,
          });
          const { results, ...envelope } = asObject(parseText(text)) ?? {};
          const parsed = await parse(text);
          expect(parsed.rows).toEqual(results);
          expect(parsed.envelope).toEqual(envelope);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['spaced', (page: object) => JSON.stringify(page, null, 1)],
    [
      'with results inside a field before',
      (page: object) => JSON.stringify({ a: { results: [1] }, ...page }),
    ],
    ['with a list after the results', (page: object) => JSON.stringify({ ...page, tags: [] })],
    ['that is a bare array', (page: { next: null; results: unknown }) => JSON.stringify(page.results)],
    ['with a byte order mark', (page: object) => `\uFEFF${JSON.stringify(page)}`],
  ])('reads a large page %s', async (_, write) => {
    const rows = filler(600);
    expect((await parse(write({ next: null, results: rows }))).rows).toEqual(rows);
  });

  it('leaves the bytes as they came', async () => {
    const bytes = Buffer.from(JSON.stringify({ results: filler(900) }));
    const copy = Buffer.from(bytes);
    (await parsePage(bytes)).rows();
    expect(bytes.equals(copy)).toBe(true);
  });

  it('keeps exact numbers of one group exact', async () => {
    const text = JSON.stringify({ results: filler(900) }).replace(
      '"index":700',
      '"index":12345678901234567890',
    );
    expect((await parse(text)).rows[700]).toMatchObject({ index: { value: '12345678901234567890' } });
  });

  it('fails for a large page that is cut anywhere', async () => {
    const text = JSON.stringify({ next: null, results: filler(300) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: text.length - 1 }), async (length) => {
        await expect(parse(text.slice(0, length))).rejects.toThrow(SyntaxError);
      }),
      { numRuns: 60 },
    );
  });
});
