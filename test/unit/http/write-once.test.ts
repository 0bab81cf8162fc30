import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Stub } from '../../support/stub-server.ts';
import { failureOf, type Watched } from './make-client.ts';
import { clientFor, openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

const broken = { body: '{"id":1,"na', headers: { 'content-type': 'application/json' } };

it('a write whose answer is broken JSON is sent once, and its outcome is called unknown', async () => {
  ({ stub, watched } = await openBoth([broken, { json: { id: 1 } }]));
  const error = await failureOf(watched.client.call(insights.create, { name: 'a' }));
  expect(error).toMatchObject({ kind: 'partial', outcome: 'unknown' });
  expect(stub.log).toHaveLength(1);
});

it('neither is one sent again whose answer ends with the connection, while a read is', async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.once('data', () => {
      requests += 1;
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"id":1,"na');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
  // A listening TCP server always has an address of this type.
  const { port } = server.address() as AddressInfo;
  const { client } = clientFor(`http://127.0.0.1:${port}`);
  const error = await failureOf(client.call(insights.create, { name: 'a' }));
  expect([error.outcome, requests]).toEqual(['unknown', 1]);
  await failureOf(client.call(insights.get, { id: '1' }));
  expect(requests).toBe(3);
});

it.each([
  ['a lost answer', { reset: 'after' }],
  ['an answer that is cut off', { ...broken, cutAt: 5 }],
  ['broken JSON', broken],
  ['a service that fails', { status: 500 }],
  ['a gateway that fails', { status: 502 }],
  ['a service that is down', { status: 503, headers: { 'retry-after': '1' } }],
  ['a gateway that gives up', { status: 504 }],
] as const)('a deletion is given back after %s, as one that may have run', async (_, answer) => {
  for (const call of [
    () => watched.client.call(persons.delete, { id: '1' }),
    () => watched.client.call(persons.bulkDelete, { ids: ['1'] }),
  ]) {
    ({ stub, watched } = await openBoth([answer, { status: 204 }]));
    expect(await failureOf(call())).toMatchObject({ outcome: 'unknown' });
    expect(stub.log).toHaveLength(1);
  }
});

it('a deletion that is known not to have run is waited for, at most five minutes in all', async () => {
  const busy = (wait: number) => ({ status: 429, headers: { 'retry-after': String(wait) } });
  ({ stub, watched } = await openBoth([busy(120), busy(120), { status: 204 }]));
  await watched.client.call(persons.delete, { id: '1' });
  expect(stub.log).toHaveLength(3);
  ({ stub, watched } = await openBoth([busy(120), busy(120), busy(120), { status: 204 }]));
  const error = await failureOf(watched.client.call(persons.delete, { id: '1' }));
  expect([stub.log.length, error.outcome]).toEqual([3, 'not-done']);
  expect(error.hint).toBe('hogctl waits at most 5 min in all; try again after that time');
});

it.each([
  ['Sun, 21 Jun 2026 04:59:59 GMT', ['2026-06-21T04:59:59.000Z']],
  ['soon', []],
  [undefined, []],
])('tells the time of the service by its last answer: %s', async (date, told) => {
  const earlier = { status: 429, headers: { date: 'Sat, 20 Jun 2026 00:00:00 GMT' } };
  ({ stub, watched } = await openBoth([
    earlier,
    { status: 204, headers: date === undefined ? {} : { date } },
  ]));
  const times: string[] = [];
  await watched.client.call(persons.delete, { id: '1' }, { onTime: (time) => times.push(time) });
  expect(times).toEqual(told);
});
