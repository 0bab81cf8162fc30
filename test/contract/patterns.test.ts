import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';

const source = join(import.meta.dirname, '../../src');

type Pattern = { readonly file: string; readonly pattern: string; readonly flags: string };

/** Every pattern in the sources that can repeat without an end. */
function patterns(): readonly Pattern[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => patternsIn(file, readFileSync(join(source, file), 'utf8')));
}

function patternsIn(file: string, text: string): readonly Pattern[] {
  const found: Pattern[] = [];
  new Visitor({
    Literal: (literal) => {
      if ('regex' in literal) found.push({ file, ...literal.regex });
    },
  }).visit(parseSync(file, text).program);
  return found.filter(({ pattern }) => /[*+]|,\}/.test(pattern));
}

const STARTS = ['', '.', '"', "'", '1', '<', '2020-01-01T00:00:00.', 'SELECT '];
const USUAL = [
  ' ',
  'a',
  '0',
  '_',
  '-',
  '=',
  '"',
  '\\',
  '\\"',
  '<',
  '\n',
  '.',
  'a.',
  '0.',
  'a,',
  '[',
  '(',
  '{',
  ')',
  ',',
  ':',
  '/*',
  '{',
  '://',
  '@',
];

/** What is repeated: usual characters, and the pattern's own words. */
function repeats(pattern: string): readonly string[] {
  const words = pattern.replace(/\\\w/g, ' ').match(/[\w<>"'/=:-]+/g) ?? [];
  return [...new Set([...USUAL, ...words.map((word) => word.slice(0, 12))])];
}

function milliseconds(expression: RegExp, text: string): number {
  const before = process.cpuUsage();
  if (expression.global) text.replace(expression, '');
  else expression.exec(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const SHORT = 4000;
const TIMES = 8;

/** A text for which eight times the length takes far more than eight times the time: a quadratic pattern takes 64. */
function slowText({ pattern, flags }: Pick<Pattern, 'pattern' | 'flags'>): string | undefined {
  const expression = new RegExp(pattern, flags);
  for (const start of STARTS) {
    for (const repeat of repeats(pattern)) {
      const text = (length: number) => `${start}${repeat.repeat(length / repeat.length)}\u0001`;
      const isSlow = () => {
        const short = milliseconds(expression, text(SHORT));
        return short > 0.3 && milliseconds(expression, text(SHORT * TIMES)) > Math.max(1, short) * TIMES * 3;
      };
      // Once or twice it can be something else that this process does meanwhile.
      if (isSlow() && isSlow() && isSlow())
        return `${JSON.stringify(start)} and many of ${JSON.stringify(repeat)}`;
    }
  }
  return undefined;
}

describe('a pattern takes time in proportion to the length of its text', { timeout: 120_000 }, () => {
  const all = patterns();

  it('is looked at in every file', () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it.each(all)('$file: /$pattern/$flags', (pattern) => {
    expect(slowText(pattern)).toBeUndefined();
  });

  it.each([
    ['<title[^>]*>', 'i'],
    ['\\.(\\d*?)0+(?=Z)', ''],
    ['\\([^)]*\\)', 'g'],
  ])('finds that /%s/%s does not', (pattern, flags) => {
    expect(slowText({ pattern, flags })).toBeDefined();
  });
});
