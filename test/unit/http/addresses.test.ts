import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { encodePathValue } from '../../../src/http/build-request.ts';
import { insights } from '../../../src/service/insights.ts';
import { persons } from '../../../src/service/persons.ts';
import { failureOf } from './make-client.ts';
import { openForFile } from './open-stubs.ts';

const { stub, watched } = await openForFile();

describe('ids in paths', () => {
  it.each(['0190c2f5-7a1b-7c3d-8e4f-5a6b7c8d9e0f', '123e4567-e89b-42d3-a456-426614174000', '42'])(
    '%s goes out as it is',
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
    const piece = fc.constantFrom(
      '.',
      '..',
      '/',
      '%2e',
      '%2F',
      '%25',
      '\\',
      '?',
      '#',
      '\n',
      'a',
      '7',
      '日',
      '😀',
      ';',
      ' ',
    );
    const id = fc.oneof(
      fc.array(fc.nat(0xffff), { maxLength: 12 }).map((codes) => String.fromCharCode(...codes)),
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
    );
    const staysOrFails = (text: string): boolean => {
      let encoded: string;
      try {
        encoded = encodePathValue('id', text);
      } catch (error) {
        return error instanceof CliError && error.kind === 'usage';
      }
      const { pathname, search, hash } = new URL(`http://h/api/projects/7/persons/${encoded}/split/`);
      const segments = pathname.split('/');
      const [id = ''] = segments.splice(5, 1);
      return (
        segments.join('/') === '/api/projects/7/persons/split/' &&
        search + hash === '' &&
        decodeURIComponent(id) === text
      );
    };
    fc.assert(fc.property(id, staysOrFails), { numRuns: 300 });
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
