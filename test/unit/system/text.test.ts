import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControls, nameOfPath, wrapWords } from '../../../src/system/text.ts';

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

describe('a message on a terminal', () => {
  it('is broken between words, and its second line is set off from what is said next', () => {
    expect(wrapWords('error: everybody who was found is done, but 1 id has events', 40)).toBe(
      ['error: everybody who was found is done,', '  but 1 id has events'].join('\n'),
    );
    const long = 'hint: wait; hogctl runs verify 2026 --wait asks again, and more words follow it';
    for (const line of wrapWords(long, 44).split('\n')) expect(line.length).toBeLessThanOrEqual(44);
    expect(wrapWords('Their events stay.\nTheir recordings stay.', 40)).toBe(
      'Their events stay.\nTheir recordings stay.',
    );
  });

  it.each([
    'hogctl runs resume 20261128T213113Z-s1et8j sends what is left of the run',
    "hint: look at it, then run chmod 700 '/home/ana/a state directory/hogctl' and try again",
    'hint: hogctl persons bulk-delete --from people.csv --as <kind> --rate 20/min is what was typed',
    'Nothing was sent. hogctl runs resume last carries out exactly this plan.',
  ])('keeps a command in one piece: %s', (text) => {
    const [whole = ''] = /(hogctl|chmod) .*?(?= sends| and try| is what| carries)/.exec(text) ?? [];
    for (const width of [40, 44, 50, 60, 70]) expect(wrapWords(text, width)).toContain(whole);
  });

  it('leaves lines alone that are a command, or laid out', () => {
    const lines = [
      `HOGCTL_STATE_DIR='/a rather long directory' hogctl runs verify last --wait`,
      `  line 8 of the list holds ${'x '.repeat(30)}`,
      `hogctl runs verify last ${'--option '.repeat(9)}`,
    ];
    for (const line of lines) expect(wrapWords(line, 40)).toBe(line);
  });

  it('never breaks a word, and keeps the space that a question ends with', () => {
    const address = `https://${'x'.repeat(60)}`;
    expect(wrapWords(`ask ${address} again`, 40)).toBe(`ask\n${address}\nagain`);
    expect(wrapWords('This will delete them.\nType 5 to confirm: ', 40)).toMatch(/ $/);
    expect(wrapWords(`Type ${'x'.repeat(35)} to confirm: `, 40)).toMatch(/confirm: $/);
  });

  it('loses and adds nothing but line breaks and what sets them off', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), fc.integer({ min: 40, max: 120 }), (text, width) => {
        const lines = wrapWords(`error: ${text}`, width).split('\n');
        expect(lines.map((line) => line.trim()).join(' ')).toBe(`error: ${text}`);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('a path in a hint', () => {
  it.each([
    ['./runs/2026', './runs/2026'],
    ['rec ord', '"rec ord"'],
    ["it's", `"it's"`],
    ['C:\\runs\\2026', 'C:\\runs\\2026'],
    ['C:\\my runs\\2026', '"C:\\my runs\\2026"'],
    ['\\\\server\\runs', '"\\\\server\\runs"'],
    ['a&b', '"a&b"'],
    ['', "''"],
    ['100% of it', "'100% of it'"],
    ['$(touch x)', "'$(touch x)'"],
    ['C:\\$(touch x)', "'C:\\$(touch x)'"],
    ['back\\slash', "'back\\slash'"],
    ['a"b', `'a"b'`],
    ["it's $5", `'it'\\''s $5'`],
  ])('is quoted as every shell reads it, if one way is the same to all: %j', (path, shown) => {
    expect(nameOfPath(path)).toBe(shown);
  });
});
