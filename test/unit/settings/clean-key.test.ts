import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { cleanKey, requireKey } from '../../../src/settings/stored-project.ts';

const key = 'phx_Abc123def456';

function refusal(text: string): CliError {
  try {
    cleanKey(text, 'HOGCTL_API_KEY');
  } catch (error) {
    if (error instanceof CliError) {
      return error;
    }
  }
  throw new Error('was not refused');
}

describe('key with white space around it', () => {
  it.each([
    ['line feed', `${key}\n`],
    ['carriage return and line feed', `${key}\r\n`],
    ['spaces', `  ${key}  `],
    ['a leading line feed', `\n${key}`],
    ['a byte order mark', `\uFEFF${key}`],
    ['double quotes', `"${key}"`],
    ['single quotes and a line feed', `'${key}'\n`],
    ['quotes around spaces', `" ${key} "`],
    ['typographic quotes', `“${key}”`],
  ])('drops %s', (_title, text) => {
    expect(cleanKey(text, 'stdin')).toBe(key);
  });

  it.each(['', ' ', '\n', '\r\n', '""', "' '"])('takes %j as missing', (text) => {
    expect(cleanKey(text, 'stdin')).toBeUndefined();
  });
});

describe('cleanKey', () => {
  it.each([key, 'pha_oauth123', 'a-key-without-prefix'])('keeps %s', (text) => {
    expect(cleanKey(text, 'stdin')).toBe(text);
  });

  it.each([
    ['a line break inside', 'phx_abc\ndef', 'contains a line break'],
    ['a carriage return inside', 'phx_abc\rdef', 'contains a line break'],
    ['a control character', 'phx_abc\u0007def', 'contains a control character'],
    ['a tab inside', 'phx_abc\tdef', 'contains a control character'],
    ['a letter beyond ASCII', 'phx_abcédef', 'contains a character that is not ASCII'],
    ['a zero-width space at its end', 'phx_abcdef\u200b', 'contains a character that is not ASCII'],
    ['a space inside', 'phx_abc def', 'contains a space'],
    ['the word Bearer', `Bearer ${key}`, 'begins with the word Bearer'],
    ['the prefix of a project token', 'phc_abcdef', 'is a public project token (phc_)'],
    ['that prefix in capitals', 'PHC_abcdef', 'is a public project token (phc_)'],
    ['the prefix of a project secret', 'phs_abcdef', 'is a project secret key (phs_)'],
  ])('refuses %s without showing the key', (_title, text, words) => {
    const error = refusal(text);
    expect(error.kind).toBe('usage');
    expect(error.message).toContain(`the key from HOGCTL_API_KEY ${words}`);
    expect(error.message + error.hint).not.toMatch(/abc|def/i);
    expect(error.cause).toBeUndefined();
  });

  it('either gives back printable ASCII or refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          expect(cleanKey(text, 'stdin') ?? 'missing').toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(CliError);
        }
      }),
    );
  });
});

describe('requireKey', () => {
  it('takes a key without the white space around it', () => {
    expect(requireKey(' phx_abcdef\n', 'stdin')).toBe('phx_abcdef');
  });

  it.each([
    [' \n', 'the key from stdin is empty'],
    ['phc_abc', 'is a public project token'],
  ])('refuses %j', (text, words) => {
    expect(() => requireKey(text, 'stdin')).toThrow(words);
  });
});
