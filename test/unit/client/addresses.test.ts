import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insights } from '../../../src/api/endpoints/insights.ts';
import { persons } from '../../../src/api/endpoints/persons.ts';
import { platform } from '../../../src/api/endpoints/platform.ts';
import { parseBase } from '../../../src/client/base.ts';
import { reduceNext } from '../../../src/client/next-link.ts';
import { decodeFully, encodePathValue } from '../../../src/client/path-value.ts';
import { CliError } from '../../../src/errors.ts';
import { type Stub, startStub } from '../../support/stub-server.ts';
import { failureOf, KEY, makeClient, type Watched } from './make-client.ts';

let stub: Stub;
let watched: Watched;

beforeAll(async () => {
  stub = await startStub([() => ({ json: { results: [] } })]);
  watched = makeClient(stub.origin);
});
afterAll(async () => {
  await watched.client.close();
  await stub.close();
});

describe('ids in paths', () => {
  it.each(['0190c2f5-7a1b-7c3d-8e4f-5a6b7c8d9e0f', '123e4567-e89b-42d3-a456-426614174000', '42'])(
    'O-05 %s goes out as it is',
    async (id) => {
      await watched.client.call(persons.get, { id });
      expect(stub.log.at(-1)?.url).toBe(`/api/projects/7/persons/${id}/`);
    },
  );

  it.each([
    '',
    ' ',
    '.',
    '..',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    'a\u0000b',
    'a\nb',
    'a\u0085b',
    '%2e%2e',
    '%2E',
    'a%2Fb',
    'a%252fb',
    'a%5cb',
    'a%00b',
    'a%3Fb',
    '\ud800',
  ])('%j is a usage error before anything is sent', async (id) => {
    const sent = stub.log.length;
    expect(await failureOf(watched.client.call(persons.get, { id }))).toMatchObject({ kind: 'usage' });
    expect(stub.log).toHaveLength(sent);
  });

  it('that are missing are a usage error', async () => {
    // What a caller without types could pass.
    const input = {} as { id: string };
    expect((await failureOf(watched.client.call(insights.get, input))).message).toBe('id is missing');
  });

  it('never leave the route, whatever they are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.webPath()), (id) => {
        let encoded: string;
        try {
          encoded = encodePathValue('id', id);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'usage' });
          return;
        }
        const url = new URL(`http://h/api/projects/7/persons/${encoded}/split/`);
        expect(url.pathname.split('/')).toHaveLength(8);
        expect(url.pathname.startsWith('/api/projects/7/persons/')).toBe(true);
        expect(url.pathname.endsWith('/split/')).toBe(true);
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(url.pathname.split('/')[5] ?? '')).toBe(id);
      }),
      { numRuns: 500 },
    );
  });
});

describe('values in queries', () => {
  it.each([
    'a b',
    'org/7/user',
    'x?y#z',
    '50%off',
    '"quoted"',
    'Zoë-日本-😀',
    ' lead',
    'ana+test@example.org',
    "it's&more=1",
  ])('O-06 %j arrives as it was given', async (text) => {
    await watched.client.call(persons.list, { distinct_id: text, email: text });
    const url = stub.log.at(-1)?.url ?? '';
    const query = Object.fromEntries(
      url
        .split('?')[1]
        ?.split('&')
        .map((part) => part.split('=')) ?? [],
    );
    expect(decodeURIComponent(query.distinct_id)).toBe(text);
    expect(decodeURIComponent(query.email)).toBe(text);
    expect(url).not.toMatch(/[ +#"]/);
  });

  it('half a character is a usage error', async () => {
    expect(await failureOf(watched.client.call(persons.list, { search: 'a\ud800' }))).toMatchObject({
      kind: 'usage',
    });
  });
});

describe('the base address', () => {
  it.each(['/ph', '/ph/', '/ph//'])('O-40 keeps %s as its path, with single slashes', async (path) => {
    const { client } = makeClient(` ${stub.origin}${path} `);
    await client.call(persons.list, {});
    await client.close();
    expect(stub.log.at(-1)?.url).toBe('/ph/api/projects/7/persons/');
  });

  it('holds the rows beside projects, too', async () => {
    await watched.client.call(platform.ownKey, {});
    expect(stub.log.at(-1)?.url).toBe('/api/personal_api_keys/@current/');
    await watched.client.call(platform.project, {});
    expect(stub.log.at(-1)?.url).toBe('/api/projects/7/');
  });

  it.each(['', 'posthog', 'ftp://h', 'http://user:secret@h', 'h:8000'])('%j is a usage error', (base) => {
    expect(() => makeClient(base)).toThrow(CliError);
    expect(() => makeClient(base)).not.toThrow(/secret/);
  });

  it.each([
    ['http://h', 80, false],
    ['https://h:8443', 8443, false],
    ['http://localhost:1', 1, true],
    ['http://127.8.9.1', 80, true],
    ['https://[::1]', 443, true],
  ])('%s has port %i, loopback %s', (address, port, loopback) => {
    expect(parseBase(address)).toMatchObject({ port, loopback });
  });
});

describe('the project', () => {
  it('must be named for the rows under it', async () => {
    const { client } = makeClient(stub.origin, { projectId: undefined });
    expect((await failureOf(client.call(persons.list, {}))).hint).toContain('--project');
    expect(client.describe(platform.projects, {}).url).toBe(`${stub.origin}/api/projects/`);
  });

  it('may be @current, and may not climb', async () => {
    expect(makeClient(stub.origin, { projectId: '@current' }).client.describe(persons.list, {}).url).toMatch(
      /projects\/@current\/persons\/$/,
    );
    const { client } = makeClient(stub.origin, { projectId: '../8' });
    expect(await failureOf(client.call(persons.list, {}))).toMatchObject({ kind: 'usage' });
  });
});

describe('the key', () => {
  it.each(['', 'phx_a b', `${KEY}\n`, 'phx_ü'])('%j is refused without being shown', (key) => {
    expect(() => makeClient(stub.origin, { key })).toThrow(
      /^the key is empty or holds characters that no key has$/,
    );
  });
});

describe('next links', () => {
  const base = parseBase('https://eu.posthog.com/ph');
  const following = { base, current: '/ph/api/projects/7/persons/?limit=1', within: '/ph/api/projects/7' };

  it('never lead out of the project, whatever they are', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '..',
      '.',
      '%2e',
      '%2E%2e',
      '%2f',
      '%5c',
      '\\',
      '?',
      '#',
      '@',
      ':',
      'api',
      'projects',
      '7',
      '8',
      'ph',
      'persons',
      'http://',
      'https://evil.example',
      '%00',
      ' ',
      '\t',
    );
    const link = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.array(piece, { maxLength: 14 }).map((parts) => parts.join('')),
      fc.array(piece, { maxLength: 8 }).map((parts) => `/ph/api/projects/7/persons/${parts.join('')}`),
      fc.string(),
    );
    fc.assert(
      fc.property(link, (text) => {
        let target: string;
        try {
          target = reduceNext(text, following);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'unavailable' });
          return;
        }
        const url = new URL(target, base.origin);
        expect(url.origin).toBe('https://eu.posthog.com');
        expect(decodeFully(url.pathname)).toMatch(/^\/ph\/api\/projects\/7\//);
        expect(decodeFully(url.pathname).split('/')).not.toContain('..');
      }),
      { numRuns: 2000 },
    );
  });

  it('keep their query byte for byte', () => {
    const query = '?distinct_id=a%2Bb%20c&limit=1&offset=1';
    expect(reduceNext(`http://10.0.0.1:8000/ph/api/projects/7/persons/${query}`, following)).toBe(
      `/ph/api/projects/7/persons/${query}`,
    );
  });
});
