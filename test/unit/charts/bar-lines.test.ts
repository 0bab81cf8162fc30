import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Canvas } from '../../../src/charts/terminal/canvas.ts';
import { barLines } from '../../../src/charts/terminal/draw-chart.ts';

const eighths = ' ▏▎▍▌▋▊▉█';

function lengthOf(line: string, { unicode }: Canvas): number {
  const marks = [...line].filter((sign) => (unicode ? eighths.slice(1).includes(sign) : sign === '#'));
  return marks
    .map((sign) => (unicode ? eighths.indexOf(sign) / 8 : 1))
    .reduce((left, right) => left + right, 0);
}

function draw(values: readonly (number | undefined)[], canvas: Canvas): string[] {
  const bars = values.map((value, index) => ({
    label: `bar ${index}`,
    value,
    text: value === undefined ? 'no figure' : String(value),
  }));
  return barLines(bars, canvas).map((line) => line.map(({ text }) => text).join(''));
}

describe('horizontal bars', () => {
  it('are as long as their values, to a mark, whatever those are', () => {
    const value = fc.option(fc.integer({ min: -1000, max: 100_000 }), { nil: undefined });
    const canvas = fc.record({ width: fc.integer({ min: 40, max: 160 }), unicode: fc.boolean() });
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 30 }), canvas, (values, place) => {
        const lines = draw(values, place);
        const lengths = lines.map((line) => lengthOf(line, place));
        const longest = Math.max(...values.map((each) => Math.abs(each ?? 0)));
        const unit = longest / Math.max(...lengths);
        for (const [index, each = 0] of values.entries()) {
          const length = lengths[index] ?? 0;
          expect(length === 0).toBe(each === 0);
          expect(stringWidth(lines[index] ?? '')).toBeLessThanOrEqual(place.width);
          // Whole cells below the axis and in ASCII, eighths else; the unit itself was measured to as much.
          if (each !== 0) expect(Math.abs(length - Math.abs(each) / unit)).toBeLessThanOrEqual(1.6);
        }
      }),
    );
  });

  it('grow from one axis, to both sides', () => {
    expect(draw([10, -5, 0, undefined], { width: 40, unicode: true })).toEqual([
      'bar 0         │███████████████ 10',
      'bar 1 ████████│ -5',
      'bar 2         │ 0',
      'bar 3         │ no figure',
    ]);
  });

  it('have labels above them where those are long', () => {
    const bars = [{ label: 'a label that is longer than two fifths', value: 1, text: '1' }];
    expect(
      barLines(bars, { width: 40, unicode: false }).map((line) => line.map(({ text }) => text).join('')),
    ).toEqual(['a label that is longer than two fifths', `  |${'#'.repeat(35)} 1`]);
  });
});
