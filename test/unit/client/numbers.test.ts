import { isLosslessNumber, stringify } from 'lossless-json';
import { afterEach, describe, expect, it } from 'vitest';
import { insights } from '../../../src/api/endpoints/insights.ts';
import { persons } from '../../../src/api/endpoints/persons.ts';
import type { ClientSettings } from '../../../src/client/client.ts';
import { parseJson } from '../../../src/client/parse-json.ts';
import { writeJson } from '../../../src/client/write-json.ts';
import { type Script, type Stub, startStub } from '../../support/stub-server.ts';
import { makeClient, type Watched } from './make-client.ts';

let stub: Stub;
let watched: Watched;

afterEach(async () => {
  await watched?.client.close();
  await stub?.close();
});

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  stub = await startStub(script);
  watched = makeClient(stub.origin, settings);
}

const JSON_TYPE = { 'content-type': 'application/json' };
const _SIGN_IN = '<!doctype html><title>Sign in</title><form>secret markup</form>';
const read = () => watched.client.call(persons.get, { id: '42' });
const _destroy = () => watched.client.call(persons.delete, { id: '42' });
const _create = () => watched.client.call(insights.create, { name: 'x' });

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

  it('takes the last of repeated keys, as JSON.parse does', async () => {
    expect(await parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  });
});
