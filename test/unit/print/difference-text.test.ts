import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differenceText } from '../../../src/print/difference.ts';

describe('the difference of two texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 12 });

  it('holds every line that is new or gone, old ones first', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const parts = [{ name: 'x', before: ['x', ...before].join('\n'), after: ['x', ...after].join('\n') }];
        const shown = differenceText([{ mark: '~', title: 't', parts }], { color: false }).split('\n');
        const count = (mark: string) => shown.filter((line) => line.startsWith(`  ${mark} `)).length;
        expect(count('+') - count('-')).toBe(after.length - before.length);
        expect(shown.some((line, at) => line.startsWith('  + ') && shown[at + 1]?.startsWith('  - '))).toBe(
          false,
        );
      }),
    );
  });

  it('is shown for texts that have little in common', () => {
    const text = (word: string) => Array.from({ length: 2000 }, (_, index) => `${word} ${index}`).join('\n');
    const parts = [{ name: 'x', before: text('old'), after: text('new') }];
    const shown = differenceText([{ mark: '~', title: 't', parts }], { color: false }).split('\n');
    expect(shown[1]).toBe('  - x: old 0');
    expect(shown[2001]).toBe('  + x: new 0');
    expect(shown.length).toBe(4002);
  });
});

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
