import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, maskKey } from '../../../src/system/redactor.ts';

const key = 'phx_S3cret+/key=with&marks';
const redact = createRedactor([key]);

describe('createRedactor', () => {
  it.each([
    ['as it is', `key ${key}.`, 'key ***.'],
    ['twice', `${key},${key}`, '***,***'],
    ['percent-encoded', `?k=${encodeURIComponent(key)}&b=1`, '?k=***&b=1'],
    [
      'percent-encoded with small digits',
      encodeURIComponent(key).toLowerCase().replace('s3cret', 'S3cret'),
      '***',
    ],
    ['in base64', `[${Buffer.from(key).toString('base64')}]`, '[***=]'],
    ['in base64url', `[${Buffer.from(key).toString('base64url')}]`, '[***]'],
    ['in hexadecimal', Buffer.from(key).toString('hex'), '***'],
    ['in small letters', key.toLowerCase(), '***'],
    ['in capital letters', key.toUpperCase(), '***'],
  ])('masks a secret %s', (_title, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([0, 1, 2, 3, 4, 5])('masks a secret inside encoded text, %d bytes from its start', (length) => {
    const encoded = Buffer.from(`${'u'.repeat(length)}${key}:rest`).toString('base64');
    const left = redact(encoded);
    expect(left).toContain('***');
    expect(Buffer.from(left.replace('***', ''), 'base64').toString()).not.toContain('S3cret');
  });

  const long = 'phx_AbCdEfGh1234567890ijklmnopQRSTUV';
  const codes = (write: (code: number) => string) => [...Buffer.from(long)].map(write).join('');
  const hex = (code: number) => code.toString(16);

  it.each([
    ['cut at its end', 'AbCdEfGh1234'],
    ['cut at its start', long.slice(-14)],
    ['with a line break in it', `${long.slice(0, 20)}\n${long.slice(20)}`],
    ['with spaces in it', [...long].join(' ')],
    ['as a list of JSON', JSON.stringify([...long])],
    ['in pieces of a program', `${long.slice(0, 9)}" + "${long.slice(9)}`],
    ['with a character that shows nothing', `${long.slice(0, 17)}\u200b${long.slice(17)}`],
    ['in wide characters', codes((code) => String.fromCharCode(code + 0xfee0))],
    [
      'in letters of any size',
      [...long].map((one, at) => (at % 2 ? one.toUpperCase() : one.toLowerCase())).join(''),
    ],
    ['in HTML', codes((code) => `&#${code};`)],
    ['in HTML by hexadecimal numbers', codes((code) => `&#x${hex(code)};`)],
    ['with one escape of HTML', long.replace('_', '&#95;')],
    ['in escapes of JSON', codes((code) => `\\u00${hex(code)}`)],
    ['in escapes of JavaScript', codes((code) => `\\u{${hex(code)}}`)],
    ['in escapes of a shell', codes((code) => `\\x${hex(code)}`)],
    ['in escapes of mail', codes((code) => `=${hex(code).toUpperCase()}`)],
    ['percent-encoded as a whole', codes((code) => `%${hex(code)}`)],
    ['percent-encoded twice', codes((code) => `%25${hex(code)}`)],
    ['in hexadecimal with spaces', codes((code) => `${hex(code)} `)],
    ['in decimal numbers', JSON.stringify([...Buffer.from(long)])],
    ['in base64 of base64', btoa(btoa(long))],
    ['in lines of base64', btoa(`user:${long}`).replace(/.{16}/g, '$&\n')],
  ])('masks a key %s', (_, form) => {
    const left = createRedactor([long])(`401 for ${form}!`);
    expect(left).toContain('***');
    expect(left.replace(/^401 for/, '').length).toBeLessThan(20);
  });

  it('leaves what has little of a key', () => {
    const text = 'ijklmnopQRS, 1234567890, AbCdEfGh';
    expect(createRedactor([long])(text)).toBe(text);
  });

  it('masks a JSON-escaped secret', () => {
    const secret = 'quote"back\\slash\u00e9';
    const escaped = createRedactor([secret]);
    expect(escaped(JSON.stringify({ secret }))).toBe('{"secret":"***"}');
    expect(escaped('quote\\"back\\\\slash\\u00e9')).toBe('***');
  });

  it.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer ***'],
    ['{"authorization":"Bearer abcdef"}', '{"authorization":"Bearer ***"}'],
    ['bearer%20abcdef&x=1', 'bearer%20***&x=1'],
    ['phx_abcdef123', 'phx_***'],
    ['key=pha_abcdef123&x', 'key=pha_***&x'],
    ['"phs_abc-def_123"', '"phs_***"'],
    ['%22phx_abcdef123%22', '%22phx_***%22'],
    ['line\\nphx_abcdef123', 'line\\nphx_***'],
  ])('masks what looks like a key nobody told it of: %s', (text, expected) => {
    expect(createRedactor([])(text)).toBe(expected);
  });

  it.each(['graphs_per_week', 'phc_public_token', 'the prefix phx_', 'an ordinary sentence', 'phx_…', ''])(
    'leaves %j alone',
    (text) => {
      expect(redact(text)).toBe(text);
    },
  );

  it('does not look for secrets of fewer than four characters', () => {
    expect(createRedactor(['', 'abc'])('abc def')).toBe('abc def');
    expect(createRedactor(['abcd'])('x abcd y')).toBe('x *** y');
  });

  it('masks the longer of two secrets that begin alike', () => {
    expect(createRedactor(['secret-a', 'secret-ab'])('x secret-ab y')).toBe('x *** y');
  });

  it('masks a secret that appears only once another was masked', () => {
    expect(createRedactor(['inner-secret', 'ab***cdef'])('abinner-secretcdef')).toBe('***');
  });

  it('lets no secret of eight or more characters survive in any form', () => {
    const secrets = fc.array(fc.string({ minLength: 8, maxLength: 40, unit: 'binary' }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(secrets, fc.array(fc.string(), { minLength: 13, maxLength: 13 }), (known, noise) => {
        const forms = known.flatMap(plainForms);
        const text = noise.map((word, index) => word + (forms[index % forms.length] ?? '')).join('');
        const left = createRedactor(known)(text);
        for (const form of forms) {
          expect(left.includes(form)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('ends, and changes nothing more when applied again', () => {
    const text = fc.string({ unit: fc.constantFrom('*', 'a', 'Bearer ', 'phx_', ' ', 'bcde') });
    fc.assert(
      fc.property(text, text, (secret, subject) => {
        const apply = createRedactor([secret]);
        expect(apply(apply(subject))).toBe(apply(subject));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Written here once more, so that the test does not agree with the code by using it. */
function plainForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const wellFormed = bytes.toString();
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeURIComponent(wellFormed),
    JSON.stringify(secret).slice(1, -1),
  ];
}

describe('maskKey', () => {
  it.each([
    ['phx_abcdef', 'phx_…'],
    ['pha_abcdef', 'pha_…'],
    ['abcdefghij', '…'],
    ['', '…'],
  ])('shows of %j only %s', (text, expected) => {
    expect(maskKey(text)).toBe(expected);
  });
});
