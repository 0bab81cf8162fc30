import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { checkEncryption, isCloudHost, normalizeHost } from '../../../src/settings/stored-project.ts';

function refusal(text: string): CliError {
  try {
    normalizeHost(text);
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
  }
  throw new Error('was not refused');
}

describe('base URL forms', () => {
  it.each([
    ['https://example.com/ph', 'https://example.com/ph'],
    ['https://example.com/ph/', 'https://example.com/ph'],
    ['https://example.com/ph//', 'https://example.com/ph'],
    ['  https://example.com/ph \n', 'https://example.com/ph'],
    ['example.com/ph', 'https://example.com/ph'],
    ['https://example.com/ph/api', 'https://example.com/ph'],
    ['https://example.com/ph/api/', 'https://example.com/ph'],
    ['https://example.com/ph/api/projects/1/persons/', 'https://example.com/ph'],
    ['https://example.com/ph/api/users/@me/', 'https://example.com/ph'],
    ['https://example.com/ph/project/1/insights/abc', 'https://example.com/ph'],
    ['https://example.com/project/1', 'https://example.com'],
    ['https://example.com/project/@current/persons', 'https://example.com'],
    ['https://example.com/a//b', 'https://example.com/a/b'],
    ['https://example.com/api/posthog', 'https://example.com/api/posthog'],
    ['https://example.com/project/ph', 'https://example.com/project/ph'],
    ['https://us.posthog.com/settings/user-api-keys', 'https://us.posthog.com'],
    ['HTTPS://US.PostHog.com/', 'https://us.posthog.com'],
    ['us.posthog.com.', 'https://us.posthog.com'],
    ['https://app.posthog.com/project/1', 'https://us.posthog.com'],
    ['"https://example.com"', 'https://example.com'],
    ['us', 'https://us.posthog.com'],
    [' EU ', 'https://eu.posthog.com'],
    ['https://example.com:443', 'https://example.com'],
    ['example.com:8443', 'https://example.com:8443'],
    ['https://example.com:8443/ph/', 'https://example.com:8443/ph'],
    ['localhost', 'https://localhost'],
    ['localhost:8000', 'https://localhost:8000'],
    ['posthog:8000', 'https://posthog:8000'],
    ['https://posthog', 'https://posthog'],
    ['http://localhost:8000/', 'http://localhost:8000'],
  ])('reads %j as %s', (text, address) => {
    expect(normalizeHost(text).address).toBe(address);
  });

  it.each([
    ['https://eu.i.posthog.com', 'use eu.posthog.com'],
    ['us.i.posthog.com', 'use us.posthog.com'],
    ['https://us-assets.i.posthog.com/static', 'use us.posthog.com'],
    ['i.posthog.com', 'use us.posthog.com or eu.posthog.com'],
    ['https://other.i.posthog.com', 'use us.posthog.com or eu.posthog.com'],
  ])('refuses the ingestion host %s and names the right one', (text, hint) => {
    const error = refusal(text);
    expect(error.message).toContain('only receives events');
    expect(error.hint).toBe(hint);
  });

  it.each([
    ['', 'is empty'],
    ['  ', 'is empty'],
    ['https://exa mple.com', 'a space'],
    ['https://example.com\\@evil.example', 'a backslash'],
    ['https://example.com/\u0000', 'a control character'],
    ['ftp://example.com', 'the scheme ftp'],
    ['file:///etc/passwd', 'the scheme file'],
    ['https:/example.com', 'is not a host'],
    ['https:', 'is not a host'],
    ['https://', 'is not a host'],
    ['https:///example.com', 'is not a host'],
    ['//example.com', 'is not a host'],
    ['/ph', 'is not a host'],
    ['https://example.com:99999', 'is not a host'],
    ['mailto:ana', 'is not a host'],
    ['clear', '"clear" is neither us, eu nor the address of a host'],
    ['https://posthog.com', 'is the website'],
    ['www.posthog.com/docs', 'is the website'],
  ])('refuses %j: %s', (text, words) => {
    const error = refusal(text);
    expect(error.kind).toBe('usage');
    expect(error.message).toContain(words);
    expect(error.hint).toBeTruthy();
  });

  it.each([
    'https://ana:hunter2secret@example.com',
    'ana:hunter2secret@example.com/ph',
    'https://ana:hunter2secret@exa mple.com',
    'https://ana:hunter2secret@:99999',
    'https://hunter2secret@example.com',
    'https://@example.com',
  ])('refuses a user name or password in %j without showing it', (text) => {
    const error = refusal(text);
    expect(error.kind).toBe('usage');
    expect(`${error.message}${error.hint}`).not.toContain('hunter2secret');
  });

  it.each([
    ['https://example.com/ph?x=1', 'https://example.com/ph'],
    ['https://example.com/ph/project/1/insights/abc#panel', 'https://example.com/ph'],
    ['https://us.posthog.com/?', 'https://us.posthog.com'],
  ])('refuses the query or fragment of %s and shows the address without it', (text, address) => {
    expect(refusal(text).hint).toContain(`as in ${address}`);
  });
});

describe('addresses in clear text', () => {
  it.each([
    'http://example.com',
    'http://127.evil.example',
    'http://10.0.0.1:8000',
    'http://localhost.evil.example',
  ])('needs --insecure for %s', (text) => {
    expect(() => checkEncryption(text, undefined)).toThrow('would be sent in clear text');
    expect(checkEncryption(text, true)).toContain('are sent in clear text');
  });

  it.each(['http://127.0.0.1:8000', 'http://127.8.8.8', 'http://[::1]:80', 'http://posthog.localhost'])(
    'takes %s',
    (text) => expect(checkEncryption(text, undefined)).toBe(undefined),
  );
});

describe('normalizeHost', () => {
  it('takes off quotes around an address, and no others', () => {
    expect(normalizeHost(` "https://a.example/x'/" `).address).toBe("https://a.example/x'");
  });

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ['http', 'https'] }), (text) => {
        const once = normalizeHost(text).address;
        expect(normalizeHost(once).address).toBe(once);
      }),
    );
  });

  it('gives a usable address or a usage error for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(normalizeHost(text).address).toMatch(/^https?:\/\/[^/?#@\s]+(\/[^/?#\s]+)*$/);
        } catch (error) {
          expect(error).toBeInstanceOf(CliError);
        }
      }),
    );
  });
});

describe('isCloudHost', () => {
  it.each([
    ['https://us.posthog.com', true],
    ['https://eu.posthog.com', true],
    ['https://app.posthog.com', true],
    ['https://us.posthog.com.example.com', false],
    ['https://posthog.example.com', false],
  ])('%s: %s', (address, expected) => {
    expect(isCloudHost(address)).toBe(expected);
  });
});
