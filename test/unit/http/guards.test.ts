import { gzipSync } from 'node:zlib';
import * as undici from 'undici';
import { describe, expect, it } from 'vitest';
import { parseBase } from '../../../src/http/build-request.ts';
import { reduceNext } from '../../../src/http/create-client.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import { failureOf, KEY, type Watched } from './make-client.ts';
import { clientFor, stubFor } from './open-stubs.ts';

const PERSON = { json: { id: 42 } };
const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });

/** undici as it is, with what it is opened and asked with. */
function watchedUndici() {
  const opened: unknown[] = [];
  const asked: unknown[] = [];
  class Pool extends undici.Pool {
    constructor(origin: string, settings: undici.Pool.Options) {
      super(origin, settings);
      opened.push(settings);
    }
    override dispatch(...[options, handler]: Parameters<undici.Pool['dispatch']>): boolean {
      asked.push(options);
      return super.dispatch(options, handler);
    }
  }
  const built: unknown[] = [];
  const buildConnector: typeof undici.buildConnector = (options) => {
    built.push(options);
    return undici.buildConnector(options);
  };
  const loadUndici = async () => ({ ...undici, Pool, buildConnector });
  return { opened, asked, built, loadUndici };
}

describe('a request', () => {
  it('that is interrupted while the connections are made ready is not sent', async () => {
    const stub = await stubFor([() => PERSON]);
    const controller = new AbortController();
    const loadUndici = async () => {
      controller.abort('SIGINT');
      return undici;
    };
    const error = await failureOf(create(clientFor(stub.origin, { signal: controller.signal, loadUndici })));
    expect(error.kind).toBe('interrupted');
    expect(stub.log).toEqual([]);
  });

  it('has our own limit of time alone', async () => {
    const stub = await stubFor([() => PERSON]);
    const { asked, loadUndici } = watchedUndici();
    await read(clientFor(stub.origin, { loadUndici }));
    expect(asked).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
  });

  it('that we made wrongly is a bug, and not a failure of the network', async () => {
    class Pool extends undici.Pool {
      override dispatch(): boolean {
        throw new undici.errors.InvalidArgumentError('wrong');
      }
    }
    const watched = clientFor('http://127.0.0.1:9', { loadUndici: async () => ({ ...undici, Pool }) });
    await expect(read(watched)).rejects.toThrow(undici.errors.InvalidArgumentError);
    expect(watched.waits).toEqual([]);
  });
});

describe('a connection', () => {
  it('trusts a private authority beside those that Node carries', async () => {
    const { key, cert, authority } = readCertificate('server');
    const stub = await stubFor([() => PERSON], { tls: { key, cert } });
    const { built, loadUndici } = watchedUndici();
    await read(clientFor(stub.origin, { ca: [authority], loadUndici }));
    // `ca` would stand for all that is trusted; a context that Node made trusts what Node does.
    expect(built).toMatchObject([{ secureContext: expect.anything() }]);
    expect(built).not.toMatchObject([{ ca: expect.anything() }]);
  });
});

describe('an answer', () => {
  it.each([
    ['600', [600_000]],
    ['601', []],
  ])('that asks for %s s is waited for up to ten minutes', async (value, waits) => {
    const stub = await stubFor([{ status: 429, headers: { 'retry-after': value } }, PERSON]);
    const watched = clientFor(stub.origin);
    await read(watched).catch(() => undefined);
    expect(watched.waits).toEqual(waits);
  });

  it('of 404 that is a web page does not say that somebody is gone', async () => {
    const page = { status: 404, body: '<h1>nothing here</h1>', headers: { 'content-type': 'text/html' } };
    const stub = await stubFor([page]);
    const { client } = clientFor(stub.origin);
    expect(await failureOf(client.call(persons.delete, { id: '42' }))).toMatchObject({ kind: 'refused' });
  });

  it('of a shape that no command can use is not asked for again', async () => {
    const stub = await stubFor([() => ({ json: { id: {} } })]);
    await failureOf(read(clientFor(stub.origin)));
    expect(stub.log).toHaveLength(1);
  });

  it('that is packed as nobody asked for is not unpacked', async () => {
    const body = gzipSync('{"id":42}');
    const stub = await stubFor([() => ({ body, headers: { 'content-encoding': 'br' } })]);
    expect(await failureOf(read(clientFor(stub.origin, { retries: 0 })))).toMatchObject({
      kind: 'unavailable',
    });
  });

  it('that redirects to an address with the key in it does not show it', async () => {
    const stub = await stubFor([{ status: 302, headers: { location: `http://127.0.0.1:1/${KEY}/` } }]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error.message).toContain('redirects to http://127.0.0.1:1/***/');
    expect(`${error.message}${error.hint}`).not.toContain(KEY);
  });
});

it('a link to the next page that is the project itself leaves the lists of the project', () => {
  const base = parseBase('https://eu.posthog.com');
  const following = { base, current: '/api/projects/7/persons/', within: '/api/projects/7' };
  expect(() => reduceNext('/api/projects/7', following)).toThrow('leads out of the project');
  expect(reduceNext('/api/projects/7/persons/?offset=1', following)).toBe(
    '/api/projects/7/persons/?offset=1',
  );
});
