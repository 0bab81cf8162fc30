import fc from 'fast-check';
import { isLosslessNumber, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { DEEPEST, isTooDeep, type Json } from '../../../src/json/kinds.ts';
import {
  parseExactly,
  parseJson,
  parsePageText,
  parseText,
  TooDeep,
  toJsonInteger,
  toJsonText,
  writeJson,
} from '../../../src/json/text.ts';

describe('a value', () => {
  it.each([
    '1524831183200260097',
    '123456789.123456789012',
    '0.0000001',
    '{"a":1.0,"b":[1e400,-0,1.50],"c":"1.0 \\" 12345678901234567890"}',
    '{"isLosslessNumber":true,"value":"x"}',
    '{"isLosslessNumber":true,"value":"7","other":7.0}',
    '{"isLosslessNumber":true,"value":"1}, \\"x\\": {"}',
    '[0.1,123,-5,1.25,1e-7]',
    '{"__proto__":{"a":1.0}}',
    '{"__proto__":{"a":1},"constructor":1,"toJSON":{}}',
    '[]',
    '[{},[1.0],[],{"a":{}}]',
  ])('comes back as it was: %s', (text) => {
    expect(writeJson(parseJson(text))).toBe(text);
    expect(toJsonText(parseJson(text))).toBe(text);
    expect(toJsonText(parseJson(text), { indent: 2 })).toBe(stringify(parseExactly(text), undefined, 2));
  });

  it('comes back whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 2), (value, indent) => {
        const text = toJsonText(parseJson(`{"n":1.0,"value":${JSON.stringify(value)}}`), { indent });
        expect(parseText(text)).toEqual({ n: 1, value: parseText(JSON.stringify(value)) });
      }),
    );
  });

  it('leaves out what is undefined', () => {
    const undefinedField = { a: undefined, n: parseJson('1.0') } as unknown as Json;
    expect(writeJson(undefinedField)).toBe('{"n":1.0}');
  });

  it('shows no character that a terminal acts on, and sends each as it is', () => {
    expect(toJsonText('a\u009b\u202eb')).toBe('"a\\u009b\\u202eb"');
    expect(writeJson('a\u009b\u202eb')).toBe('"a\u009b\u202eb"');
  });

  it('may be a whole number of any size', () => {
    expect(writeJson({ small: toJsonInteger(5n), large: toJsonInteger(9007199254740993n) })).toBe(
      '{"small":5,"large":9007199254740993}',
    );
  });

  it('has the last of repeated keys, as JSON.parse does', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(writeJson(parseJson('{"a":1.0,"a":2.0}'))).toBe('{"a":2.0}');
  });
});

describe('text that is not JSON', () => {
  it.each([
    '01',
    '[1.0,]',
    '{"a":1.0',
    '1.',
    '+1.0',
    '.50',
    '1.0.0',
    '- 1.0',
    '"\n1.0"',
    '',
    '{"a\\u0020":1,}',
  ])('is refused, whatever digits it has: %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each([
    ['{"secret":}', 'at line 1, column 11'],
    ['{\n  "a": 1,\n  "secret" 2\n}', 'at line 3, column 12'],
    ['["secret"', 'at line 1, column 10'],
    ['', 'at line 1, column 1'],
    ['{"a":1.0}\nsecret', 'at line 2, column 1'],
  ])('is told by its place, and never quoted: %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError(message));
  });
});

describe('levels of lists and objects', () => {
  const nested = (levels: number, inner = '1.0') =>
    `${'[{"a":'.repeat(levels / 2)}${inner}${'}]'.repeat(levels / 2)}`;

  it('are read and written up to a bound', () => {
    const text = nested(DEEPEST, '"[[[{\\"["');
    expect(writeJson(parseJson(text))).toBe(text);
    expect(isTooDeep(parseJson(text))).toBe(false);
  });

  it('are too many beyond it', () => {
    expect(() => parseJson(nested(DEEPEST + 2))).toThrow(TooDeep);
    expect(() => parseJson('['.repeat(1_000_000))).toThrow(TooDeep);
    expect(isTooDeep(parseText(nested(DEEPEST + 2)))).toBe(true);
    expect(isTooDeep(parseText(nested(4000)))).toBe(true);
  });

  it('do not add up', () => {
    expect(parseJson(`[${'[[]],'.repeat(2000)}1]`)).toHaveLength(2001);
  });
});

describe('JSON text', () => {
  it('is read the fast way only if that makes no difference', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,4})?$/);
    const text = fc
      .tuple(fc.json(), digits, fc.constantFrom('', ' ', '\n'))
      .map(
        ([json, number, space]) =>
          `${space}{"json":${json},"list":[${number},${space}${number}],"n":${space}${number}}`,
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, digits), async (json) => {
        expect(stringify(parseJson(json))).toBe(stringify(parseExactly(json)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the text of a page', () => {
  const exactIn = async (text: string) => stringify(parsePageText(text));

  it.each([
    '[9007199254740993]',
    '{"a":-12345678901234567890}',
    '{"a": 0.12345678901234567891}',
    '{"a":[1,\n123456789.123456789012]}',
    '{"a":1e400,"b":-2.5E-999}',
    '{"a":"4e567","b":12345678901234567}',
  ])('keeps every digit of %s', async (text) => {
    expect(await exactIn(text)).toBe(text.replace(/[ \n]/g, ''));
  });

  it.each([
    ['an id', '{"id":"0190c2f5-4e56-7e12-8e999-123456789012","n":1.0}'],
    ['a number that loses nothing', '{"n":0.30000000000000004,"m":1.0}'],
    ['digits in a text', '{"d":"12345678901234567890","m":1.0}'],
  ])('is parsed the fast way where it only holds %s', async (_, text) => {
    expect(await exactIn(text)).toBe(text.replace('1.0', '1'));
  });

  it('gives a JavaScript number only for what it can hold', async () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,4})?$/);
    const holds = (text: string): boolean => {
      const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
      const significant = mantissa.replace(/[-.]/g, '').replace(/^0+/, '').length;
      return String(Number(text)) === text || (significant <= 15 && Math.abs(Number(exponent)) < 100);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(digits, { maxLength: 4 }), async (numbers) => {
        const parsed = parsePageText(`[${numbers.join(',')}]`);
        return (
          Array.isArray(parsed) &&
          parsed.length === numbers.length &&
          parsed.every((value, index) => {
            const given = numbers[index] ?? '';
            return isLosslessNumber(value) ? value.value === given : holds(given);
          })
        );
      }),
      { numRuns: 200 },
    );
  });
});
