import { afterAll, onTestFinished } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { type StubProxy, type StubProxyOptions, startProxy } from '../../support/stub-proxy.ts';
import { type Script, type Stub, type StubOptions, startStub } from '../../support/stub-server.ts';
import { makeClient, type Watched } from './make-client.ts';

/** A stub server that is closed with the test. */
export async function stubFor(script: Script, options?: StubOptions): Promise<Stub> {
  const stub = await startStub(script, options);
  onTestFinished(stub.close);
  return stub;
}

/** A stub proxy that is closed with the test. */
export async function proxyFor(options?: StubProxyOptions): Promise<StubProxy> {
  const proxy = await startProxy(options);
  onTestFinished(proxy.close);
  return proxy;
}

/** A client with one further try that is closed with the test. */
export function clientFor(base: string, settings: Partial<ClientSettings> = {}): Watched {
  const watched = makeClient(base, { retries: 1, ...settings });
  onTestFinished(watched.client.close);
  return watched;
}

/** A stub server and a client of it, both closed with the test. */
export async function openBoth(
  script: Script,
  settings: Partial<ClientSettings> = {},
): Promise<{ stub: Stub; watched: Watched }> {
  const stub = await stubFor(script);
  const watched = makeClient(stub.origin, settings);
  onTestFinished(watched.client.close);
  return { stub, watched };
}

/** A service whose lists are empty and a client of it, for all tests of a file. */
export async function openForFile(): Promise<{ stub: Stub; watched: Watched }> {
  const stub = await startStub([() => ({ json: { results: [] } })]);
  const watched = makeClient(stub.origin);
  afterAll(async () => {
    await watched.client.close();
    await stub.close();
  });
  return { stub, watched };
}

/** A port on which no service listens, too low to be given to a server that asks for a free one. */
export const CLOSED_PORT = 1;

/** The answer of a service that asks to wait, as the live one writes it. */
export const BUSY = {
  status: 429,
  json: { type: 'throttled_error', code: 'throttled', detail: 'Expected available in 3 seconds.' },
};
