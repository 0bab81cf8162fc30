import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanPage } from '../../../src/client/scan-page.ts';
import { parseText } from '../../../src/json/parse.ts';

const tricky = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replace(/\p{Surrogate}/gu, '')),
  fc.constantFrom('},{', '"results":[', '\\', '\\"},{', ']', '}]', '日本😀', '__proto__', '\u2028', '\u007f'),
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const value = fc.letrec((tie) => ({
  leaf: fc.oneof(tricky, number, fc.boolean(), fc.constant(null)),
  node: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(tricky, tie('node'), { maxKeys: 4 }),
  ),
})).node;
const row = fc.oneof(
  value,
  fc.record({ id: fc.oneof(fc.integer(), tricky), uuid: fc.uuid(), properties: value }, { requiredKeys: [] }),
);
const fields = fc.dictionary(
  tricky.filter((name) => name !== 'results'),
  value,
  { maxKeys: 3 },
);

function slicesOf(text: string): readonly string[] | undefined {
  const bytes = Buffer.from(text);
  const map = scanPage(bytes);
  return map && Array.from(map.starts, (start, index) => bytes.toString('utf8', start, map.ends[index]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('finding the rows of a page in its bytes', () => {
  it('cuts out of compact JSON exactly what each row is', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), fields, fields, (rows, before, after) => {
        const text = JSON.stringify({ ...before, results: rows, ...after });
        const keys = Object.keys(parseText(text) ?? {});
        fc.pre(keys.every((key) => JSON.stringify(key) === `"${key}"`));
        const slices = slicesOf(text);
        if (slices === undefined) {
          // Only a key that is written with an escape is left to the parser.
          expect(rows.some((one) => /[^ -~]|["\\]/.test(Object.keys(Object(one)).join('')))).toBe(true);
          return;
        }
        expect(slices).toEqual(rows.map((one) => JSON.stringify(one)));
        expect(scanPage(Buffer.from(text))?.compact).toBe(true);
      }),
    );
  });

  it('finds the same rows in JSON with white space, and says that there is some', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(' ', '\t'),
        (rows, indent) => {
          const text = JSON.stringify({ next: null, results: rows }, null, indent);
          const slices = slicesOf(text);
          if (slices === undefined) return;
          expect({ next: null, results: slices.map(parseText) }).toEqual(parseText(text));
          expect(scanPage(Buffer.from(text))?.compact).toBe(false);
        },
      ),
    );
  });

  it('takes nothing for JSON that the parser would not take', () => {
    const damage = fc.record({
      at: fc.nat(),
      put: fc.constantFrom(
        '',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '0',
        '-',
        '.',
        'e',
        'n',
        ' ',
        '\n',
        'NaN',
        '\\u12',
      ),
      drop: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), damage, (rows, { at, put, drop }) => {
        const text = JSON.stringify({ next: null, results: rows });
        const place = at % text.length;
        const damaged = text.slice(0, place) + put + text.slice(place + drop);
        if (scanPage(Buffer.from(damaged)) !== undefined) expect(isJson(damaged)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('names each row by its uuid where that is text, else by its id, wherever they stand', () => {
    const rows = [
      { properties: { uuid: 'no', id: 'no' }, id: 1, uuid: 'a' },
      { id: 2, uuid: null },
      { uuid: 5, id: 'b' },
      { name: 'x' },
      5,
    ];
    const bytes = Buffer.from(JSON.stringify(rows));
    const { nameStarts = [], nameEnds = [] } = scanPage(bytes) ?? {};
    const names = Array.from(nameStarts, (from, index) => bytes.toString('utf8', from, nameEnds[index]));
    expect(names).toEqual(['"a"', '2', '"b"', '', '']);
  });

  it.each([
    ['results inside a field before', '{"a":{"results":[1]},"results":[2]}', ['2']],
    ['results inside a text', '{"a":"\\"results\\":[1]","results":[2]}', ['2']],
    ['a list after the results', '{"results":[2],"tags":[1]}', ['2']],
    ['a bare array', '[{"a":[{},{}]},2]', ['{"a":[{},{}]}', '2']],
    ['no rows', '{"results":[]}', []],
    ['two results', '{"results":[1],"results":[2]}', undefined],
    ['results that are no list', '{"results":{"a":[1]}}', undefined],
    ['an escaped key, which may be any', '{"results":[{"\\u0069d":1}]}', undefined],
    ['a byte order mark', '\uFEFF[1]', undefined],
    ['something after the end', '[1] x', undefined],
    ['more depth than a stack bears', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, undefined],
  ])('reads %s', (_, text, expected) => {
    expect(slicesOf(text)).toEqual(expected);
  });

  it('leaves bytes that are not UTF-8 to the parser', () => {
    expect(scanPage(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toBeUndefined();
  });

  it.each([
    ['12345678901234567890', true],
    ['-0.1234567890123456789', true],
    ['1e400', true],
    ['9007199254740991', false],
    ['0.1234567890123456', false],
    ['"12345678901234567890"', false],
    ['"x 1e999"', false],
  ])('knows whether %s would lose digits', (text, long) => {
    expect(scanPage(Buffer.from(`[{"a":${text}}]`))?.long).toBe(long);
  });
});
