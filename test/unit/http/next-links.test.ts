import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { decodeFully, parseBase } from '../../../src/http/build-request.ts';
import { reduceNext } from '../../../src/http/create-client.ts';

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
      fc.array(piece, { maxLength: 14 }).map((parts) => parts.join('')),
      fc.array(piece, { maxLength: 8 }).map((parts) => `/ph/api/projects/7/persons/${parts.join('')}`),
      fc.string(),
    );
    const staysOrFails = (text: string): boolean => {
      let target: string;
      try {
        target = reduceNext(text, following);
      } catch (error) {
        return error instanceof CliError && error.kind === 'unavailable';
      }
      const url = new URL(target, base.origin);
      const path = decodeFully(url.pathname);
      return (
        url.origin === base.origin &&
        path.startsWith('/ph/api/projects/7/') &&
        !path.split('/').some((segment) => segment === '..')
      );
    };
    fc.assert(fc.property(link, staysOrFails), { numRuns: 1000 });
  });

  it('keep their query byte for byte', () => {
    const query = '?distinct_id=a%2Bb%20c&limit=1&offset=1';
    expect(reduceNext(`http://10.0.0.1:8000/ph/api/projects/7/persons/${query}`, following)).toBe(
      `/ph/api/projects/7/persons/${query}`,
    );
  });
});
