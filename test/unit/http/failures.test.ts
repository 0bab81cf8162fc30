import { describe, expect, it } from 'vitest';
import type { ErrorKind } from '../../../src/errors.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import {
  answers,
  authority,
  good,
  keyPair,
  type Opened,
  other,
  page,
  proxied,
  raw,
  refusedTunnel,
  secure,
} from './failing-services.ts';
import { failureOf } from './make-client.ts';
import { CLOSED_PORT, clientFor, stubFor } from './open-stubs.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

type Row = readonly [
  what: string,
  open: () => Promise<Opened>,
  /** Whether a read, a write and a deletion are tried again. */
  again: string,
  /** What a read and a write end as. */
  kinds: readonly [read: ErrorKind, write: ErrorKind],
  said: RegExp,
  hint: RegExp,
];

const never = ['unavailable', 'unavailable'] as const;
const unsure = ['unavailable', 'partial'] as const;
const gateway = ['refused', 'refused'] as const;

const rows: readonly Row[] = [
  [
    'nobody listens',
    async () => ({ base: `http://127.0.0.1:${CLOSED_PORT}` }),
    'all',
    never,
    /refused the connection/,
    /host and the network/,
  ],
  ['a connection that ends at once', raw(''), 'read', unsure, /was lost before an answer/, /again later/],
  [
    'one that ends in the headers',
    raw('HTTP/1.1 200 OK\r\nContent-'),
    'read',
    unsure,
    /was lost before an answer/,
    /again later/,
  ],
  [
    'one that ends in the body',
    raw(`${OK}Content-Length: 9\r\n\r\n{`),
    'read',
    unsure,
    /was cut off \(status 200\)/,
    /again later/,
  ],

  [
    'another protocol',
    raw('SSH-2.0-OpenSSH_9.2\r\n'),
    'none',
    unsure,
    /is not HTTP \(Expected HTTP/,
    /host and port, and the proxies/,
  ],
  [
    'lines that end with LF',
    raw('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'),
    'none',
    unsure,
    /is not HTTP/,
    /proxies/,
  ],
  [
    'a space before a colon',
    raw('HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n{}'),
    'none',
    unsure,
    /is not HTTP/,
    /proxies/,
  ],
  [
    'two lengths',
    raw(`${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`),
    'none',
    unsure,
    /is not HTTP/,
    /proxies/,
  ],
  [
    'a length beside parts',
    raw(`${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    'none',
    unsure,
    /is not HTTP/,
    /proxies/,
  ],
  [
    'a part without a size',
    raw(`${OK}Transfer-Encoding: chunked\r\n\r\nx\r\n`),
    'none',
    unsure,
    /is not HTTP/,
    /proxies/,
  ],
  [
    'headers of 70 KB',
    raw(`${OK}X: ${'a'.repeat(70_000)}\r\n\r\n{}`),
    'none',
    unsure,
    /headers of more than 64 KB/,
    /gateways/,
  ],

  [
    'a proxy that is not there',
    async () => ({
      base: 'https://127.0.0.1:9',
      settings: { environment: { HTTPS_PROXY: `http://127.0.0.1:${CLOSED_PORT}` } },
    }),
    'all',
    never,
    /^the proxy refused the connection/,
    /URL in HTTPS_PROXY/,
  ],
  ...[500, 502, 503, 504].map(
    (status): Row => [
      `${status} of a proxy`,
      refusedTunnel(status),
      'all',
      never,
      new RegExp(`^the proxy could not reach 127.0.0.1:\\d+ \\(${status}\\)`),
      /later/,
    ],
  ),
  [
    'a proxy that closes',
    proxied({ raw: '' }),
    'all',
    never,
    /^the proxy cannot be reached/,
    /URL in HTTPS_PROXY/,
  ],
  [
    'a proxy that is none',
    proxied({ raw: 'SSH-2.0-OpenSSH_9.2\r\n' }),
    'none',
    never,
    /^the proxy answered something that is not HTTP/,
    /proxies/,
  ],
  [
    '403 of a proxy',
    refusedTunnel(403),
    'none',
    never,
    /^the proxy does not permit 127.0.0.1:\d+ \(403\)/,
    /permit this host and port/,
  ],
  [
    '405 of a proxy',
    refusedTunnel(405),
    'none',
    never,
    /^the proxy does not permit .* \(405\)/,
    /URL in HTTPS_PROXY/,
  ],
  [
    '407 of a proxy',
    refusedTunnel(407),
    'none',
    never,
    /^the proxy requires a login, by Basic \(407\)/,
    /name and password in HTTPS_PROXY/,
  ],
  [
    '407 with schemes that we lack',
    refusedTunnel(407, ['NTLM', 'Negotiate']),
    'none',
    never,
    /login, by NTLM or Negotiate \(407\)/,
    /log in with Basic/,
  ],
  [
    'a proxy whose certificate is unknown',
    proxied({ tls: keyPair('chained') }),
    'none',
    never,
    /^the certificate of the proxy is not accepted/,
    /--ca-file/,
  ],
  [
    'a proxy without https',
    proxied({}, { wrong: /^http:/ }),
    'none',
    never,
    /^no secure connection to the proxy: ERR_SSL/,
    /begins with http:\/\//,
  ],

  [
    'an unknown authority',
    other('chained', 'none'),
    'none',
    never,
    /^the certificate of 127.0.0.1:\d+ is not accepted/,
    /--ca-file/,
  ],
  [
    'a missing intermediate',
    other('chained'),
    'none',
    never,
    /neither trusted here nor sent with it/,
    /intermediate certificate/,
  ],
  ['an expired certificate', other('expired'), 'none', never, /it has expired/, /clock/],
  ['one of tomorrow', other('early'), 'none', never, /not valid yet/, /clock/],
  [
    'one for another name',
    secure(readCertificate('elsewhere'), { ca: [authority] }),
    'none',
    never,
    /for another name/,
    /host/,
  ],
  ['one signed by itself', secure(readCertificate('client')), 'none', never, /signed by itself/, /--ca-file/],
  [
    'TLS 1.1 only',
    secure(
      { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      { ca: [authority] },
    ),
    'none',
    never,
    /no version of TLS that is used here/,
    /1\.2 or 1\.3/,
  ],
  [
    'no https at all',
    async () => ({ base: (await stubFor([])).origin.replace('http:', 'https:') }),
    'none',
    never,
    /no secure connection to 127/,
    /does not speak https/,
  ],

  [
    'a filter',
    page(403, 'Blocked by web filter'),
    'none',
    gateway,
    /^127.0.0.1:\d+ answered 403 with the page "Blocked/,
    /firewall or filter.*nothing about the key/,
  ],
  [
    'a challenge',
    answers({
      status: 403,
      body: '<title>Just a moment...</title>',
      headers: { 'content-type': 'text/html', 'cf-mitigated': 'challenge' },
    }),
    'none',
    gateway,
    /"Just a moment\.\.\."/,
    /nothing about the key/,
  ],
  [
    'a gateway with a login',
    page(401, 'Authorization Required'),
    'none',
    gateway,
    /answered 401 with the page/,
    /login of its own.*nothing about the key/,
  ],
  [
    'a filter that writes plain text',
    answers({ status: 403, body: 'RBAC: access denied', headers: { 'content-type': 'text/plain' } }),
    'none',
    gateway,
    /403: RBAC: access denied/,
    /nothing about the key/,
  ],
  ['a proxy behind the proxy', page(407, 'Proxy'), 'none', gateway, /answered 407/, /nothing about the key/],
  ['a network that wants a sign-in', page(511, 'Sign in'), 'none', unsure, /answered 511/, /sign in first/],
  [
    '502 of a gateway',
    page(502, 'Bad Gateway'),
    'read',
    unsure,
    /answered 502 with the page "Bad Gateway"/,
    /again later/,
  ],
  ['504 of a gateway', page(504, 'Gateway Time-out'), 'read', unsure, /answered 504/, /waited too long/],
  [
    'a certificate that a gateway does not take',
    page(400, '400 The SSL certificate error'),
    'none',
    gateway,
    /SSL certificate error/,
    /check --client-cert/,
  ],
  [
    'one that it misses',
    page(400, '400 No required SSL certificate was sent'),
    'none',
    gateway,
    /No required SSL/,
    /give one with --client-cert/,
  ],
];

describe.each(rows)('%s', (_, open, again, [readKind, writeKind], said, hint) => {
  it('is told by its cause, and tried again only if that may help', async () => {
    const { base, settings } = await open();
    const watched = clientFor(base, settings);
    const read = await failureOf(watched.client.call(persons.get, { id: '42' }));
    expect(read).toMatchObject({ kind: readKind, outcome: 'not-done' });
    expect(read.message).toMatch(said);
    expect(read.hint).toMatch(hint);
    expect(watched.waits).toHaveLength(again === 'none' ? 0 : 1);
  });

  it('says of a write whether it may have been done', async () => {
    const { base, settings } = await open();
    const watched = clientFor(base, settings);
    const write = await failureOf(watched.client.call(insights.create, { name: 'x' }));
    expect(write).toMatchObject({
      kind: writeKind,
      outcome: writeKind === 'partial' ? 'unknown' : 'not-done',
    });
    expect(watched.waits).toHaveLength(again === 'all' ? 1 : 0);
  });
});
