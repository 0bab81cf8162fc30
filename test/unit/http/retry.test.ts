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
const patch = () => watched.client.call(insights.update, { id: '9', name: 'x' });
const destroy = () => watched.client.call(persons.delete, { id: '42' });
const bulk = () => watched.client.call(persons.bulkDelete, { distinct_ids: ['a'] });

describe('a 429', () => {
  it('without Retry-After: waits longer each time, says so, and goes on where it was', async () => {
    await open([
      { ...BUSY, times: 3 },
      { status: 202, json: { persons_found: 1 } },
    ]);
    expect(await bulk()).toEqual({ persons_found: 1 });
    expect(watched.waits).toEqual([500, 1000, 2000]);
    expect(watched.notes).toEqual([
      'the service answered 429: Expected available in 3 seconds; trying again in 0.5 s (1 of 4)',
      'the service answered 429: Expected available in 3 seconds; trying again in 1 s (2 of 4)',
      'the service answered 429: Expected available in 3 seconds; trying again in 2 s (3 of 4)',
    ]);
    expect(stub.log).toHaveLength(4);
  });

  it('is repeated for writes too, since it is known not to have run', async () => {
    await open([BUSY, { status: 201, json: { id: 1 } }]);
    expect(await create()).toEqual({ id: 1 });
    expect(stub.log).toHaveLength(2);
  });

  it('waits as many seconds as Retry-After says', async () => {
    await open([{ ...BUSY, headers: { 'retry-after': '7' } }, { json: PERSON }]);
    await read();
    expect(watched.waits).toEqual([7000]);
  });

  it('waits until the date that Retry-After says', async () => {
    await open([{ ...BUSY, headers: { 'retry-after': 'Fri, 02 Jan 2026 03:05:05 GMT' } }, { json: PERSON }]);
    await read();
    expect(watched.waits).toEqual([60_000]);
  });

  it.each(['soon', '-5', '', 'Fri, 02 Jan 2015 00:00:00 GMT', '0'])(
    'takes Retry-After %j as absent',
    async (value) => {
      await open([{ ...BUSY, headers: { 'retry-after': value } }, { json: PERSON }]);
      await read();
      expect(watched.waits).toEqual([500]);
    },
  );

  it.each([
    ['86400', '24 h'],
    ['9'.repeat(400), 'more than a year'],
  ])('gives up on a wait of %s seconds and says how long it was asked for', async (value, words) => {
    await open([{ ...BUSY, headers: { 'retry-after': value } }]);
    const error = await failureOf(bulk());
    expect(error).toMatchObject({ kind: 'unavailable', status: 429, code: 'throttled', outcome: 'not-done' });
    expect(error.message).toContain(`the service asks to wait ${words}`);
    expect(watched.waits).toEqual([]);
  });

  it('ends as unavailable and not done after the last try', async () => {
    await open([{ ...BUSY, times: 9 }], { retries: 2 });
    expect(await failureOf(create())).toMatchObject({
      kind: 'unavailable',
      status: 429,
      outcome: 'not-done',
    });
    expect(stub.log).toHaveLength(3);
  });
});

describe('a lost answer', () => {
  it('a create is sent once, and its outcome is called unknown', async () => {
    const created: string[] = [];
    await open([{ reset: 'after', work: ({ body }) => created.push(body) }, () => ({ json: {} })]);
    const error = await failureOf(create());
    expect(error).toMatchObject({
      kind: 'partial',
      outcome: 'unknown',
      hint: 'the outcome is unknown: check what was changed before you repeat it',
    });
    expect(created).toHaveLength(1);
    expect(stub.log).toHaveLength(1);
  });

  it('a read is sent again', async () => {
    await open([{ reset: 'before' }, { json: PERSON }]);
    expect(await read()).toEqual(PERSON);
  });

  it('a change that meets a failing gateway is not sent again', async () => {
    await open([{ status: 502, body: '<html>' }, () => ({ json: {} })]);
    expect(await failureOf(patch())).toMatchObject({ kind: 'partial', status: 502, outcome: 'unknown' });
    expect(stub.log).toHaveLength(1);
  });

  it('is given up after the bound', async () => {
    await open([{ reset: 'before', times: 9 }], { retries: 1 });
    expect(await failureOf(read())).toMatchObject({ kind: 'unavailable' });
    expect(stub.log).toHaveLength(2);
  });
});

describe('answers of 5xx', () => {
  it.each([500, 502, 503, 504])('%i is repeated for reads', async (status) => {
    await open([{ status }, { json: PERSON }]);
    expect(await read()).toEqual(PERSON);
  });

  it('512 is not: the same query would take as long again', async () => {
    await open([{ status: 512, json: { detail: 'Estimated query execution time is too long' } }]);
    const error = await failureOf(read());
    expect(error).toMatchObject({ kind: 'unavailable', status: 512 });
    expect(error.hint).toContain('narrow the query');
  });

  it('waits as Retry-After says there, too', async () => {
    await open([{ status: 503, headers: { 'retry-after': '2' } }, { json: PERSON }]);
    await read();
    expect(watched.waits).toEqual([2000]);
  });

  it('keeps the summary that a failed bulk deletion carries', async () => {
    const summary = {
      persons_found: 2,
      persons_deleted: 1,
      deletion_errors: [{ person_uuid: 'u', step: 's' }],
    };
    await open([{ status: 503, json: summary }], { retries: 0 });
    expect(await failureOf(bulk())).toMatchObject({ status: 503, outcome: 'unknown', answer: summary });
  });
});

describe('a definite no', () => {
  it.each([400, 401, 402, 403, 404, 405, 409, 413, 422])('%i is never repeated', async (status) => {
    await open([{ status, json: { detail: 'no' } }, () => ({ json: {} })]);
    expect(await failureOf(destroy())).toMatchObject({ status, outcome: 'not-done' });
    expect(stub.log).toHaveLength(1);
    expect(watched.waits).toEqual([]);
  });
});
