import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Canvas } from '../../../src/charts/terminal/canvas.ts';
import { drawChart, paintLines } from '../../../src/charts/terminal/draw-chart.ts';
import { toChart } from '../../../src/charts/to-chart.ts';
import { asObject, type Json } from '../../../src/json/kinds.ts';
import { insightRows } from '../../../src/semantics/figures/figures.ts';
import { anyAnswer, days, exact, funnel, trends } from '../../support/any-answer.ts';

/** Of each property; `HOGCTL_FUZZ=1000` tries more. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 100);

const plain: Canvas = { width: 60, unicode: true };

function draw(answer: Json, canvas: Canvas = plain): { text: string; complete: boolean } | undefined {
  const read = insightRows(answer);
  if (read.outcome !== 'rows') return undefined;
  const chart = toChart(read.figures, answer, { unicode: canvas.unicode, now: Date.parse('2100-01-01') });
  const picture = chart && drawChart(chart, canvas);
  return picture && { text: paintLines(picture.lines, { color: false }), complete: picture.complete };
}

describe('a chart of any answer', () => {
  it('keeps to its width, holds no control character, and is the same each time', () => {
    const canvas = fc.record({ width: fc.integer({ min: 40, max: 160 }), unicode: fc.boolean() });
    fc.assert(
      fc.property(anyAnswer, canvas, (given, place) => {
        const drawn = draw(given, place)?.text ?? '';
        for (const line of drawn.split('\n')) {
          expect(stringWidth(line)).toBeLessThanOrEqual(place.width);
          expect(line).not.toMatch(
            /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]|NaN|undefined|\bnull\b/,
          );
        }
        expect(draw(given, place)?.text ?? '').toBe(drawn);
      }),
      { numRuns: RUNS },
    );
  });

  it('uses nothing but ASCII of its own where there is no more', () => {
    fc.assert(
      fc.property(anyAnswer, (given) => {
        const asciiOnly = JSON.stringify(given).match(/^[ -~]*$/) !== null;
        fc.pre(asciiOnly);
        expect(draw(given, { width: 80, unicode: false })?.text ?? '').toMatch(/^[\n -~]*$/);
      }),
      { numRuns: RUNS },
    );
  });

  it('is not drawn where nothing says how', () => {
    expect(draw(trends('ActionsLineGraph', []))).toBeUndefined();
    expect(
      draw({ result: [['a', 'b']], columns: ['x', 'y'], query: { kind: 'HogQLQuery' } }),
    ).toBeUndefined();
    expect(
      draw({
        query: { kind: 'LifecycleQuery' },
        result: [
          { status: 'new', label: 'a', data: [1], days: days(1) },
          { status: 'new', label: 'b', data: [1], days: days(1) },
        ],
      }),
    ).toBeUndefined();
  });
});

describe('a line', () => {
  it('breaks at a gap and does not fall to zero', () => {
    const rows =
      draw(
        trends('ActionsLineGraph', [{ label: 'a', data: [10, 10, null, 10, 10], days: days(5) }]),
      )?.text.split('\n') ?? [];
    const top = rows.find((row) => row.includes('●')) ?? '';
    expect(top.match(/●/g)).toHaveLength(4);
    expect(top).toMatch(/● {10,}●/);
    expect(rows.filter((row) => row.includes('●'))).toHaveLength(1);
  });

  it('is dotted where it leads to a day that was not over', () => {
    const week = trends('ActionsLineGraph', [{ label: 'a', data: [9, 9, 9], days: days(3) }]);
    const cells = (calculated: string) =>
      draw({ ...asObject(week), last_refresh: calculated })?.text.match(/[\u2801-\u28ff]/g)?.length ?? 0;
    expect(cells('2026-01-04T12:00:00Z')).toBe(53);
    expect(cells('2026-01-03T12:00:00Z')).toBe(44);
  });

  it('stands on its tick, below the axis too', () => {
    const rows =
      draw(trends('ActionsLineGraph', [{ label: 'a', data: [10, 0, -10], days: days(3) }]))?.text.split(
        '\n',
      ) ?? [];
    const ticksOfPoints = rows.filter((row) => row.includes('●')).map((row) => row.trim().split(' ')[0]);
    expect(ticksOfPoints).toEqual(['10', '0', '-10']);
  });

  it('of a previous period says its own days', () => {
    const current = {
      label: 'a',
      compare_label: 'current',
      data: [1, 2],
      days: ['2026-01-08', '2026-01-09'],
    };
    const previous = {
      label: 'a',
      compare_label: 'previous',
      data: [3, 1],
      days: ['2026-01-01', '2026-01-02'],
    };
    const drawn = draw(trends('ActionsLineGraph', [current, previous]))?.text ?? '';
    expect(drawn).toContain('A a, current\nB a, previous (2026-01-01 to 2026-01-02)\n');
    expect(drawn).toMatch(/2026-01-08 +2026-01-09\n$/);
  });

  it('is one of twelve at most, and says so', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      label: `s${index}`,
      data: [index, 1],
      days: days(2),
    }));
    expect(draw(trends('ActionsLineGraph', many))?.text).toContain('The first 12 of 20 series');
  });

  it('of an area is a line, which says that it is not stacked', () => {
    const two = ['a', 'b'].map((label) => ({ label, data: [4, 4], days: days(2) }));
    expect(draw(trends('ActionsAreaGraph', two))?.text).toContain('Drawn as lines that are not stacked.');
    expect(draw(trends('ActionsAreaGraph', two.slice(1)))?.text).toBe(
      draw(trends('ActionsLineGraph', two.slice(1)))?.text,
    );
  });
});

describe('lifecycle', () => {
  it('puts who stayed away below the axis', () => {
    const result = [
      { status: 'new', data: [40, 0], days: days(2) },
      { status: 'dormant', data: [-20, -40], days: days(2) },
    ];
    const rows = draw({ query: { kind: 'LifecycleQuery' }, result })?.text.split('\n') ?? [];
    const axis = rows.findIndex((row) => /^ *0 ┼/.test(row));
    expect(rows.slice(1, axis).join('')).not.toContain('D');
    expect(rows.slice(axis, -2).join('')).not.toContain('N');
    // Eight rows of five, and the legend.
    expect(rows.filter((row) => row.includes('N')).length).toBe(9);
  });
});

describe('retention', () => {
  it('never rounds a few to none, or nearly all to all', () => {
    const values = [1000, 1, 999, 1000, 0, 500].map((count, index) => ({ count, label: `Week ${index}` }));
    const drawn = draw({
      query: { kind: 'RetentionQuery' },
      result: [{ date: '2026-01-01', label: 'Week 0', values }],
    });
    expect(drawn?.text.split('\n').slice(0, 2)).toEqual([
      '           Week 0     1     2     3     4     5',
      '2026-01-01   1000  ░<1% █>99% █100%    0%  ▒50%',
    ]);
    expect(drawn?.complete).toBe(false);
  });
});

describe('a single number', () => {
  it('is large and plain, with its own digits', () => {
    const drawn = draw(trends('BoldNumber', [{ label: 'orders', aggregated_value: 1708 }]));
    expect(drawn).toEqual({
      text: '▄█  ▀▀█ █▀█ █▀█\n █    █ █ █ █▀█\n▀▀▀   ▀ ▀▀▀ ▀▀▀\n\norders: 1708\n',
      complete: true,
    });
    const digits = exact('12345678901234567890123');
    expect(draw(trends('BoldNumber', [{ label: 'orders', aggregated_value: digits }]))?.text).toBe(
      'orders: 12345678901234567890123\n',
    );
  });
});

describe('a funnel', () => {
  const at = (order: number, count: number, extra = {}) => ({ name: `s${order}`, order, count, ...extra });

  it('has one scale for periods, and one each for breakdown values', () => {
    const widths = (result: Json) =>
      draw(funnel('steps', result))
        ?.text.split('\n')
        .filter((row) => row.includes('│'))
        .map((row) => row.match(/█/g)?.length ?? 0);
    expect(
      widths([at(0, 100, { compare_label: 'current' }), at(0, 50, { compare_label: 'previous' })]),
    ).toEqual([53, 26]);
    expect(widths([[at(0, 100, { breakdown_value: 'a' })], [at(0, 50, { breakdown_value: 'b' })]])).toEqual([
      53, 53,
    ]);
  });

  it('leaves out what nobody can say', () => {
    const drawn = draw(funnel('steps', [at(0, 0), at(1, 0, { average_conversion_time: null })]))?.text ?? '';
    expect(drawn).toContain('2 s1\n  │ 0\n  0 dropped\n');
    expect(drawn).not.toContain('%');
  });
});
