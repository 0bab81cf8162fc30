import { describe, expect, it } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Script, Stub } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { BUSY, openBoth } from './open-stubs.ts';

const PERSON = { id: 42, name: 'Ana' };

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const read = () => watched.client.call(persons.get, { id: '42' });
const create = () => watched.client.call(insights.create, { name: 'x' });
const destroy = () => watched.client.call(persons.delete, { id: '42' });

describe('our own timeout', () => {
  it.each([
    ['read', () => read(), 'unavailable', 'not-done'],
    ['deletion', () => destroy(), 'unavailable', 'unknown'],
    ['write', () => create(), 'partial', 'unknown'],
  ] as const)('ends a %s, which is not sent again', async (_, work, kind, outcome) => {
    await open([{ never: true, times: 9 }], { timeout: 60 });
    const error = await failureOf(work());
    expect(error).toMatchObject({ kind, outcome });
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ did not answer completely within 0\.1 s$/);
    expect(watched.trace).toHaveLength(1);
    expect(watched.waits).toEqual([]);
  });

  it('counts for one request where the call says so', async () => {
    await open([{ never: true }]);
    const error = await failureOf(watched.client.call(persons.get, { id: '42' }, { timeout: 50 }));
    expect(error.hint).toContain('--timeout');
  });

  it('ends a body that does not come to its end', async () => {
    await open([{ body: '{"a":1}', delay: 5000 }], { timeout: 50 });
    expect(await failureOf(read())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a signal', () => {
  it('ends a request in flight as interrupted', async () => {
    const controller = new AbortController();
    await open([{ never: true }], { signal: controller.signal });
    const failing = failureOf(create());
    while (stub.log.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort('SIGINT');
    expect(await failing).toMatchObject({ kind: 'interrupted', outcome: 'unknown' });
  });

  it('sends nothing when it was aborted before', async () => {
    const controller = new AbortController();
    controller.abort();
    await open([() => ({ json: {} })], { signal: controller.signal });
    expect(await failureOf(create())).toMatchObject({ kind: 'interrupted', outcome: 'not-done' });
    expect(stub.log).toHaveLength(0);
  });

  it.each([true, false])('ends a wait (rejecting: %s)', async (rejects) => {
    const controller = new AbortController();
    await open([{ ...BUSY, times: 9 }], {
      signal: controller.signal,
      wait: async (_, signal) => {
        controller.abort();
        if (rejects) signal?.throwIfAborted();
      },
    });
    expect(await failureOf(create())).toMatchObject({
      kind: 'interrupted',
      status: 429,
      outcome: 'not-done',
    });
    expect(stub.log).toHaveLength(1);
  });

  it('for waits alone ends a wait, and leaves a request in flight to its answer', async () => {
    const controller = new AbortController();
    const first = { json: PERSON, work: () => controller.abort('SIGINT') };
    await open([first, { ...BUSY, times: 9 }], {
      waitSignal: controller.signal,
      wait: () => expect.unreachable('nothing is waited for any more'),
    });
    expect(await read()).toMatchObject(PERSON);
    expect(await failureOf(destroy())).toMatchObject({ kind: 'interrupted', outcome: 'not-done' });
    expect(stub.log).toHaveLength(2);
  });

  it('leaves a failure of the wait itself alone', async () => {
    await open([BUSY], { wait: () => Promise.reject(new RangeError('broken clock')) });
    await expect(read()).rejects.toThrow('broken clock');
  });
});
