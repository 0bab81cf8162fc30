import { describe, expect, it } from 'vitest';
import { flagOf, GLOBAL_OPTIONS, takesValue } from '../../../../src/cli/command/options.ts';
import { offerLines } from '../../../../src/cli/completion/offer-lines.ts';
import {
  isOperandPlace,
  optionValue,
  plainWord,
  SWITCHES,
} from '../../../../src/cli/completion/typed-words.ts';
import { splitWords } from '../../../support/split-words.ts';

const insights = [
  { word: 'M49megqP', text: 'Orders per day' },
  { word: 'zeNY2NOU', text: 'Weekly sign-ups' },
  { word: 'zeOther0', text: 'Weekly orders' },
];
const keys = ['plan', '$browser', 'distinct_ids'].map((word) => ({ word, text: '' }));

describe('the lines for a shell', () => {
  it('are words, and behind a tab what they stand for', () => {
    expect(offerLines(insights, { shell: 'fish', kind: 'insight', typed: 'M' })).toBe(
      'M49megqP\tOrders per day\n',
    );
    expect(offerLines(keys, { shell: 'zsh', kind: 'property', typed: '$b' })).toBe('$browser\n');
  });

  it('are words alone for bash, where the one that has the name will do', () => {
    const wish = { shell: 'bash', kind: 'insight' };
    expect(offerLines(insights, { ...wish, typed: 'ze' })).toBe('zeNY2NOU\nzeOther0\n');
    expect(offerLines(insights, { ...wish, typed: 'weekly s' })).toBe('zeNY2NOU\n');
    expect(offerLines(insights, { ...wish, typed: 'weekly' })).toBe('');
    expect(offerLines(insights, { ...wish, shell: 'fish', typed: 'weekly s' })).toBe('');
  });

  it('go on with a list, and repeat nothing of it', () => {
    const wish = { shell: 'bash', kind: 'columns' };
    expect(offerLines(keys, { ...wish, typed: 'plan,' })).toBe('plan,$browser\nplan,distinct_ids\n');
    expect(offerLines(keys, { ...wish, typed: 'plan,d' })).toBe('plan,distinct_ids\n');
  });

  it('end with = where a value follows', () => {
    expect(offerLines(keys, { shell: 'zsh', kind: 'property=', typed: 'pl' })).toBe('plan=\n');
  });

  it('hold nothing that a shell would run, and one line each', () => {
    const hostile = ['$(touch x)', 'a\nb', "it's", '`x`', 'a b', '-rf'].map((word) => ({ word, text: 'x' }));
    expect(offerLines(hostile, { shell: 'zsh', kind: 'project', typed: '' })).toBe('');
    const text = 'one\ttwo\nthree\u001b[31m\u202e';
    expect(offerLines([{ word: 'A', text }], { shell: 'zsh', kind: 'insight', typed: '' })).toBe(
      'A\tone two three [31m\n',
    );
  });
});

describe('a word as it is typed', () => {
  it.each([
    ['plan', 'plan'],
    ["'a b", 'a b'],
    ['"a b"c', 'a bc'],
    ['\\$browser', '$browser'],
    ["'\\$x'", '\\$x'],
    ['"\\$x"', '$x'],
    ['a\\', 'a\\'],
  ])('%s is %s without its quotes', (typed, plain) => {
    expect(plainWord(typed)).toBe(plain);
  });
});

describe('the value of an option', () => {
  const spellings = ['--project', '-p'];
  it.each([
    ['-p shop persons list', 'shop'],
    ['-pshop persons', 'shop'],
    ['-p=shop persons', 'shop'],
    ['--project=shop persons -p eu', 'eu'],
    ['persons list --project', undefined],
    ['persons list -- -p shop', undefined],
    ['persons list', undefined],
  ])('in %s is %s', (line, value) => {
    expect(optionValue(splitWords(line), spellings)).toBe(value);
  });
});

describe('the place of an argument', () => {
  it.each([
    ['insights get', '0', true],
    ['insights get --yes -q', '0', true],
    ['insights get --max-age 24h', '0', true],
    ['-p shop insights get', '0', true],
    ['insights get M49megqP', '0', false],
    ['insights get --short-id M49megqP', '0', false],
    ['insights viewed 1 2', 'any', true],
    ['persons unset', '1', false],
    ['persons unset 42', '1', true],
    ['persons unset --dry-run 42', '1', true],
    ['persons unset --email=ana@example.org', '1', true],
    ['persons set --distinct-id u1 plan', '1', false],
    ['persons set 42 plan', '1', false],
    ['persons list', undefined, true],
  ])('after %s with number %s: %s', (line, position, expected) => {
    expect(isOperandPlace(splitWords(line), position)).toBe(expected);
  });

  it('knows every global option without a value', () => {
    const flags = Object.entries(GLOBAL_OPTIONS).flatMap(([name, option]) => {
      if (takesValue(option)) return [];
      const flag = 'negative' in option ? `--no-${name}` : flagOf(name);
      return 'short' in option ? [flag, `-${option.short}`] : [flag];
    });
    expect(flags.filter((flag) => !SWITCHES.includes(flag))).toEqual([]);
  });
});
