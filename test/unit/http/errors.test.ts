import { describe, expect, it } from 'vitest';
import type { CliError } from '../../../src/errors.ts';
import type { ClientSettings } from '../../../src/http/client.ts';
import { persons } from '../../../src/service/persons.ts';
import type { Stub, StubAnswer } from '../../support/stub-server.ts';
import { failureOf, KEY, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';

let stub: Stub;
let watched: Watched;

/** The error of a deletion that is answered so. */
async function errorFor(answer: StubAnswer, settings: Partial<ClientSettings> = {}): Promise<CliError> {
  ({ stub, watched } = await openBoth([answer], { retries: 0, ...settings }));
  return failureOf(watched.client.call(persons.delete, { id: '42' }));
}

const denied = (detail: string) => ({
  status: 403,
  json: { type: 'authentication_error', code: 'permission_denied', detail, attr: null },
});

describe('a key that is not accepted', () => {
  it.each([
    [
      '(a) 401 with the code',
      {
        status: 401,
        json: {
          type: 'authentication_error',
          code: 'authentication_failed',
          detail: 'Personal API key is invalid.',
        },
      },
    ],
    ['(d) 401 with an empty body', { status: 401 }],
    [
      '403 with the code of a bad key, as queries answer it',
      {
        status: 403,
        json: { type: 'authentication_error', code: 'authentication_failed', detail: 'invalid' },
      },
    ],
    ['another status with the code', { status: 400, json: { code: 'not_authenticated', detail: 'none' } }],
  ])('%s: names both causes and the host', async (_, answer) => {
    const error = await errorFor(answer);
    expect(error).toMatchObject({ kind: 'authentication', status: answer.status, outcome: 'not-done' });
    expect(error.message).toContain(`127.0.0.1:${stub.port}`);
    expect(error.hint).toMatch(/key.*wrong.*region or host/);
    expect(error.hint).toContain(`127.0.0.1:${stub.port}`);
    expect(stub.log).toHaveLength(1);
  });

  it('(b) names the missing scope', async () => {
    const error = await errorFor(denied("API key missing required scope 'person:write'"));
    expect(error).toMatchObject({ kind: 'authentication', code: 'permission_denied' });
    expect(error.hint).toContain('the scope person:write');
  });

  it('(c) names the project', async () => {
    const error = await errorFor(denied('API key does not have access to the requested project: ID 7.'));
    expect(error.hint).toContain('project 7');
  });

  it('says that an operation is closed to keys', async () => {
    const error = await errorFor(denied('This action does not support personal API key access'));
    expect(error).toMatchObject({ kind: 'authentication', code: 'permission_denied' });
    expect(error.hint).toContain('does not allow this operation with personal API keys');
  });

  it('names project and host for any other 403', async () => {
    expect((await errorFor({ status: 403 })).hint).toMatch(/project 7 on 127/);
  });

  it('never shows the key, not even where the service echoes it', async () => {
    const error = await errorFor(
      { status: 401, json: { code: 'authentication_failed', detail: `${KEY} and other-secret`, attr: KEY } },
      { redact: (text) => text.replace('other-secret', '***') },
    );
    expect(error.message).toContain('*** and ***');
    expect(`${error.message}${error.hint}${error.stack}`).not.toMatch(/phx_|other-secret/);
  });
});

describe('kinds by status', () => {
  it.each([
    [400, 'refused'],
    [402, 'refused'],
    [404, 'not-found'],
    [405, 'refused'],
    [409, 'refused'],
    [413, 'refused'],
    [414, 'refused'],
    [422, 'refused'],
    [304, 'refused'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [504, 'unavailable'],
    [512, 'unavailable'],
  ])('%i is %s', async (status, kind) => {
    const error = await errorFor({ status, json: { code: 'some_code', detail: 'said the service' } });
    expect(error).toMatchObject({ kind, status });
    if (status !== 304)
      expect(error).toMatchObject({ code: 'some_code', answer: { detail: 'said the service' } });
    expect(error.outcome).toBe(status >= 500 ? 'unknown' : 'not-done');
  });

  it('does not read an outcome into a failed read', async () => {
    ({ stub, watched } = await openBoth([{ status: 500 }], { retries: 0 }));
    expect(await failureOf(watched.client.call(persons.get, { id: '42' }))).toMatchObject({
      outcome: 'not-done',
    });
  });
});

describe('hints', () => {
  it.each([
    [404, { detail: 'Project not found.' }, /project id 7/],
    [404, undefined, /check the host 127/],
    [400, { detail: "The ID 'acct-77' does not look like a personID." }, /--distinct-id/],
    [504, { detail: 'Query has hit the max execution time' }, /narrow the query/],
    [413, {}, /send less/],
    [402, {}, /plan/],
    [429, {}, /wait/],
    [500, {}, /later/],
    [400, { detail: 'odd' }, undefined],
    [400, { detail: 'Give ids or distinct_ids, not both' }, undefined],
  ])('for %i %j', async (status, json, hint) => {
    const error = await errorFor({ status, ...(json && { json }) });
    if (hint === undefined) expect(error.hint).toBeUndefined();
    else expect(error.hint).toMatch(hint);
  });
});

describe('error bodies of every shape', () => {
  it.each<[string, unknown, string, string | undefined]>([
    [
      'the usual one',
      { type: 'validation_error', code: 'required', detail: 'Missing.', attr: 'ids' },
      ': Missing (ids)',
      'required',
    ],
    [
      'code and detail swapped',
      { code: 'This field is required.', detail: 'required', attr: 'key' },
      ': This field is required (key)',
      'required',
    ],
    [
      'success and detail',
      { success: false, detail: 'Unknown distinct ids' },
      ': Unknown distinct ids',
      undefined,
    ],
    ['message and detail', { message: 'no series', detail: '' }, ': no series', undefined],
    ['an error object', { error: { message: 'broken filter' } }, ': broken filter', undefined],
    ['an error text', { error: 'broken filter' }, ': broken filter', undefined],
    [
      'a list of errors',
      { errors: [{ detail: 'first' }, { detail: 'second' }] },
      ': first; second',
      undefined,
    ],
    [
      'every field, at whatever depth',
      {
        code: 'invalid',
        detail: 'Invalid.',
        query: { source: { series: [{}, { event: { name: ['is missing.', 'is no text'] } }] } },
        errors: { tags: ['are too many'], name: { string: 'is taken', code: 'unique' } },
      },
      ': Invalid; query.source.series.1.event.name: is missing; query.source.series.1.event.name: is no text; tags: are too many; name: is taken',
      'invalid',
    ],
    ['errors by field', { name: ['is too long'] }, ': name: is too long', undefined],
    ['a bare list', ['nothing fits'], ': nothing fits', undefined],
    ['a bare text', 'nothing fits', ': nothing fits', undefined],
    ['a sentence as code alone', { code: 'It is not so.' }, ': It is not so', undefined],
    ['nothing that can be read', { a: { b: { c: {} } } }, '400 (127', undefined],
    ['null', null, '400 (127', undefined],
    ['own words only', JSON.parse('{"__proto__":{"detail":"own"}}'), '400: __proto__: own', undefined],
  ])('reads %s', async (_, json, message, code) => {
    const error = await errorFor({ status: 400, json });
    expect(error.message).toContain(message);
    expect(error.code).toBe(code);
    expect(error.answer).toEqual(json);
  });

  it('shows a short plain text', async () => {
    expect(
      (await errorFor({ status: 400, body: 'bad things', headers: { 'content-type': 'text/plain' } }))
        .message,
    ).toMatch(/: bad things$/);
  });

  it('names the content type of a page and shows none of it', async () => {
    const error = await errorFor({ status: 400, body: '<b>x</b>', headers: { 'content-type': 'text/html' } });
    expect(error.message).toMatch(/400 with something that is not JSON \(text\/html from 127/);
  });

  it('bounds long texts and takes out control characters', async () => {
    const error = await errorFor({ status: 400, json: { detail: `\u001b[31mred\n${'x'.repeat(5000)}` } });
    expect(error.message.length).toBeLessThan(2100);
    expect(error.message).toContain(' [31mred xxx');
    expect(error.message).not.toMatch(/[\x00-\x1f]/);
  });
});
