import { describe, expect, it } from 'vitest';
import { failureOf, isBeforeSending, NoTunnel, schemesIn } from '../../../src/http/failure.ts';
import { toNetworkError } from '../../../src/http/network-error.ts';
import { persons } from '../../../src/service/persons.ts';
import { authority, good, type Opened, raw, refusedTunnel } from './failing-services.ts';
import { failureOf as endOf } from './make-client.ts';
import { CLOSED_PORT, clientFor, proxyFor, stubFor } from './open-stubs.ts';

const where = { host: 'h', projectId: undefined, proxy: undefined, redact: (text: string) => text };

describe('reasons of network errors', () => {
  it.each([
    [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'unreachable'],
    [{ code: 'ETIMEDOUT', syscall: 'read' }, 'lost'],
    [{ code: 'UND_ERR_SOCKET' }, 'lost'],
    [{ errors: [{ code: 'ENETUNREACH' }] }, 'unreachable'],
    [{ errors: [] }, 'lost'],
    [{ code: 'EAI_AGAIN' }, 'unreachable'],
    [{ code: 'ENOTFOUND' }, 'name'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'certificate'],
    [undefined, 'lost'],
  ])('%j is %s', (cause, reason) => {
    expect(failureOf(cause)).toEqual({ reason, cause });
  });

  it.each([
    ['CERT_REVOKED', /has been revoked/],
    ['CERT_SOMETHING_NEW', /not accepted: CERT_SOMETHING_NEW/],
  ])('%s in plain words', (code, words) => {
    const failed = { effect: 'write', where, timeout: 1 } as const;
    expect(toNetworkError({ reason: 'certificate', cause: { code } }, failed).message).toMatch(words);
  });

  it('say whether anything was sent', () => {
    const sent = [{ reason: 'refused' }, { reason: 'lost' }, { reason: 'not http', atProxy: true }] as const;
    expect(sent.map(isBeforeSending)).toEqual([true, false, true]);
  });

  it('say how a host cannot be reached, and for how long an answer was waited for', () => {
    const failed = { effect: 'read', where, timeout: 300_000 } as const;
    const said = (reason: Parameters<typeof toNetworkError>[0]['reason'], cause: unknown, status?: number) =>
      toNetworkError({ reason, cause, status }, failed).message;
    expect(said('unreachable', new Error('no route'))).toBe('h cannot be reached: no route');
    expect(said('unreachable', 'odd')).toBe('h cannot be reached: odd');
    expect(said('name', undefined)).toBe('the host h was not found');
    expect(said('timeout', undefined)).toBe('h did not answer completely within 5 min');
    expect(said('cut', undefined, 200)).toBe('the answer of h was cut off (status 200)');
  });

  it('name the proxy where it is what cannot be reached', () => {
    const proxy = { origin: 'http://p:3128', authorization: undefined, variable: 'HTTPS_PROXY' };
    const failure = failureOf(new NoTunnel({ cause: { code: 'ENOTFOUND' } }));
    const error = toNetworkError(failure, { effect: 'read', where: { ...where, proxy }, timeout: 1 });
    expect(error.message).toBe('the host p was not found (through the proxy http://p:3128 of HTTPS_PROXY)');
    expect(error.hint).toBe('check the URL in HTTPS_PROXY');
  });
});

describe('the schemes of a login', () => {
  it.each([
    [undefined, []],
    ['Basic realm="a, b"', ['Basic']],
    [
      ['Negotiate', 'NTLM', 'Basic realm="x", charset="UTF-8"'],
      ['Negotiate', 'NTLM', 'Basic'],
    ],
    ['Digest realm="x", qop="auth", nonce="1", Basic realm="y"', ['Digest', 'Basic']],
  ])('in %j', (header, schemes) => {
    expect(schemesIn(header)).toEqual(schemes);
  });
});

it('a deletion goes on once the proxy reaches the service', async () => {
  const stub = await stubFor([() => ({ status: 204 })], { tls: good });
  const proxy = await proxyFor({ refuse: 503, times: 2 });
  const environment = { HTTPS_PROXY: proxy.origin };
  const watched = clientFor(stub.origin, { ca: [authority], environment, retries: 4 });
  await watched.client.call(persons.delete, { id: '42' });
  expect([watched.waits.length, stub.log.length, proxy.tunnels.length]).toEqual([2, 1, 3]);
});

it.each([
  ['refused (ECONNREFUSED)', async () => ({ base: `http://127.0.0.1:${CLOSED_PORT}` })],
  ['not http (Response does not match the HTTP/1.1 protocol (Expected HTTP/', raw('SSH-2.0-OpenSSH_9.2\r\n')],
  ['no way (503), at the proxy', refusedTunnel(503)],
])('a trace names the cause: %s', async (cause, open: () => Promise<Opened>) => {
  const { base, settings } = await open();
  const watched = clientFor(base, { ...settings, retries: 0 });
  await endOf(watched.client.call(persons.get, { id: '42' }));
  expect(watched.trace[0]).toContain(`no answer: ${cause}`);
});
