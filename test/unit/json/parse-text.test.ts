import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isList, isObject, type Json } from '../../../src/json/kinds.ts';
import { parseText } from '../../../src/json/text.ts';

/** A value with its keys in a list, so that it is not itself made by the parser that is tested. */
type Model =
  | string
  | number
  | null
  | readonly Model[]
  | { readonly fields: readonly (readonly [string, Model])[] };

const characters = ['\\', '"', '\n', 'a', 'u', '0', '7', '#', '\u007f', '\u00e9', '\u2028', '\ud800', '😀'];
const keys = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(fc.constantFrom(...characters), { maxLength: 4 }).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toJSON') },
);

const { value: models } = fc.letrec<{ value: Model }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, null),
    keys,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(keys, tie('value')), { maxLength: 4, selector: ([key]) => key })
      .map((fields) => ({ fields })),
  ),
}));

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A string in one of the spellings that JSON has for it. */
function write(text: string, isShort: boolean): string {
  const parts = [...text].map((character) => {
    const must = /["\\\u0000-\u001f]/.test(character);
    if (isShort && !must) return character;
    if (isShort && character !== '\n') return `\\${character}`;
    return isShort ? '\\n' : character.split('').map(escapeUnit).join('');
  });
  return `"${parts.join('')}"`;
}

function toJson(model: Model, spellings: readonly boolean[], at = 0): string {
  if (model === null || typeof model === 'number') return String(model);
  const isShort = spellings[at % spellings.length] ?? true;
  if (typeof model === 'string') return write(model, isShort);
  if ('fields' in model) {
    const fields = model.fields.map(
      ([key, value], index) => `${write(key, isShort)} :${toJson(value, spellings, at + index + 1)}`,
    );
    return `{${fields.join(',')}}`;
  }
  return `[${model.map((value, index) => toJson(value, spellings, at + index + 1)).join(', ')}]`;
}

function toModel(value: Json): Model {
  if (isList(value)) return value.map(toModel);
  if (!isObject(value)) return typeof value === 'string' || typeof value === 'number' ? value : null;
  return { fields: Object.entries(value).map(([key, field]) => [key, toModel(field)] as const) };
}

/** Objects list keys that are positions first. */
function inOrder(model: Model): Model {
  if (model === null || typeof model !== 'object') return model;
  if (!('fields' in model)) return model.map(inOrder);
  const isPosition = ([key]: readonly [string, Model]) => /^(?:0|[1-9]\d*)$/.test(key);
  const fields = model.fields.map(([key, value]) => [key, inOrder(value)] as const);
  const positions = fields.filter(isPosition).sort(([one], [other]) => Number(one) - Number(other));
  return { fields: [...positions, ...fields.filter((field) => !isPosition(field))] };
}

describe('text with keys of others', () => {
  it('has its own keys, whatever was read before', () => {
    for (let round = 0; round < 3; round += 1) {
      for (const [written, key] of [
        ['\\\\', '\\'],
        ['\\"', '"'],
        ['\\n', '\n'],
        ['\\u007f', '\u007f'],
        ['\\u0061', 'a'],
      ] as const) {
        const read = parseText(`{"h":1,"${written}":[${round}]}`);
        expect(Object.entries(read ?? {})).toEqual([
          ['h', 1],
          [key, [round]],
        ]);
      }
    }
  });

  it('comes back key by key from every spelling, thousands of texts in one process', () => {
    const spellings = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(models, spellings, (model, spelling) => {
        expect(toModel(parseText(toJson(model, spelling)))).toEqual(inOrder(model));
      }),
      { numRuns: 4000, endOnFailure: true },
    );
  });

  it.each([
    ['{"a":1,"\\u0061":2,"a":3}', { a: 3 }],
    ['{"\\n":1,"b":0,"\\u000a":2}', { '\n': 2, b: 0 }],
    ['{"#0":1,"\\n":2,"\\u0023\\u0023":3,"\\"":4}', { '#0': 1, '\n': 2, '##': 3, '"': 4 }],
    ['{"text":"\\":\\"","\\\\\\":" : "x"}', { text: '":"', '\\":': 'x' }],
    ['["\\\\",{"k\\t"\n\t:"\\\\"}]', ['\\', { 'k\t': '\\' }]],
    ['"\\u0061"', 'a'],
  ])('reads %s', (text, value) => {
    expect(parseText(text)).toEqual(value);
  });

  it('keeps __proto__ a key', () => {
    const read = parseText('{"\\u005f_proto__":{"x":1},"\\n":2}');
    expect(Object.entries(read ?? {})).toEqual([
      ['__proto__', { x: 1 }],
      ['\n', 2],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    '{"a":\\u0020":"}',
    '{"a\\u000":1}',
    '{"a\\',
    '{"a\\"',
    '\\":',
    '{"\\n":1,}',
    '{"\\x":1}',
    '{"a"\\u0020:1}',
  ])('refuses %j', (text) => {
    expect(() => parseText(text)).toThrow(SyntaxError);
  });
});
