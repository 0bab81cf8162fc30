import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/errors.ts';
import { dropExpectation, judge } from '../../../../src/insights/judging/judge.ts';
import { parseExpectation } from '../../../../src/insights/judging/parse-expectation.ts';

describe('an expectation that cannot be read', () => {
  it.each([
    ['', 1, 'expected a figure or a name, but found the end'],
    ['last', 5, 'expected a comparison (>= <= == != > <), but found the end'],
    ['last >= ', 8, 'expected a figure or a name, but found the end'],
    ['last => 100', 6, 'write >= for =>'],
    ['lst >= 100', 1, 'unknown name "lst": the names are first, last, previous'],
    ['last >= 1OO', 10, '"OO" is not a unit; units are %, s, min, h, d and w'],
    ['age < 30m', 9, 'write 30min for minutes'],
    ['age < 24', 5, 'one side is a length of time, the other a number; write a time as 24h'],
    ['last >= 20%', 6, 'one side is a number, the other a percentage'],
    ['last >= previous * 80%', 18, 'a percentage cannot be a factor; write 0.8 for 80%'],
    ['last > age', 6, 'one side is a number, the other a length of time'],
    ['(last > 3', 7, 'a closing bracket is missing'],
    ['last > 3 > 2', 10, 'only two sides can be compared; give --expect twice'],
    ['last > 3 4', 10, 'expected the end after one comparison, but found "4"'],
    ['last > $3', 8, '"$" means nothing here'],
    ['last & 3', 6, '"&" means nothing here'],
    ['3 > 2', 1, 'neither side names a figure of the insight'],
    ['mean(2) > 2', 5, 'mean takes no brackets'],
    ['conversion(1) > 2', 12, 'expected the number of a step, from 2'],
    ['conversion(2 > 2', 14, 'a closing bracket is missing'],
    ['last > --', 10, 'expected a figure'],
  ])('is refused with the place and the reason: %s', (text, position, reason) => {
    expect(() => parseExpectation(text)).toThrow(`"${text}" at position ${position}: ${reason}`);
  });

  it('is refused when it is too long, however it is nested', () => {
    expect(() => parseExpectation('('.repeat(100_000))).toThrow('has more than 1000 characters');
    expect(() => parseExpectation('('.repeat(1000))).toThrow(
      'expected a figure or a name, but found the end',
    );
    expect(() => parseExpectation('-'.repeat(1000))).toThrow(
      'expected a figure or a name, but found the end',
    );
  });

  it('is always a usage error, whatever was typed', () => {
    const words = fc.constantFrom(
      'last',
      '>=',
      '(',
      ')',
      '*',
      '-',
      '20%',
      '3',
      '1h',
      'conversion',
      'age',
      '$',
    );
    const lines = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 8 }).map((list) => list.join(' ')),
    );
    fc.assert(
      fc.property(lines, (text) => {
        try {
          const read = parseExpectation(text);
          judge(read, { values: [1, 2], age: 3 });
        } catch (failure) {
          expect(failure).toBeInstanceOf(CliError);
          expect(failure).toMatchObject({ kind: 'usage' });
        }
      }),
    );
  });

  it.each(['20', 'x%', '-5%', '101%', ''])('is refused as a drop: %j', (text) => {
    expect(() => dropExpectation(text)).toThrow('--max-drop takes a percentage');
  });
});

describe('arithmetic in an expectation', () => {
  type Tree = { readonly text: string; readonly value: number };
  const leaf: fc.Arbitrary<Tree> = fc.oneof(
    fc.nat(1000).map((value) => ({ text: String(value), value })),
    fc.constantFrom({ text: 'last', value: 7 }, { text: 'first', value: 3 }, { text: 'sum', value: 15 }),
  );
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*'), tie('tree')).map(([left, operator, right]) => ({
        text: `(${left.text}${operator} ${right.text})`,
        value: calculate(left.value, operator, right.value),
      })),
      tie('tree').map(({ text, value }) => ({ text: `-${text}`, value: -value })),
    ),
  }));

  function calculate(left: number, operator: string, right: number): number {
    if (operator === '+') return left + right;
    return operator === '-' ? left - right : left * right;
  }

  it('is what it is on paper', () => {
    const measured = { values: [3, 5, 7] };
    fc.assert(
      fc.property(tree, tree, ({ text, value }, other) => {
        const hold = (comparison: string) =>
          judge(parseExpectation(`0*last + ${text} ${comparison} ${other.text}`), measured).holds;
        expect(hold('>=')).toBe(value >= other.value);
        expect(hold('<')).toBe(value < other.value);
        expect(hold('==')).toBe(value === other.value);
        expect(hold('!=')).toBe(value !== other.value);
      }),
    );
  });

  it.each([
    ['last >= 2 + 3 * 2 - 1', [7], true],
    ['last >= 8 - 2 - 1', [5], true],
    ['last == 12 / 2 / 3', [2], true],
    ['last>=previous*0.8', [10, 8], true],
    ['- last < 0', [1], true],
  ])('knows what binds how: %s', (text, values, holds) => {
    expect(judge(parseExpectation(text), { values }).holds).toBe(holds);
  });

  it('never takes a division by zero for an answer', () => {
    expect(judge(parseExpectation('last / first != 3'), { values: [0, 5] })).toEqual({
      holds: false,
      found: 'it divides by zero',
    });
  });
});
