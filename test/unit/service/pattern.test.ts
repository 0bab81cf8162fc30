import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/service/pattern.ts';

describe('a regular expression that is judged here', () => {
  it.each([
    ['^user1@', 'user1@example.org', true],
    ['^user1@', 'a user1@example.org', false],
    ['@(example|test)\\.org$', 'a@test.org', true],
    ['@(example|test)\\.org$', 'a@test_org', false],
    ['(?i)ANA', 'xxana', true],
    ['(?i)[a-k]$', '\u212a', true],
    ['[^a]', 'a', false],
    ['^[\\w.-]+$', 'a.b-c', true],
    ['\\bana\\b', 'x ana!', true],
    ['\\bana\\b', 'xana', false],
    ['^a{2,3}$', 'aaaa', false],
    ['^(?:a|bc)*$', 'abca', true],
    ['^.$', '😀', true],
    ['', '', true],
    ['a.b', 'a\nb', undefined],
  ])('%s on %j is %s', (pattern, text, holds) => {
    expect(compilePattern(pattern)?.(text)).toBe(holds);
  });

  it.each([
    'a(?=b)',
    '(a)\\1',
    '\\s',
    '\\pL',
    '[[:alpha:]]',
    '[]a]',
    'a{,3}',
    'a**',
    '^*',
    '(?i)ä',
    '(?i)\\w',
    '(',
    'a)',
    '\\x41',
    'a{1001}',
    '(?P<n>a)',
    '((a{500}){500})',
  ])('leaves %s to the service', (pattern) => expect(compilePattern(pattern)).toBeUndefined());

  it('takes time in proportion to the text for what makes others backtrack', () => {
    expect(compilePattern('^(a+)+$')?.(`${'a'.repeat(5000)}b`)).toBe(false);
    expect(compilePattern('(x*)*y'.repeat(20))?.('x'.repeat(500_000))).toBeUndefined();
  });

  it('agrees with JavaScript about what both read', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '1',
      '-',
      '.',
      '[ab]',
      '[^a-b]',
      '\\d',
      '\\w',
      '\\.',
      '\\b',
      '^',
      '$',
    );
    const repeat = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '*?');
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc
        .array(
          fc.tuple(
            fc.oneof(
              { depthSize: 'small' },
              atom,
              tie('expression').map((inner) => `(${inner})`),
            ),
            repeat,
          ),
          { maxLength: 4 },
        )
        .map((parts) => parts.map((part) => part.join('')).join('')),
    }));
    const alternatives = fc.array(expression, { minLength: 1, maxLength: 3 }).map((all) => all.join('|'));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '.', 'é'), maxLength: 8 });
    fc.assert(
      fc.property(alternatives, text, (pattern, given) => {
        const own = compilePattern(pattern);
        if (own !== undefined) expect(own(given)).toBe(new RegExp(pattern, 'su').test(given));
      }),
      { numRuns: 2000, seed: 17 },
    );
  });
});
