import fc from 'fast-check';
import { isLosslessNumber, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { persons } from '../../../src/api/endpoints/persons.ts';
import type { ClientSettings } from '../../../src/client/client.ts';
import { loadExactParser, parseJson, parsePageText } from '../../../src/client/parse-json.ts';
import { writeJson } from '../../../src/client/write-json.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import type { Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const JSON_TYPE = { 'content-type': 'application/json' };
const read = () => watched.client.call(persons.get, { id: '42' });

describe('numbers', () => {
  it('keep their own digits in single answers (O-34)', async () => {
    await open([
      {
        headers: JSON_TYPE,
        body: '{"big":9007199254740993,"one":1.0,"huge":1e400,"minus":-0,"plain":1.5,"n":7}',
      },
    ]);
    const answer = await read();
    expect(stringify(answer)).toBe(
      '{"big":9007199254740993,"one":1.0,"huge":1e400,"minus":-0,"plain":1.5,"n":7}',
    );
    expect(isLosslessNumber(answer.big)).toBe(true);
    expect([answer.plain, answer.n]).toEqual([1.5, 7]);
  });

  it('keep them in requests', async () => {
    await open([{ status: 202 }]);
    const value = await parseJson('{"big":9007199254740993,"list":[1.0]}');
    await watched.client.call(persons.update, { id: '42', properties: { value } });
    expect(stub.log[0]?.body).toBe('{"properties":{"value":{"big":9007199254740993,"list":[1.0]}}}');
  });

  it('are told from objects that only look like exact ones', () => {
    const lookalike = { isLosslessNumber: true, value: '1}, "x": {' } as const;
    expect(writeJson(lookalike)).toBe(JSON.stringify(lookalike));
  });
});

describe('odd keys', () => {
  it('keeps __proto__ as a key and touches no prototype', async () => {
    await open([{ headers: JSON_TYPE, body: '{"properties":{"__proto__":{"admin":true},"constructor":1}}' }]);
    const { properties } = await read();
    expect(Object.keys(properties ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
    expect('admin' in {}).toBe(false);
    expect(writeJson(properties)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  });

  it('keeps keys with an escape apart from keys with a backslash that came before', async () => {
    const bodies = [
      '{"properties":{"h":[],"\\\\":0}}',
      '{"properties":{"h":1,"\\n":2}}',
      '{"properties":{"h":1,"\\u00e9":2}}',
    ];
    await open(bodies.map((body) => ({ headers: JSON_TYPE, body })));
    const keys: string[][] = [];
    for (const _ of bodies) keys.push(Object.keys((await read()).properties ?? {}));
    expect(keys).toEqual([
      ['h', '\\'],
      ['h', '\n'],
      ['h', '\u00e9'],
    ]);
  });

  it('takes the last of repeated keys, as JSON.parse does', async () => {
    expect(await parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  });
});

describe('a small answer', () => {
  it('is read the fast way only where that makes no difference', async () => {
    const exactly = await loadExactParser();
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,4})?$/);
    const text = fc
      .tuple(fc.json(), digits, fc.constantFrom('', ' ', '\n'))
      .map(
        ([json, number, space]) =>
          `${space}{"json":${json},"list":[${number},${space}${number}],"n":${space}${number}}`,
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, digits), async (json) => {
        expect(stringify(await parseJson(json))).toBe(stringify(exactly(json)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the text of a page', () => {
  const exactIn = async (text: string) => stringify(await parsePageText(text));

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
        const parsed = await parsePageText(`[${numbers.join(',')}]`);
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
