import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import * as undici from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { insights } from '../../../src/api/endpoints/insights.ts';
import { persons } from '../../../src/api/endpoints/persons.ts';
import { parseBase } from '../../../src/client/base.ts';
import type { ClientSettings } from '../../../src/client/client.ts';
import { isBeforeSending, lossOf } from '../../../src/client/loss.ts';
import { toNetworkError } from '../../../src/client/network-error.ts';
import { chooseProxy } from '../../../src/client/proxy.ts';
import { type StubProxy, type StubProxyOptions, startProxy } from '../../support/stub-proxy.ts';
import {
  readCertificate,
  type Script,
  type Stub,
  type StubOptions,
  startStub,
} from '../../support/stub-server.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function stubFor(script: Script, options?: StubOptions): Promise<Stub> {
  const stub = await startStub(script, options);
  closing.push(stub.close);
  return stub;
}

async function proxyFor(options?: StubProxyOptions): Promise<StubProxy> {
  const proxy = await startProxy(options);
  closing.push(proxy.close);
  return proxy;
}

function clientFor(base: string, settings: Partial<ClientSettings> = {}): Watched {
  const watched = makeClient(base, { retries: 1, ...settings });
  closing.push(watched.client.close);
  return watched;
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });
const PERSON = { json: { id: 42 } };

describe('no connection', () => {
  it('that is refused is tried again for every row, and known not to have run', async () => {
    const port = await freePort();
    const watched = clientFor(`http://127.0.0.1:${port}`, { retries: 2 });
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toBe(`127.0.0.1:${port} refused the connection`);
    expect(watched.waits).toHaveLength(2);
  });

  it('because the port speaks no https', async () => {
    const stub = await stubFor([() => PERSON]);
    const error = await failureOf(create(clientFor(stub.origin.replace('http:', 'https:'))));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toContain('no secure connection');
    expect(error.hint).toContain('http://');
  });
});

describe('O-43 a private certificate authority', () => {
  const { key, cert, authority } = readCertificate('server');

  it('that is not trusted: names the problem and both remedies, never switching checks off', async () => {
    const stub = await stubFor([() => PERSON], { tls: { key, cert } });
    const watched = clientFor(stub.origin);
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toMatch(
      /certificate of 127\.0\.0\.1:\d+ is not accepted: it is signed by an authority that is not trusted here/,
    );
    expect(error.hint).toMatch(/--ca-file or NODE_EXTRA_CA_CERTS/);
    expect(`${error.message}${error.hint}`).not.toMatch(/reject|insecure|NODE_TLS/i);
    expect(watched.waits).toEqual([]);
    expect(stub.log).toEqual([]);
  });

  it('that is trusted works', async () => {
    const stub = await stubFor([PERSON], { tls: { key, cert } });
    expect(await read(clientFor(stub.origin, { ca: authority }))).toEqual({ id: 42 });
  });

  it('whose certificate is for another name', async () => {
    const other = readCertificate('elsewhere');
    const stub = await stubFor([() => PERSON], { tls: other });
    const error = await failureOf(read(clientFor(stub.origin, { ca: [authority] })));
    expect(error.message).toContain('it is for another name (ERR_TLS_CERT_ALTNAME_INVALID)');
  });

  it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n'])(
    'that cannot be read is a usage error: %j',
    async (ca) => {
      const error = await failureOf(read(clientFor('https://127.0.0.1:9', { ca })));
      expect(error.kind).toBe('usage');
      expect(error.hint).toContain('--ca-file');
    },
  );
});

describe('O-41 proxies', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s carries http', async (name) => {
    const [stub, proxy] = [await stubFor([PERSON]), await proxyFor()];
    expect(await read(clientFor(stub.origin, { proxy: { [name]: proxy.origin } }))).toEqual({ id: 42 });
    expect(proxy.tunnels).toEqual([`127.0.0.1:${stub.port}`]);
  });

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY'])(
    '%s carries https, with credentials',
    async (name) => {
      const { key, cert, authority } = readCertificate('server');
      const proxy = await proxyFor({ credentials: { user: 'me', password: 'p@ss/w' } });
      const stub = await stubFor([PERSON], { tls: { key, cert } });
      expect(await read(clientFor(stub.origin, { ca: authority, proxy: { [name]: proxy.url } }))).toEqual({
        id: 42,
      });
      expect(proxy.tunnels).toHaveLength(1);
    },
  );

  it.each([
    ['*', true],
    ['127.0.0.1', true],
    ['example.org, 127.0.0.1:PORT', true],
    ['127.0.0.1:1', false],
    ['example.org', false],
  ])('NO_PROXY %s: direct %s', async (list, direct) => {
    const [stub, proxy] = [await stubFor([PERSON]), await proxyFor()];
    const noProxy = list.replace('PORT', String(stub.port));
    await read(clientFor(stub.origin, { proxy: { HTTP_PROXY: proxy.origin, NO_PROXY: noProxy } }));
    expect(proxy.tunnels).toHaveLength(direct ? 0 : 1);
  });

  it('NO_PROXY covers subdomains, with or without a dot or star', () => {
    const base = parseBase('https://eu.posthog.com');
    for (const name of ['posthog.com', '.posthog.com', '*.posthog.com', 'EU.posthog.com']) {
      expect(chooseProxy({ HTTPS_PROXY: 'http://p', no_proxy: name }, base)).toBeUndefined();
    }
    expect(chooseProxy({ HTTPS_PROXY: 'p:3128', no_proxy: 'hog.com' }, base)).toEqual({
      origin: 'http://p:3128',
      authorization: undefined,
      variable: 'HTTPS_PROXY',
    });
  });

  it('HTTPS_PROXY says nothing about http', () => {
    expect(chooseProxy({ HTTPS_PROXY: 'http://p', HTTP_PROXY: ' ' }, parseBase('http://h'))).toBeUndefined();
  });

  it.each([
    'http://',
    'http://us er:secret@:x',
    'socks5://me:secret@h:1',
    'me:secret@h:port',
    'http://me:secr%et@h:1',
  ])('a value that cannot be used is named without its credentials: %s', (value) => {
    const choose = () => chooseProxy({ https_proxy: value }, parseBase('https://h'));
    expect(choose).toThrow(/https_proxy/);
    expect(choose).not.toThrow(/secr/);
  });

  it('one that refuses: says so with its address, and shows no credentials', async () => {
    const proxy = await proxyFor({ credentials: { user: 'me', password: 'right' } });
    const watched = clientFor('http://127.0.0.1:9', {
      proxy: { HTTP_PROXY: proxy.url.replace('right', 'wrong') },
    });
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toBe(
      `the proxy refused a tunnel to 127.0.0.1:9 (407, it wants credentials) (through the proxy ${proxy.origin} of HTTP_PROXY)`,
    );
    expect(error.hint).toContain('HTTP_PROXY');
    expect(watched.waits).toEqual([]);
  });

  it('one that is not there: the failure mentions it', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(read(clientFor('http://127.0.0.1:9', { proxy: { ALL_PROXY: address } })));
    expect(error.message).toContain(`(through the proxy ${address} of ALL_PROXY)`);
  });

  it('are mentioned in the errors of the service', async () => {
    const [stub, proxy] = [await stubFor([{ status: 403 }]), await proxyFor()];
    const error = await failureOf(read(clientFor(stub.origin, { proxy: { HTTP_PROXY: proxy.origin } })));
    expect(error.message).toContain('through the proxy');
  });
});

describe('redirects', () => {
  const to = (location: string, status = 302) => ({ status, headers: { location } });

  it('of a read are followed on the same origin', async () => {
    const stub = await stubFor([to('/x/?a=1'), to('y/', 308), PERSON]);
    expect(await read(clientFor(stub.origin))).toEqual({ id: 42 });
    expect(stub.log.map(({ url }) => url)).toEqual(['/api/projects/7/persons/42/', '/x/?a=1', '/x/y/']);
  });

  it('to another origin are refused, and the key does not go there', async () => {
    const other = await stubFor([() => PERSON]);
    const stub = await stubFor([to(`${other.origin}/api/?token=secret`)]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error).toMatchObject({ kind: 'refused', status: 302, outcome: 'not-done' });
    expect(error.message).toContain(`${other.origin}/api/`);
    expect(error.message).not.toContain('secret');
    expect(other.connections()).toBe(0);
  });

  it('of a write are an error that names the new address', async () => {
    const stub = await stubFor([to('/elsewhere/', 307), () => PERSON]);
    const error = await failureOf(create(clientFor(stub.origin)));
    expect(error).toMatchObject({ kind: 'refused', status: 307, outcome: 'not-done' });
    expect(error.message).toContain(`redirects to ${stub.origin}/elsewhere/ (status 307)`);
    expect(stub.log).toHaveLength(1);
  });

  it('of a POSTed read are followed only where the method stays', async () => {
    const stub = await stubFor([to('/a/', 303), to('/b/', 307), PERSON]);
    const { client } = clientFor(stub.origin);
    expect(await failureOf(client.call(persons.funnel, {}))).toMatchObject({ status: 303 });
    await client.call(persons.funnel, {});
    expect(stub.log.at(-1)).toMatchObject({ method: 'POST', url: '/b/', body: '{}' });
  });

  it('in circles end after a few hops', async () => {
    const stub = await stubFor([() => to('/again/')]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error.kind).toBe('unavailable');
    expect(error.message).toContain('in circles');
    expect(stub.log).toHaveLength(4);
  });

  it('without an address are an error', async () => {
    const stub = await stubFor([{ status: 302 }, to('http://[')]);
    const watched = clientFor(stub.origin);
    expect(await failureOf(read(watched))).toMatchObject({ kind: 'refused', status: 302 });
    expect(await failureOf(read(watched))).toMatchObject({ kind: 'refused', status: 302 });
  });
});

describe('undici', () => {
  it('is loaded with the first request, once, and without its own limits of 300 seconds', async () => {
    const stub = await stubFor([() => PERSON]);
    const options: unknown[] = [];
    let loads = 0;
    class Pool extends undici.Pool {
      constructor(origin: string, settings: undici.Pool.Options) {
        super(origin, settings);
        options.push(settings);
      }
    }
    const watched = clientFor(stub.origin, {
      timeout: 3_600_000,
      loadUndici: async () => {
        loads += 1;
        return { Pool, EnvHttpProxyAgent: undici.EnvHttpProxyAgent };
      },
    });
    watched.client.describe(persons.list, {});
    expect(loads).toBe(0);
    await Promise.all([read(watched), read(watched)]);
    await read(watched);
    expect(loads).toBe(1);
    expect(options).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
  });

  it('keeps connections for the next request', async () => {
    const stub = await stubFor([() => PERSON]);
    const watched = clientFor(stub.origin);
    for (let count = 0; count < 3; count += 1) await read(watched);
    expect(stub.connections()).toBe(1);
  });

  it('is not needed to close a client that sent nothing', async () => {
    await expect(makeClient('http://127.0.0.1:9').client.close()).resolves.toBeUndefined();
  });
});

describe('reasons of network errors', () => {
  it.each([
    [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'unreachable'],
    [{ code: 'ETIMEDOUT', syscall: 'read' }, 'lost'],
    [{ errors: [{ code: 'ENETUNREACH' }] }, 'unreachable'],
    [{ errors: [] }, 'lost'],
    [{ code: 'EAI_AGAIN' }, 'unreachable'],
    [{ code: 'ENOTFOUND' }, 'name'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'certificate'],
    [{ code: 'UND_ERR_ABORTED' }, 'lost'],
    [undefined, 'lost'],
  ])('%j is %s', (cause, reason) => {
    expect(lossOf(cause, false)).toBe(reason);
  });

  it.each([
    ['CERT_HAS_EXPIRED', /has expired/],
    ['CERT_SOMETHING_NEW', /not accepted: CERT_SOMETHING_NEW/],
  ])('%s in plain words', (code, words) => {
    const where = { host: 'h', projectId: undefined, proxy: undefined, redact: (text: string) => text };
    const error = toNetworkError(
      { reason: 'certificate', cause: { code } },
      { effect: 'write', where, timeout: 1 },
    );
    expect(error.message).toMatch(words);
  });

  it('say whether anything was sent', () => {
    expect([isBeforeSending('refused'), isBeforeSending('lost')]).toEqual([true, false]);
  });

  it('say how a host cannot be reached, and for how long an answer was waited for', () => {
    const where = { host: 'h', projectId: undefined, proxy: undefined, redact: (text: string) => text };
    const failed = { effect: 'read', where, timeout: 300_000 } as const;
    expect(toNetworkError({ reason: 'unreachable', cause: new Error('no route') }, failed).message).toBe(
      'h cannot be reached: no route',
    );
    expect(toNetworkError({ reason: 'unreachable', cause: 'odd' }, failed).message).toBe(
      'h cannot be reached: odd',
    );
    expect(toNetworkError({ reason: 'name', cause: undefined }, failed)).toMatchObject({
      kind: 'unavailable',
      outcome: 'not-done',
      message: 'there is no host called h',
    });
    expect(toNetworkError({ reason: 'timeout', cause: undefined }, failed).message).toBe(
      'h gave no whole answer within 5 min',
    );
    expect(toNetworkError({ reason: 'proxy', cause: new Error('x') }, failed).message).toBe(
      'the proxy refused a tunnel to h',
    );
    expect(toNetworkError({ reason: 'cut', cause: undefined }, failed).message).toBe(
      'the answer of h broke off (status unknown)',
    );
  });
});
