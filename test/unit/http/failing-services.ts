import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { readCertificate, readOther } from '../../support/read-certificate.ts';
import type { StubProxyOptions } from '../../support/stub-proxy.ts';
import type { StubAnswer } from '../../support/stub-server.ts';
import { proxyFor, stubFor } from './open-stubs.ts';

/** Where a request goes that fails, and with what settings. */
export type Opened = { readonly base: string; readonly settings?: Partial<ClientSettings> };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A listening TCP server always has an address of this type.
  return (server.address() as AddressInfo).port;
}

/** Writes this to whoever sends something, and closes the connection. */
export const raw = (text: string) => async (): Promise<Opened> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(text));
  });
  return { base: `http://127.0.0.1:${await listening(server)}` };
};

export const { authority, ...good } = readCertificate('server');

/** A server with TLS that answers each request as a gateway does that has nothing to say. */
export const secure =
  (options: ServerOptions, settings: Partial<ClientSettings> = {}) =>
  async (): Promise<Opened> => {
    const server = createSecureServer(options, (_, response) => response.end('{}'));
    server.on('tlsClientError', () => undefined);
    const port = await listening(server);
    onTestFinished(() => server.closeAllConnections());
    return { base: `https://127.0.0.1:${port}`, settings };
  };

/** A service behind a proxy. */
export const proxied =
  (options: StubProxyOptions, how: { readonly wrong?: RegExp } = {}) =>
  async (): Promise<Opened> => {
    const stub = await stubFor([() => ({ json: { id: 42 } })], { tls: good });
    const proxy = await proxyFor(options);
    const HTTPS_PROXY = how.wrong === undefined ? proxy.origin : proxy.origin.replace(how.wrong, 'https:');
    return { base: stub.origin, settings: { ca: [authority], environment: { HTTPS_PROXY } } };
  };

export const answers = (answer: StubAnswer) => async (): Promise<Opened> => ({
  base: (await stubFor([() => answer])).origin,
});

export const page = (status: number, title: string) =>
  answers({ status, headers: { 'content-type': 'text/html' }, body: `<html><title>${title}</title></html>` });

export const other = (name: 'chained' | 'expired' | 'early', ca: 'root' | 'none' = 'root') => {
  const { key, cert, authority: root } = readOther(name);
  return secure({ key, cert }, ca === 'root' ? { ca: [root] } : {});
};

const _OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Key and certificate alone. */
export function keyPair(name: 'chained'): { key: string; cert: string } {
  const { key, cert } = readOther(name);
  return { key, cert };
}

export const refusedTunnel = (refuse: number, schemes?: readonly string[]) =>
  proxied({ refuse, ...(schemes && { schemes }) });
