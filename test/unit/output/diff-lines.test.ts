import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../src/output/diff-lines.ts';
import { differenceText } from '../../../src/output/difference-text.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 12 });

describe('the difference of two texts', () => {
  it('holds both of them, whatever they are', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const found = diffLines(before, after);
        expect(found.filter(({ mark }) => mark !== '+').map(({ text }) => text)).toEqual(before);
        expect(found.filter(({ mark }) => mark !== '-').map(({ text }) => text)).toEqual(after);
      }),
    );
  });

  it('is as short as it can be', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const shared = diffLines(before, after).filter(({ mark }) => mark === ' ').length;
        expect(shared).toBe(longest(before, after));
      }),
    );
  });

  it('is nothing between equal texts', () => {
    fc.assert(
      fc.property(lines, (text) => {
        expect(diffLines(text, text).every(({ mark }) => mark === ' ')).toBe(true);
      }),
    );
  });
});

/** The longest common subsequence, straight from its definition. */
function longest([first, ...rest]: readonly string[], other: readonly string[]): number {
  if (first === undefined || other.length === 0) return 0;
  const without = longest(rest, other);
  const at = other.indexOf(first);
  return at === -1 ? without : Math.max(without, 1 + longest(rest, other.slice(at + 1)));
}

describe('a difference for people', () => {
  const query = (product: string) =>
    JSON.stringify({ kind: 'Q', a: 1, b: 2, c: 3, product, d: 4, e: 5, f: 6 }, null, 2);
  const change = {
    mark: '~',
    title: 'a.json: insight 9\u001b[31m',
    parts: [
      { name: 'name', before: '"Old"', after: '"New"' },
      { name: 'filters', before: undefined, after: '{}' },
      { name: 'query', before: query('tea'), after: query('coffee') },
    ],
  } as const;

  it('shows what changes and what is around it', () => {
    expect(differenceText([change], { color: false })).toBe(
      [
        '~ a.json: insight 9\\u001b[31m',
        '  - name: "Old"',
        '  + name: "New"',
        '  + filters: {}',
        '    query: {',
        '    ...',
        '      "b": 2,',
        '      "c": 3,',
        '  -   "product": "tea",',
        '  +   "product": "coffee",',
        '      "d": 4,',
        '      "e": 5,',
        '    ...',
        '',
      ].join('\n'),
    );
  });

  it('says the same without its colours', () => {
    const colored = differenceText([change], { color: true });
    expect(colored).toContain('\u001b[32m  + name: "New"\u001b[39m');
    // biome-ignore lint/complexity/useRegexLiterals: a control character in a literal is a mistake elsewhere
    expect(colored.replace(new RegExp('\u001b\\[\\d+m', 'g'), '')).toBe(
      differenceText([change], { color: false }),
    );
  });
});
