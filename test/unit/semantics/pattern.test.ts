import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/semantics/pattern.ts';

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
    ['a.*', 'a\nb', true],
    ['\\s', 'a b', true],
    ['^\\pL+$', 'aé', true],
    ['[[:alpha:]]', '1', false],
    ['(?P<n>a)', 'a', true],
  ])('%s on %j is %s', (pattern, text, holds) => {
    expect(compilePattern(pattern)?.(text)).toBe(holds);
  });

  it.each(['a(?=b)', '(a)\\1', 'a**', '(', 'a)', 'a{1001}', '((a{500}){500})'])(
    'leaves %s to the service',
    (pattern) => expect(compilePattern(pattern)).toBeUndefined(),
  );

  it('takes time in proportion to the text for what makes others backtrack', () => {
    expect(compilePattern('^(a+)+$')?.(`${'a'.repeat(5000)}b`)).toBe(false);
    expect(compilePattern('(x*)*y'.repeat(20))?.('x'.repeat(500_000))).toBeUndefined();
  });
});
