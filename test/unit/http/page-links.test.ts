import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientSettings } from '../../../src/http/client.ts';
import type { Json } from '../../../src/json/kinds.ts';
import { persons } from '../../../src/service/persons.ts';
import { platform } from '../../../src/service/platform.ts';
import { readCertificate } from '../../support/read-certificate.ts';
import { type Script, type Stub, startStub } from '../../support/stub-server.ts';
import { failureOf, makeClient, type Watched } from './make-client.ts';
import { openBoth } from './open-stubs.ts';
import { all, LIST, person, range } from './serve-persons.ts';

let stub: Stub;
let watched: Watched;

async function open(script: Script, settings: Partial<ClientSettings> = {}): Promise<void> {
  ({ stub, watched } = await openBoth(script, settings));
}

const list = (limit?: number) => watched.client.pages(persons.list, {}, limit === undefined ? {} : { limit });

describe('links with another scheme or host', () => {
  it('are followed on the configured https origin only', async () => {
    const { key, cert, authority } = readCertificate('server');
    const plain = await startStub([() => ({ json: {} })]);
    const secure = await startStub(
      [
        { json: { results: [person(1)], next: `http://127.0.0.1:${plain.port}${LIST}?offset=1` } },
        {
          on: ({ url }) => url === `${LIST}?offset=1`,
          json: { results: [person(2)], next: `http://internal${LIST}?offset=2` },
        },
        { on: ({ url }) => url === `${LIST}?offset=2`, json: { results: [person(3)], next: null } },
      ],
      { tls: { key, cert } },
    );
    watched = makeClient(secure.origin, { ca: [authority] });
    onTestFinished(watched.client.close);
    onTestFinished(plain.close);
    onTestFinished(secure.close);
    expect((await all(list())).rows).toEqual([person(1), person(2), person(3)]);
    expect(plain.connections()).toBe(0);
  });

  it('keep the path that the service lives under, whether the link knows it or not', async () => {
    await open([
      { json: { results: [person(1)], next: `http://inner${LIST}?offset=1` } },
      { json: { results: [person(2)], next: `http://inner/ph${LIST}?offset=2` } },
      { json: { results: [person(3)], next: '?offset=3' } },
      { json: { results: [], next: null } },
    ]);
    watched = makeClient(`${stub.origin}/ph`);
    onTestFinished(watched.client.close);
    await all(list());
    expect(stub.log.map(({ url }) => url)).toEqual([
      `/ph${LIST}`,
      `/ph${LIST}?offset=1`,
      `/ph${LIST}?offset=2`,
      `/ph${LIST}?offset=3`,
    ]);
  });

  it.each([
    ['/api/projects/8/persons/?offset=1', 'leads out of the project'],
    ['/api/projects/7/../8/persons/', 'leads out of the project'],
    ['/api/projects/7/%2e%2e%2f8/persons/', 'leads out of the project'],
    ['/elsewhere', 'leads out of the project'],
    ['javascript:alert(1)', 'is not a URL'],
    ['http://[', 'is not a URL'],
    [7, 'is not text'],
  ])('are refused for %j, after the rows of their page', async (next, words) => {
    await open([{ json: { results: [person(1)], next } }, () => ({ json: {} })]);
    const rows: Json[] = [];
    const error = await failureOf(
      (async () => {
        for await (const page of list()) rows.push(...page.rows);
      })(),
    );
    expect(error.kind).toBe('unavailable');
    expect(error.message).toContain(words);
    expect(error.message).toContain('after 1 row');
    expect(rows).toEqual([person(1)]);
    expect(stub.log).toHaveLength(1);
  });

  it('outside a project stay on the path that was asked for', async () => {
    await open([{ json: { results: [{ id: 1 }], next: '/api/organizations/?offset=1' } }]);
    expect((await failureOf(all(watched.client.pages(platform.projects, {})))).message).toContain(
      'leads out of the project',
    );
  });
});

describe('pagination that does not advance', () => {
  it.each([
    ['its own address', () => LIST],
    ['its own address, empty', () => ''],
    ['pages in a circle', (url: string) => `${LIST}?offset=${url.endsWith('=1') ? 2 : 1}`],
  ])('is noticed within a few requests: %s', async (_, next) => {
    await open([({ url }) => ({ json: { results: range(0, 100), next: next(url) } })]);
    const error = await failureOf(all(list()));
    expect(error.kind).toBe('unavailable');
    expect(error.message).toMatch(/the list does not end.*after 100 rows/);
    expect(stub.log.length).toBeLessThan(5);
  });

  const onwards = ({ url }: { readonly url: string }) => {
    const at = Number(new URL(url, 'http://stub').searchParams.get('offset') ?? 0);
    return { at, next: `${LIST}?offset=${at + 100}` };
  };

  it('is noticed where links go on for ever and bring the same rows', async () => {
    await open([(received) => ({ json: { results: range(0, 100), next: onwards(received).next } })]);
    const error = await failureOf(all(list()));
    expect(error.message).toMatch(/the list does not end: page after page has nothing new.*after 100 rows/);
    expect(stub.log.length).toBeLessThan(15);
  });

  it('is noticed where links go on for ever and bring no rows', async () => {
    await open([
      (received) => {
        const { at, next } = onwards(received);
        return { json: { results: at === 0 ? range(0, 100) : [], next } };
      },
    ]);
    const error = await failureOf(all(list()));
    expect(error.message).toMatch(/the list does not end: .*after 100 rows/);
    expect(stub.log.length).toBeLessThan(105);
  });

  it('is not seen in many pages without a new row that come to an end', async () => {
    await open([
      (received) => {
        const { at, next } = onwards(received);
        if (at === 200) return { json: { results: range(0, 1), next } };
        const isEmpty = at > 0 && at < 8000;
        return { json: { results: isEmpty ? [] : range(at, at + 1), next: at < 8000 ? next : null } };
      },
    ]);
    expect((await all(list())).rows).toEqual([person(0), person(8000)]);
  });
});
