import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { RowSlices } from '../../../src/api/row-slices.ts';
import { scanPage } from '../../../src/client/scan-page.ts';
import { CliError } from '../../../src/errors.ts';
import type { Json } from '../../../src/json/kinds.ts';
import { parseText } from '../../../src/json/parse.ts';
import { formatPages } from '../../../src/output/format-pages.ts';
import type { Look } from '../../../src/output/look.ts';
import type { RowPage } from '../../../src/output/row-page.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '},{',
    '\\',
    '"',
    '\u007f',
    '\u0085',
    '\u061c',
    '\u200e',
    '\u2028',
    '\u202e',
    '\u2066',
    '’',
    '©',
    '😀',
  ),
);
const json: fc.Arbitrary<Json> = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(text, tie('node'), { maxKeys: 4 }),
  ),
})).node;

const look = {
  format: 'ndjson',
  headers: true,
  color: false,
  unicode: true,
  spreadsheetSafe: false,
} as const;

/** JSON as a service might spell it. */
const hostile = [
  ...[
    '1.0',
    '1E5',
    '-0',
    '-0.0',
    '0.5',
    '-5',
    '0.0000001',
    '1e21',
    '123456789012345',
    '0.1',
    '10.50',
    '1e-7',
  ],
  ...[
    '""',
    '" a"',
    '"a "',
    '"\\u00e9"',
    '"\\/"',
    '"a\\/b"',
    '"\\n"',
    '"a\\nb"',
    '"a\\rb"',
    '"\\\\"',
    '"a\\"b"',
  ],
  ...[
    '"a,b"',
    '"é"',
    '"日本"',
    '"\u00a0x"',
    '"x\u3000"',
    '"\ufeffx"',
    '"\uff1d1"',
    '"=1"',
    '"+1"',
    '"@a"',
    '"\\t=1"',
  ],
  ...[
    '"a\u007fb"',
    '"a\u0085b"',
    '"a\u202eb"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"😀"',
    '"a\\\\"',
    '"\\"a\\""',
  ],
  ...['{}', '[]', '[1]', '[[1]]', '[true]', '[1,2]', '{"1":1,"0":2}', '{"b":1,"1":2}', '{"01":1}', '{"":1}'],
  ...['{"__proto__":1}', '{"a":{"b":[{}]}}', 'true', 'false', 'null', '{"a":"\\u001f"}', '"\\b\\f"'],
];

function parsed(rows: readonly Json[]): RowPage {
  return { rows: () => rows, batches: () => [rows], slices: () => undefined };
}

/** As the client hands it on: its rows may be parsed, and stand in the bytes. */
function sliced(rows: readonly Json[]): RowPage {
  return { ...parsed(rows), slices: () => slicesOf(rows.map((row) => JSON.stringify(row))) };
}

/** Rows within a page as the client finds them, which now and then have another between them that was left out. */
function slicesOf(texts: readonly string[]): RowSlices | undefined {
  const isLeft = (index: number) => index % 3 === 2;
  const page = texts.flatMap((text, index) => (isLeft(index) ? ['{"left":[7]}', text] : [text]));
  const bytes = Buffer.from(`{"next":null,"results":[${page.join(',')}]}`);
  const map = scanPage(bytes);
  if (map === undefined) return undefined;
  const places = texts.map((_, index) => index + Math.floor((index + 1) / 3));
  const pick = (all: Int32Array) => Int32Array.from(places, (place) => all[place] ?? 0);
  return {
    bytes,
    starts: pick(map.starts),
    ends: pick(map.ends),
    valueEnds: map.valueEnds,
    firstValues: pick(map.firstValues),
    parse: (index) => parseText(texts[index] ?? ''),
  };
}

async function show(
  pages: readonly RowPage[],
  more: Partial<Look> = {},
  note: (text: string) => void = () => {},
): Promise<string> {
  async function* from() {
    yield* pages;
  }
  const parts: Buffer[] = [];
  try {
    // Bytes are copied at once, since they stay so only until the next are asked for.
    for await (const chunk of formatPages(from(), { ...look, ...more }, note)) parts.push(Buffer.from(chunk));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    parts.push(Buffer.from(failure.message));
  }
  return Buffer.concat(parts).toString('utf8');
}

const parsePlain = { parseNumber: Number };
const onTerminal = { format: 'json', width: 80 } as const;

describe('pages as they came', () => {
  it.each([{ format: 'ndjson' }, { format: 'json' }, { format: 'json', width: 80 }] as const)(
    'are what their parsed rows are, byte for byte: $format, width $width',
    async (shape) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(json, { maxLength: 5 }), { maxLength: 4 }), async (pages) => {
          // As a page has it: `-0` and lone surrogates do not survive.
          const rows = parseText(JSON.stringify(pages)) as Json[][];
          const plain = await show(rows.map(parsed), shape);
          expect(await show(rows.map(sliced), shape)).toBe(plain);
          // Read by a parser of its own, since JSON.parse of Node 24 and 26 takes some keys for others.
          if (shape.format === 'json') expect(parse(plain, null, parsePlain)).toEqual(rows.flat());
          const mixed = rows.map((page, index) => (index % 2 === 0 ? sliced(page) : parsed(page)));
          expect(await show(mixed, shape)).toBe(plain);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('are indented in JSON on a terminal, else a line for each row', async () => {
    const rows = [{ a: [], b: {}, c: [{ d: 'x},{' }, 1.5] }, 'y', null];
    const lines = rows.map((row) => JSON.stringify(row));
    expect(await show([sliced(rows)], onTerminal)).toBe(`${JSON.stringify(rows, null, 2)}\n`);
    expect(await show([sliced(rows)], { format: 'json' })).toBe(`[\n${lines.join(',\n')}\n]\n`);
    expect(await show([sliced(rows)])).toBe(`${lines.join('\n')}\n`);
  });

  it('keep the digits of their numbers and the order of their keys', async () => {
    const raw = '{"2":1.0,"1":12345678901234567890,"__proto__":{"x":1E5}}';
    const page = { ...parsed([]), slices: () => slicesOf([raw]) };
    expect(await show([page])).toBe(`${raw}\n`);
    expect(await show([page], { format: 'json' })).toBe(`[\n${raw}\n]\n`);
    expect(await show([page], onTerminal)).toBe(
      '[\n  {\n    "2": 1.0,\n    "1": 12345678901234567890,\n    "__proto__": {\n      "x": 1E5\n    }\n  }\n]\n',
    );
  });

  it('are cut to the columns that were asked for', async () => {
    expect(await show([sliced([{ id: 1, name: 'x' }])], { columns: ['id'] })).toBe('{"id":1}\n');
  });

  it('are an empty list without rows', async () => {
    expect([await show([sliced([])], { format: 'json' }), await show([], { format: 'ndjson' })]).toEqual([
      '[]\n',
      '',
    ]);
  });

  it('come in pieces, and one row larger than any buffer comes whole', async () => {
    const rows = [
      ...Array.from({ length: 5000 }, (_, id) => ({ id, name: 'x'.repeat(100) })),
      { a: [['y'.repeat(300_000)]] },
    ];
    expect(await show([sliced(rows)], onTerminal)).toBe(`${JSON.stringify(rows, null, 2)}\n`);
    const lines = rows.map((row) => JSON.stringify(row));
    expect(await show([sliced(rows)], { format: 'json' })).toBe(`[\n${lines.join(',\n')}\n]\n`);
  });

  it('leave the array open when the next page cannot be had', async () => {
    async function* failing(): AsyncGenerator<RowPage> {
      yield sliced([{ id: 1 }]);
      throw new Error('gone');
    }
    let shown = '';
    const reading = async () => {
      for await (const chunk of formatPages(failing(), { ...look, format: 'json' }, () => {})) shown += chunk;
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(shown).toBe('[\n{"id":1}');
  });

  it('are as CSV what their parsed rows are, byte for byte', async () => {
    const row = fc.oneof(
      json,
      fc.dictionary(fc.constantFrom('id', 'a', 'b', 'c', '7', 'd.e', '__proto__'), json, { maxKeys: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { maxLength: 5 }), { maxLength: 4 }),
        fc.boolean(),
        async (pages, spreadsheetSafe) => {
          // As a page has it: `-0` and lone surrogates do not survive.
          const rows = parseText(JSON.stringify(pages)) as Json[][];
          const wish = { format: 'csv', spreadsheetSafe } as const;
          expect(await show(rows.map(sliced), wish)).toBe(await show(rows.map(parsed), wish));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each(hostile)('are as CSV what their parsed rows are where they hold %s', async (text) => {
    const first = { id: 'x', name: null, tags: [], more: null };
    const said: Record<string, string[]> = { parsed: [], sliced: [] };
    const raws = [
      `{"id":"y","name":${text},"tags":[],"more":1}`,
      `{"id":"y","name":"n","tags":[${text},{"a":${text}}],"more":{"x":[${text}]}}`,
    ];
    const page = { ...parsed(raws.map((raw) => JSON.parse(raw))), slices: () => slicesOf(raws) };
    const note = (list: string[] | undefined) => (said: string) => list?.push(said);
    const csv = { format: 'csv' } as const;
    expect(await show([parsed([first]), page], csv, note(said.sliced))).toBe(
      await show([parsed([first]), parsed(page.rows())], csv, note(said.parsed)),
    );
    expect(said.sliced).toEqual(said.parsed);
  });

  it('say once which keys came after the first page, and how many cells look like formulas', async () => {
    const late = Array.from({ length: 9 }, (_, id) => ({ id, name: '=1', plan: 'x', seats: 3 }));
    const said: string[] = [];
    const text = await show([sliced([{ id: 0, name: 'x' }]), sliced(late)], { format: 'csv' }, (text) =>
      said.push(text),
    );
    expect(text.endsWith('8,=1\nthis CSV lacks the keys "plan", "seats"')).toBe(true);
    expect(said).toEqual([
      'the keys "plan", "seats" appeared after the first page and are left out; name the columns with --columns, or use --output ndjson',
      '9 text cells look like spreadsheet formulas; use --spreadsheet-safe before opening this in a spreadsheet',
    ]);
  });

  it.each(['csv', 'tsv'] as const)(
    'are the same %s whether their rows come at once or in parts',
    async (format) => {
      const pages = [
        [],
        [
          { id: 1, a: 'x' },
          { id: 2, b: 'y' },
        ],
        [{ id: 3 }, { id: 4, a: { z: '"' } }, { id: 5, b: ' ' }],
      ];
      const inParts = pages.map((rows) => ({ ...parsed(rows), batches: () => rows.map((row) => [row]) }));
      expect(await show(inParts, { format })).toBe(await show(pages.map(parsed), { format }));
    },
  );
});
