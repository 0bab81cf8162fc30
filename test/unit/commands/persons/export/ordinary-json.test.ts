import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOrdinaryJson } from '../../../../../src/commands/persons/export/ordinary-json.ts';

const again = (text: string): string => JSON.stringify(JSON.parse(text));

describe('text that is called ordinary JSON', () => {
  it.each([
    '{}',
    '{"a":1}',
    '{"a":-0.5,"b":[1,"x",null,true,false,[],{}],"c":{"a":1,"b":{"a":2}}}',
    '{"$os":"Mac OS X","text":"said \\"hi\\"\\n\\\\","ä€":"😀"}',
    '{"a":0,"b":100,"c":123456789012345,"d":0.000001,"e":-12.34}',
    '{"a":[{"x":1},{"x":2}],"x":3}',
    '{"a":"},{","b":"],["}',
  ])('is found: %s', (text) => {
    expect(isOrdinaryJson(text)).toBe(true);
    expect(again(text)).toBe(text);
  });

  it.each([
    '',
    '[]',
    '"a"',
    '{ "a":1}',
    '{"a":1 }',
    '{"a" :1}',
    '{"a":1}\n',
    '{"a":1}}',
    '{"a":1',
    '{"a":}',
    '{"a":1,}',
    '{"a":[1,]}',
    '{"a":[1}',
    '{"a":1,"a":2}',
    '{"a":{"b":1,"c":2,"b":3}}',
    '{"b":1,"1":2}',
    '{"\\u0061":1}',
    '{"a\\n":1}',
    '{"a":"\\u00e4"}',
    '{"a":"\\/"}',
    '{"a":"\u0001"}',
    '{"a":"\ud800"}',
    '{"a":"\udc00\ud800"}',
    '{"a":"x}',
    '{"a":"\\',
    '{"a":1.0}',
    '{"a":1e2}',
    '{"a":1E400}',
    '{"a":1.5e1}',
    '{"a":-0}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":-}',
    '{"a":0.0000001}',
    '{"a":1234567890123456}',
    '{"a":0.1234567890123456}',
    '{"a":tru}',
    '{"a":NaN}',
    `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
  ])('is not: %s', (text) => {
    expect(isOrdinaryJson(text)).toBe(false);
  });

  it('comes out of a parser as it went in', () => {
    const digits = fc.stringMatching(/^-?\d{1,17}(\.\d{0,17})?(e-?\d)?$/);
    const texts = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ntu0123456789.-e aä😀'.split('')) });
    const built = fc.json().map((json) => `{"a":${json},"b":0}`);
    const numbers = digits.map((number) => `{"a":${number}}`);
    fc.assert(
      fc.property(fc.oneof(texts, built, numbers), (text) => {
        if (isOrdinaryJson(text)) expect(again(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is what a service that writes JSON by JavaScript keeps', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.stringMatching(/^[a-z$_ä]{1,8}$/),
          fc.oneof(fc.string(), fc.boolean(), fc.integer()),
        ),
        (value) => {
          const text = JSON.stringify(value);
          if (!/\\u|[\ud800-\udfff]/.test(text)) expect(isOrdinaryJson(text)).toBe(true);
        },
      ),
    );
  });
});
