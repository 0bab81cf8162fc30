import { describe, expect, it } from 'vitest';
import { escapeControls } from '../../../src/system/text.ts';

describe('escapeControls', () => {
  it('shows every kind of control character as an escape', () => {
    expect(escapeControls('\u0000\u001b\u007f\u009b\u2028\u202e\u2066\u200f')).toBe(
      '\\u0000\\u001b\\u007f\\u009b\\u2028\\u202e\\u2066\\u200f',
    );
    expect(escapeControls('a\tb\r\n')).toBe('a\\tb\\r\\n');
    expect(escapeControls('half \ud83d emoji')).toBe('half \\ud83d emoji');
  });

  it('keeps line feeds when asked, and nothing else', () => {
    expect(escapeControls('a\r\nb\u0007', { keepLineBreaks: true })).toBe('a\\r\nb\\u0007');
  });

  it('leaves the text of all scripts alone', () => {
    const text = '日本語 👩‍👩‍👧 e\u0301 سلام 🛒';
    expect(escapeControls(text)).toBe(text);
  });
});
