import { describe, expect, it } from 'vitest';
import { chooseProxy, parseBase } from '../../../src/http/build-request.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import { failureOf, KEY, type Watched } from './make-client.ts';
import { CLOSED_PORT, clientFor, proxyFor, stubFor } from './open-stubs.ts';

const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });
const PERSON = { json: { id: 42 } };

describe('NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

  it('is refused before a key goes to a service with TLS, or to a proxy with it', async () => {
    const { key, cert } = readCertificate('server');
    const stub = await stubFor([() => PERSON], { tls: { key, cert } });
    let asked = 0;
    const ask = async (): Promise<string> => {
      asked += 1;
      return KEY;
    };
    for (const one of [
      clientFor(stub.origin, { environment, key: ask }),
      clientFor('http://127.0.0.1:9', {
        environment: { ...environment, HTTP_PROXY: 'https://127.0.0.1:9' },
        key: ask,
      }),
    ]) {
      const error = await failureOf(read(one));
      expect(error).toMatchObject({ kind: 'usage' });
      expect(error.message).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0');
    }
    expect([stub.log, stub.connections(), asked]).toEqual([[], 0, 0]);
  });

  it('means nothing without TLS', async () => {
    const stub = await stubFor([PERSON]);
    expect(await read(clientFor(stub.origin, { environment }))).toEqual({ id: 42 });
  });
});

describe('proxies', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])('%s carries http', async (name) => {
    const [stub, proxy] = [await stubFor([PERSON]), await proxyFor()];
    expect(await read(clientFor(stub.origin, { environment: { [name]: proxy.origin } }))).toEqual({ id: 42 });
    expect(proxy.tunnels).toEqual([`127.0.0.1:${stub.port}`]);
  });

  it.each(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY'])(
    '%s carries https, with credentials',
    async (name) => {
      const { key, cert, authority } = readCertificate('server');
      const proxy = await proxyFor({ credentials: { user: 'me', password: 'p@ss/w' } });
      const stub = await stubFor([PERSON], { tls: { key, cert } });
      expect(
        await read(clientFor(stub.origin, { ca: [authority], environment: { [name]: proxy.url } })),
      ).toEqual({
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
    await read(clientFor(stub.origin, { environment: { HTTP_PROXY: proxy.origin, NO_PROXY: noProxy } }));
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

  it.each(['::1', '[::1]', '[::1]:8000'])('NO_PROXY covers an address of IPv6: %s', (entry) => {
    const base = parseBase('http://[::1]:8000');
    expect(chooseProxy({ HTTP_PROXY: 'http://p', NO_PROXY: entry }, base)).toBeUndefined();
    expect(chooseProxy({ HTTP_PROXY: 'http://p', NO_PROXY: '::2,[::1]:8001' }, base)).toBeDefined();
  });

  it.each([
    ['http://10.1.2.3', '10.0.0.0/8', true],
    ['http://11.1.2.3', '10.0.0.0/8', false],
    ['http://10.1.2.3', 'a,10.1.2.2/31 b', true],
    ['http://10.1.2.3', '10.0.0.0/33', false],
    ['http://10.1.2.3', '10.0.0.0/0', true],
    ['http://[fd00::5]', 'fd00::/8', true],
    ['http://[fd00::5]', '[fd00::]/8', true],
    ['http://[fd00::5]', '10.0.0.0/0', false],
    ['http://[::ffff:10.1.2.3]', '11.0.0.0/8', false],
    ['http://host.example.org', '10.0.0.0/0', false],
    ['http://host', '<local>', true],
    ['http://host.example.org', '<local>', false],
    ['http://10.1.2.3', '<local>', false],
    ['http://[::1]', '<local>', false],
    ['http://localhost', 'localhost.', true],
    ['http://host.example.org', 'example.org;other', true],
  ])('NO_PROXY for %s: %s covers it: %s', (address, NO_PROXY, direct) => {
    const chosen = chooseProxy({ HTTP_PROXY: 'http://p', NO_PROXY }, parseBase(address));
    expect(chosen === undefined).toBe(direct);
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
      environment: { HTTP_PROXY: proxy.url.replace('right', 'wrong') },
    });
    const error = await failureOf(create(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.message).toBe(
      `the proxy requires a login, by Basic (407) (through the proxy ${proxy.origin} of HTTP_PROXY)`,
    );
    expect(error.hint).toContain('HTTP_PROXY');
    expect(watched.waits).toEqual([]);
  });

  it('one that opens no tunnel to a service without TLS is handed the requests', async () => {
    const stub = await stubFor([{ json: { id: 42 }, times: 5 }]);
    const proxy = await proxyFor({
      refuse: 403,
      tunnelsOnly: true,
      credentials: { user: 'me', password: 'p' },
    });
    const watched = clientFor(stub.origin, { environment: { HTTP_PROXY: proxy.url } });
    const all = await Promise.all([read(watched), read(watched), read(watched)]);
    expect(all).toEqual([{ id: 42 }, { id: 42 }, { id: 42 }]);
    expect(await read(watched)).toEqual({ id: 42 });
    expect(proxy.plain).toEqual(Array(4).fill(`${stub.origin}/api/projects/7/persons/42/`));
    expect(stub.log[0]?.headers).toMatchObject({ host: `127.0.0.1:${stub.port}` });
    expect(stub.log[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.tunnels).toHaveLength(3);
  });

  it('one that wants another login for them says so', async () => {
    const proxy = await proxyFor({
      refuse: 405,
      credentials: { user: 'me', password: 'p' },
      schemes: ['NTLM'],
    });
    const watched = clientFor('http://127.0.0.1:9', { environment: { HTTP_PROXY: proxy.origin } });
    const error = await failureOf(read(watched));
    expect(error.message).toMatch(/^the proxy requires a login, by NTLM \(407\)/);
    expect(watched.waits).toEqual([]);
  });

  it('never get a request for a service with TLS but through a tunnel', async () => {
    const { key, cert, authority } = readCertificate('server');
    const stub = await stubFor([PERSON], { tls: { key, cert } });
    const proxy = await proxyFor({ refuse: 403, tunnelsOnly: true });
    const watched = clientFor(stub.origin, { ca: [authority], environment: { HTTPS_PROXY: proxy.origin } });
    expect((await failureOf(read(watched))).message).toMatch(/^the proxy does not permit/);
    expect(proxy.plain).toEqual([]);
  });

  it('one that is not there: the failure mentions it', async () => {
    const address = `http://127.0.0.1:${CLOSED_PORT}`;
    const error = await failureOf(
      read(clientFor('http://127.0.0.1:9', { environment: { ALL_PROXY: address } })),
    );
    expect(error.message).toBe(
      `the proxy refused the connection (through the proxy ${address} of ALL_PROXY)`,
    );
  });

  it('are mentioned in the errors of the service', async () => {
    const [stub, proxy] = [await stubFor([{ status: 403 }]), await proxyFor()];
    const error = await failureOf(
      read(clientFor(stub.origin, { environment: { HTTP_PROXY: proxy.origin } })),
    );
    expect(error.message).toContain('through the proxy');
  });
});
