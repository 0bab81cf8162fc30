import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import { failureOf, type Watched } from './make-client.ts';
import { clientFor, proxyFor, stubFor } from './open-stubs.ts';

const { authority, ...own } = readCertificate('server');
const { key, cert } = readCertificate('client');
const certificate = { key, cert };

const read = ({ client }: Watched) => client.call(persons.get, { id: '42' });
const create = ({ client }: Watched) => client.call(insights.create, { name: 'x' });
const erase = ({ client }: Watched) => client.call(persons.bulkDelete, { distinct_ids: ['a'] });

/** A service that wants a certificate of its clients. */
async function startStrict(settings: ServerOptions) {
  const subjects: unknown[] = [];
  const server = createServer(
    { ...own, ca: cert, requestCert: true, rejectUnauthorized: true, ...settings },
    (request, response) => {
      // The socket of an https request is a TLS socket.
      subjects.push((request.socket as import('node:tls').TLSSocket).getPeerCertificate().subject?.CN);
      response.setHeader('content-type', 'application/json');
      response.end('{"id":42}');
    },
  );
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A listening TCP server always has an address of this type.
  const { port } = server.address() as AddressInfo;
  return { origin: `https://127.0.0.1:${port}`, subjects };
}

const versions = [
  ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
  ['TLS 1.3', { minVersion: 'TLSv1.3' }],
] as const;

describe.each(versions)('a service that wants a client certificate, by %s,', (_, settings) => {
  it.each([
    ['a read', read],
    ['a write', create],
    ['a deletion', erase],
  ])(
    'refuses %s without one, which is known not to have been done and is not tried again',
    async (_, call) => {
      const { origin, subjects } = await startStrict(settings);
      const watched = clientFor(origin, { ca: [authority], retries: 3 });
      const error = await failureOf(call(watched));
      expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
      expect(error.hint).toContain('--client-cert and --client-key');
      expect(`${error.message} ${error.hint}`).not.toMatch(/http:/);
      expect(watched.waits).toEqual([]);
      expect(subjects).toEqual([]);
    },
  );

  it.each([
    ['a read', read],
    ['a write', create],
    ['a deletion', erase],
  ])('says so of %s through a proxy as well', async (_, call) => {
    const { origin, subjects } = await startStrict(settings);
    const { origin: https_proxy } = await proxyFor();
    const watched = clientFor(origin, { ca: [authority], retries: 3, environment: { https_proxy } });
    const error = await failureOf(call(watched));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'not-done' });
    expect(error.hint).toContain('--client-cert and --client-key');
    expect(watched.waits).toEqual([]);
    expect(subjects).toEqual([]);
  });

  it('is shown the one that is given', async () => {
    const { origin, subjects } = await startStrict(settings);
    expect(await read(clientFor(origin, { ca: [authority], certificate }))).toEqual({ id: 42 });
    expect(subjects).toEqual(['hogctl-test-client']);
  });

  it('is shown it through a proxy, which is not', async () => {
    const { origin } = await startStrict(settings);
    const proxy = await proxyFor();
    const watched = clientFor(origin, {
      ca: [authority],
      certificate,
      environment: { https_proxy: proxy.origin },
    });
    expect(await read(watched)).toEqual({ id: 42 });
  });
});

describe('a client certificate', () => {
  it.each([
    [{ cert: 'x', key: certificate.key }],
    [{ cert: certificate.cert, key: 'x' }],
    [{ cert: certificate.cert, key: readCertificate('elsewhere').key }],
  ])('that cannot be used is a usage error before anything is sent', async (unfit) => {
    const stub = await stubFor([() => ({ json: { id: 42 } })], { tls: own });
    for (const ca of [[authority], undefined]) {
      const error = await failureOf(read(clientFor(stub.origin, { ca, certificate: unfit })));
      expect(error).toMatchObject({ kind: 'usage' });
      expect(error.message).toContain('the client certificate cannot be used');
    }
    expect(stub.log).toEqual([]);
  });

  it('that a gateway asks for on a page is told by its title and hint', async () => {
    const body = '<html><head><title>400 No required SSL certificate was sent</title></head></html>';
    const stub = await stubFor([{ status: 400, body, headers: { 'content-type': 'text/html' } }]);
    const error = await failureOf(read(clientFor(stub.origin)));
    expect(error.message).toContain(
      'answered 400 with the page "400 No required SSL certificate was sent" (text/html from 127.0.0.1',
    );
    expect(error.hint).toContain('--client-cert');
  });
});
