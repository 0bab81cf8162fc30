import { isLosslessNumber, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { parseJson, writeJson } from '../../../src/json/text.ts';
import { persons } from '../../../src/service/persons.ts';
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
  it('keep their own digits in single answers ()', async () => {
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
    const value = parseJson('{"big":9007199254740993,"list":[1.0]}');
    await watched.client.call(persons.update, { id: '42', properties: { value } });
    expect(stub.log[0]?.body).toBe('{"properties":{"value":{"big":9007199254740993,"list":[1.0]}}}');
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
});
