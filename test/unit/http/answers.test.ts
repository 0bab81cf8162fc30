import * as zlib from 'node:zlib';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const JSON_TYPE = { 'content-type': 'application/json' };
const SIGN_IN = '<!doctype html><title>Sign in</title><form>secret markup</form>';
const read = () => watched.client.call(persons.get, { id: '42' });
const destroy = () => watched.client.call(persons.delete, { id: '42' });
const create = () => watched.client.call(insights.create, { name: 'x' });

describe('a 2xx answer', () => {
  it.each([200, 201, 202, 207])('%i with a body is its value', async (status) => {
    await open([{ status, json: { id: 1 } }]);
    expect(await create()).toEqual({ id: 1 });
  });

  it.each([200, 202, 204])('%i without a body is success where the row allows it', async (status) => {
    await open([{ status }]);
    expect(await destroy()).toBeUndefined();
  });

  it('empty is an error for a read, and not asked for again', async () => {
    await open([{ headers: JSON_TYPE, body: '' }]);
    const error = await failureOf(read());
    expect(error).toMatchObject({ kind: 'unavailable', status: 200 });
    expect(error.message).toMatch(
      /^the answer is empty \(status 200, application\/json, from 127\.0\.0\.1:\d+\)$/,
    );
    expect(stub.log).toHaveLength(1);
  });

  it.each([
    ['(a) a sign-in page', 'text/html; charset=utf-8', SIGN_IN],
    ['(b) a page called JSON', 'application/json', `\n ${SIGN_IN}`],
  ])('O-42 %s is one line without markup, for reads and deletions', async (_, type, body) => {
    await open([{ headers: { 'content-type': type }, body, times: 2 }]);
    for (const work of [read(), destroy()]) {
      const error = await failureOf(work);
      expect(error.kind).toBe('unavailable');
      expect(error.message).toContain(`status 200, ${type}, from 127.0.0.1`);
      expect(error.message + error.hint).not.toMatch(/<|secret|Unexpected/);
      expect(error.hint).toMatch(/sign-in page/i);
    }
    expect(stub.log).toHaveLength(2);
  });

  it.each([
    ['(c) a gateway page', { status: 502, headers: { 'content-type': 'text/html' }, body: SIGN_IN }],
    ['(d) an empty 503', { status: 503 }],
  ])('O-42 %s is asked for again within bounds', async (_, answer) => {
    await open([{ ...answer, times: 9 }], { retries: 2 });
    const error = await failureOf(read());
    expect(error).toMatchObject({ kind: 'unavailable', status: answer.status });
    expect(error.message).toContain('127.0.0.1');
    expect(error.message).not.toContain('<');
    expect(stub.log).toHaveLength(3);
  });

  it('leaves it open what came of a write', async () => {
    await open([{ headers: { 'content-type': 'text/html' }, body: SIGN_IN }]);
    const error = await failureOf(create());
    expect(error).toMatchObject({ kind: 'partial', outcome: 'unknown' });
    expect(error.hint).toMatch(
      /sign-in page.*; the outcome is unknown: check what was changed before you repeat it$/,
    );
  });

  it('of another kind names its content type', async () => {
    await open([{ headers: { 'content-type': 'text/plain' }, body: 'OK' }]);
    const error = await failureOf(create());
    expect(error).toMatchObject({ kind: 'partial', outcome: 'unknown', status: 200 });
    expect(error.message).toContain('the answer is not JSON (status 200, text/plain');
  });

  it('without a content type says that', async () => {
    await open([{ body: 'OK' }]);
    expect((await failureOf(read())).message).toContain('no content type');
  });

  it('may begin with a byte order mark', async () => {
    await open([{ body: '\uFEFF{"id":1}' }]);
    expect(await read()).toEqual({ id: 1 });
  });
});

describe('a body cut short', () => {
  it.each([
    ['of declared length', {}],
    ['in chunks without an end', { chunked: true }],
    ['packed', { gzip: true }],
    ['in chunks on a connection that was to be closed', { chunked: true, headers: { connection: 'close' } }],
  ] as const)('O-45 %s is read again', async (_, form) => {
    const json = { id: 42, name: 'Ana', text: 'x'.repeat(2000) };
    await open([{ json, cutAt: 15, ...form }, { json }]);
    expect(await read()).toEqual(json);
    expect(watched.notes).toHaveLength(1);
  });

  it('is not repeated for a write, which is done as far as one can tell', async () => {
    await open([{ status: 201, json: { id: 1 }, cutAt: 3 }, () => ({ json: {} })]);
    expect(await failureOf(create())).toMatchObject({ kind: 'partial', outcome: 'unknown', status: 201 });
    expect(stub.log).toHaveLength(1);
  });

  it.each([
    ['of declared length', {}],
    ['in chunks', { chunked: true }],
    ['packed', { gzip: true }],
  ] as const)('is none where it came whole %s, and is not read again', async (_, form) => {
    await open([{ body: '{"id":42,"name":"An', ...form }, { json: { id: 42 } }]);
    const error = await failureOf(read());
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toContain('the answer is broken JSON, at line 1, column 20 (status 200');
    expect(stub.log).toHaveLength(1);
  });

  it.each([
    ['{"a":NaN}', 6, 'NaN'],
    ['[1,Infinity]', 4, 'Infinity'],
    ['[-Infinity]', 3, '-Infinity'],
  ])('is none where it says %s, which is told', async (body, column, word) => {
    await open([{ body }]);
    expect((await failureOf(read())).message).toContain(`at line 1, column ${column}: ${word} is not JSON`);
  });
});

describe('packing', () => {
  it('asks for gzip, except on the same computer', async () => {
    await open([() => ({ json: {} })]);
    const far = makeClient('https://eu.posthog.com');
    expect(far.client.describe(persons.get, { id: '42' }).headers['accept-encoding']).toBe('gzip');
    await read();
    expect(stub.log[0]?.headers['accept-encoding']).toBeUndefined();
  });

  it('unpacks what comes packed', async () => {
    await open([{ json: { name: 'Zoë' }, gzip: true }]);
    expect(await read()).toEqual({ name: 'Zoë' });
  });

  it('calls damaged packing a broken answer', async () => {
    const body = gzipSync('{"a":1}');
    body.fill(0, 12, 16);
    await open([{ body, headers: { 'content-encoding': 'gzip' } }]);
    expect(await failureOf(read())).toMatchObject({ kind: 'unavailable', status: 200 });
    expect(stub.log).toHaveLength(1);
  });

  const text = JSON.stringify({ name: 'Zoë', more: 'x'.repeat(100_000) });
  const zstd: (text: string) => Buffer = Reflect.get(zlib, 'zstdCompressSync');

  it.each([
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['X-GZIP', gzipSync],
    ...(zstd === undefined ? [] : [['zstd', zstd] as const]),
  ] as const)('unpacks %s, which it did not ask for', async (encoding, pack) => {
    const headers = { 'content-encoding': encoding };
    const packed = pack(text);
    const damaged = Buffer.from(packed).fill(0, 4, packed.length >> 1);
    await open([
      { body: packed, headers },
      { body: damaged, headers, times: 2 },
    ]);
    expect(await read()).toEqual(JSON.parse(text));
    expect((await failureOf(read())).message).toMatch(/cannot be unpacked: |was cut off|JSON/);
  });

  it.each([
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ...(zstd === undefined ? [] : [['zstd', zstd] as const]),
  ] as const)('takes no more of %s than of what is not packed', async (encoding, pack) => {
    const body = pack(' '.repeat(3_000_001));
    await open([{ body, headers: { 'content-encoding': encoding } }], { largestAnswer: 3_000_000 });
    expect((await failureOf(read())).message).toContain('is larger than 3 MB (status 200)');
    expect(stub.log).toHaveLength(1);
  });

  it.each<readonly [string, string]>([
    ['compress', '"compress" is not known here'],
    ['gzip, gzip', '"gzip, gzip" is not known here'],
    ...(zstd === undefined ? [['zstd', 'zstd is read from Node 22.15 on'] as const] : []),
  ])('says which packing it does not know: %s', async (encoding, words) => {
    await open([{ body: 'x', headers: { 'content-encoding': encoding } }]);
    expect(await failureOf(read())).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining(`cannot be unpacked: ${words} (status 200)`),
    });
    expect(stub.log).toHaveLength(1);
  });
});
