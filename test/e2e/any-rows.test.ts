import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { isLosslessNumber, parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service.ts';

/** JSON as a service might spell it: text, so that nothing about it is decided by a parser of ours. */
const digits = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,4})?$/),
  fc.constantFrom('1.0', '1E5', '-0', '0.5', '0.0000001', '9007199254740993', '1e400', '12345678.123456789'),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '},{',
    '\\',
    '"',
    'a,b',
    ' a',
    'a\r',
    '\n',
    '\ufeffx',
    '=1',
    '-5',
    '\u007f',
    '\u202e',
    '😀',
    '',
  ),
);
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '\n', 'é'));
const quoted = text.map((one) => JSON.stringify(one));
/** Some keys are spelt with escapes that they do not need. */
const quotedKey = fc
  .tuple(key, fc.boolean())
  .map(([name, escaped]) =>
    escaped && /^[a-z]/.test(name)
      ? `"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(name.slice(1)).slice(1)}`
      : JSON.stringify(name),
  );
const value: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    quoted,
    digits,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(' ,')}]`),
    objectOf(tie('node')),
  ),
})).node;

function objectOf(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(quotedKey, item), { maxLength: 4 })
    .map((fields) => `{${fields.map(([name, text]) => `${name}: ${text}`).join(',')}}`);
}

const row = fc
  .record({ a: value, properties: objectOf(value) })
  .map(({ a, properties }) => `{"a":${a},"properties":${properties}}`);
const pages = fc.array(fc.array(row, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });

const parseExactly = (json: string) => parse(json, null, { onDuplicateKey: ({ newValue }) => newValue });

/** A number by its value, whatever its spelling: its digits without zeros around them, and its exponent. */
function worthOf(spelt: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(spelt) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - part.length + all.length - significant.length}`;
}

/** The same with numbers as what they are worth, and keys in one order. */
function settled(json: unknown): unknown {
  if (isLosslessNumber(json)) return `number ${worthOf(json.value)}`;
  if (Array.isArray(json)) return json.map(settled);
  if (typeof json !== 'object' || json === null) return json;
  return Object.entries(json)
    .map(([name, item]) => [name, settled(item)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

const rowsOf = (texts: readonly (readonly string[])[]) => texts.flat().map(parseExactly);

async function openList() {
  let texts: readonly (readonly string[])[] = [];
  const service = await startService([
    ({ url }) => {
      const index = Number(new URL(url, 'http://stub').searchParams.get('offset') ?? 0);
      const next = index + 1 < texts.length ? `"/api/projects/1/persons/?offset=${index + 1}"` : 'null';
      return { body: `{"next":${next},"results":[${texts[index]?.join(',')}]}` };
    },
  ]);
  return async (format: string, some: readonly (readonly string[])[]): Promise<string> => {
    texts = some;
    const { code, stdout } = await service.hogctl([
      'persons',
      'list',
      '--all',
      '--quiet',
      '-o',
      ...format.split(' '),
    ]);
    expect(code).toBe(0);
    return stdout;
  };
}

describe('a list of any rows', () => {
  it('holds what the service sent as ndjson and as json', async () => {
    const show = await openList();
    await fc.assert(
      fc.asyncProperty(pages, async (some) => {
        const sent = rowsOf(some).map(settled);
        const lines = (await show('ndjson', some)).trimEnd().split('\n');
        expect(lines.map((line) => settled(parseExactly(line)))).toEqual(sent);
        expect(settled(parseExactly(await show('json', some)))).toEqual(sent);
      }),
      { numRuns: Number(process.env.HOGCTL_FUZZ ?? 20) },
    );
  });

  it('holds its cells as csv', async () => {
    const show = await openList();
    await fc.assert(
      fc.asyncProperty(pages, async (some) => {
        const lines = (await show('ndjson', some)).trimEnd().split('\n');
        const cell = (json: string): string => {
          const read: unknown = parseExactly(json);
          if (read === null) return '';
          return typeof read === 'string' ? read.toWellFormed() : json;
        };
        const records = lines.map((line) => {
          // The keys of a row are known, and each stands once.
          const at = line.lastIndexOf(',"properties":', line.indexOf(',"properties":') + 1);
          expect(at).toBeGreaterThan(0);
          return [line.slice('{"a":'.length, at), line.slice(at + ',"properties":'.length, -1)].map(cell);
        });
        const csv = await show('csv --columns a,properties', some);
        expect(parseCsv(csv, { record_delimiter: '\n' }).slice(1)).toEqual(records);
      }),
      { numRuns: Number(process.env.HOGCTL_FUZZ ?? 20) },
    );
  });
});
