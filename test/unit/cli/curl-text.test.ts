import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlText } from '../../../src/cli/api.ts';

const described = {
  method: 'PATCH',
  url: 'https://service.example/api/projects/1/insights/9/?a=1&b=%5B2%5D',
  headers: {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'content-type': 'application/json',
    'user-agent': 'hogctl',
    authorization: 'Bearer ***',
  },
};

describe('a request as curl', () => {
  it('leaves the key to the environment', () => {
    expect(curlText(described, `{"name":"it's"}`)).toBe(
      [
        'curl --request PATCH',
        '--globoff',
        '--header "Authorization: Bearer $HOGCTL_API_KEY"',
        `--header 'accept: application/json'`,
        `--header 'content-type: application/json'`,
        `--data-raw '{"name":"it'\\''s"}'`,
        `'https://service.example/api/projects/1/insights/9/?a=1&b=%5B2%5D'`,
      ].join(' \\\n  '),
    );
  });

  it('asks for the head alone with HEAD', () => {
    expect(curlText({ ...described, method: 'HEAD' }, undefined)).toMatch(/^curl --head \\\n/);
  });

  it('reaches curl word by word, whatever it holds', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, (body) => {
        const script = `curl() { printf '%s\\0' "$@"; }\n${curlText(described, body)}`;
        const words = execFileSync('sh', ['-c', script], { env: { HOGCTL_API_KEY: 'phx_x y' } });
        const [request, method, globs, , key, , , , , , sent, url] = words.toString().split('\0');
        expect([request, method, globs, key, sent, url]).toEqual([
          '--request',
          'PATCH',
          '--globoff',
          'Authorization: Bearer phx_x y',
          body,
          described.url,
        ]);
      }),
      { numRuns: 25 },
    );
  });
});
