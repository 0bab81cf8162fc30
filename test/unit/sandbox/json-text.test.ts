import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseText } from '../../../src/api/parse-text.ts';
import { readJson, toJsonInteger, writeJson } from '../../../src/sandbox/json-text.ts';

describe('JSON text', () => {
  it.each([
    '1524831183200260097',
    '{"a":1.0,"b":[1e400,-0,1.50],"c":"1.0 \\" 12345678901234567890"}',
    '{"isLosslessNumber":true,"value":"x"}',
    '[0.1,123,-5,1.25,1e-7]',
    '{"__proto__":{"a":1.0}}',
  ])('comes back as it was: %s', (text) => {
    expect(writeJson(readJson(text))).toBe(text);
  });

  it.each(['01', '[1.0,]', '{"a":1.0', '1.', '+1.0', '.50', '1.0.0', '- 1.0', '"\n1.0"'])(
    'refuses %j, whatever digits it has',
    (text) => {
      expect(() => readJson(text)).toThrow(SyntaxError);
    },
  );

  it('reads what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(parseText(writeJson(readJson(JSON.stringify(value))))).toEqual(
          parseText(JSON.stringify(value)),
        );
      }),
    );
  });

  it('writes whole numbers of any size', () => {
    expect(writeJson({ small: toJsonInteger(5n), large: toJsonInteger(9007199254740993n) })).toBe(
      '{"small":5,"large":9007199254740993}',
    );
  });
});
