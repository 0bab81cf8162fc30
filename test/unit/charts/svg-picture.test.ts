import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { svgPicture } from '../../../src/charts/svg/svg-picture.ts';
import { toChart } from '../../../src/charts/to-chart.ts';
import type { Json } from '../../../src/json/kinds.ts';
import { insightRows } from '../../../src/semantics/figures/figures.ts';
import { anyAnswer, days, exact, funnel, trends } from '../../support/any-answer.ts';
import { PICTURE_ANSWERS } from '../../support/picture-answers.ts';
import { readSvg, type Svg } from '../../support/read-svg.ts';

const heading = { title: 'Orders', lines: ['insight 9'] };

function svgOf(answer: Json, above = heading): string | undefined {
  const read = insightRows(answer);
  if (read.outcome !== 'rows') return undefined;
  const chart = toChart(read.figures, answer, { unicode: true, now: Date.parse('2100-01-01') });
  return chart && svgPicture(chart, above);
}

function draw(answer: Json, above = heading): Svg {
  return readSvg(svgOf(answer, above) ?? '');
}

/** Bars and other areas of one class. */
function areas({ tags }: Svg, tone: string) {
  return tags
    .filter(({ name, attributes }) => name === 'rect' && attributes.class?.split(' ').includes(tone))
    .map(({ attributes }) => ({
      left: Number(attributes.x),
      width: Number(attributes.width),
      height: Number(attributes.height),
      opacity: Number(attributes['fill-opacity']),
    }))
    .filter(({ width, height }) => height > 12 || width !== 30);
}

describe('a picture of any answer', () => {
  it('is well-formed, loads and runs nothing, and is the same each time', () => {
    fc.assert(
      fc.property(anyAnswer, fc.string({ unit: 'grapheme' }), (answer, title) => {
        const above = { title, lines: [title] };
        const svg = svgOf(answer, above);
        if (svg === undefined) return;
        const { tags, texts } = readSvg(svg);
        const names = new Set(tags.map(({ name }) => name));
        expect([...names].filter((name) => !ALLOWED.includes(name))).toEqual([]);
        for (const { attributes } of tags) {
          expect(Object.keys(attributes).filter((name) => /^on|href$/.test(name))).toEqual([]);
          expect(Object.values(attributes).join(' ')).not.toMatch(/NaN|Infinity|undefined|url\(/);
        }
        expect(texts.filter((text) => /\bNaN\b|\bundefined\b|\bnull\b/.test(text))).toEqual([]);
        expect(svgOf(answer, above)).toBe(svg);
      }),
      { numRuns: Number(process.env.HOGCTL_FUZZ ?? 30) },
    );
  });
});

const ALLOWED = ['svg', 'title', 'desc', 'style', 'g', 'rect', 'line', 'path', 'text'];

describe('names and words of anybody', () => {
  const hostile = [
    '__proto__',
    '<script>alert(1)</script>',
    ']]><svg onload=a>',
    '" onload="a',
    'a\u0000\u001b[31mb\u0007',
    '\u202eright\u2066',
    '{b}: {c} {a|x}',
    '\ufffe\uffff\ud800',
    '&amp;&#0;',
  ];

  it.each(hostile)('stay words: %j', (name) => {
    const answer = funnel('steps', [
      { name, order: 0, count: 9 },
      { custom_name: name, order: 1, count: 3, breakdown_value: name },
    ]);
    const lines = trends('ActionsLineGraph', [
      { label: name, data: [1, 2], days: [name, name] },
      { label: `${name} `, data: [2, 1], days: [name, name] },
    ]);
    for (const given of [answer, lines]) {
      const { tags, texts } = draw(given, { title: name, lines: [name] });
      expect(tags.filter((tag) => !ALLOWED.includes(tag.name))).toEqual([]);
      expect(
        tags.flatMap(({ attributes }) => Object.keys(attributes).filter((key) => /^on/.test(key))),
      ).toEqual([]);
      expect(texts.length).toBeGreaterThan(4);
    }
  });

  it('are harmless in the place of figures and days too', () => {
    const odd = ['\u001b[31m7', '<b>\u202e\u0085'];
    const bars = draw(trends('ActionsBar', [{ label: 'a', data: odd, days: odd }]));
    expect(bars.texts).toEqual(expect.arrayContaining(['\\u001b[31m7', '<b>\\u202e\\u0085']));
    const periods = [days(2), odd].map((own) => ({ label: 'a', data: [1, 2], days: own }));
    expect(draw(trends('ActionsLineGraph', periods)).texts).toContain(
      'B a (\\u001b[31m7 to <b>\\u202e\\u0085)',
    );
  });

  it('are shown as they are, controls as their escapes', () => {
    const { texts } = draw(
      trends('ActionsLineGraph', [{ label: '<b>\u001b\u202e&amp;', data: [1, 2], days: days(2) }]),
    );
    expect(texts).toContain('<b>\\u001b\\u202e&amp;');
  });
});

describe('the head of a picture', () => {
  it('is the name, the time and what is to know', () => {
    const { texts } = draw(trends('ActionsLineGraph', [{ label: 'a', data: [1, 2], days: days(2) }]));
    expect(texts.slice(0, 5)).toEqual([
      'Orders',
      'Series over time or steps: a: 1, 2',
      'Orders',
      '2026-01-01 to 2026-01-02',
      'insight 9',
    ]);
  });

  it.each([
    [{ date_from: '-14d' }, 'Last 14 days'],
    [{ date_from: '2026-01-01', date_to: '2026-01-31' }, '2026-01-01 to 2026-01-31'],
    [{ date_from: 'mStart' }, 'From mStart'],
    [{ date_to: '2026-01-31' }, 'Until 2026-01-31'],
  ])('tells the range that was asked for where there are no days: %j', (dateRange, words) => {
    const answer = {
      query: { kind: 'FunnelsQuery', dateRange },
      result: [{ name: 'a', order: 0, count: 1 }],
    };
    expect(draw(answer).texts[3]).toBe(words);
  });

  it('tells the range of the service rather than the one asked for', () => {
    const answer = {
      query: { kind: 'FunnelsQuery', dateRange: { date_from: '-7d' } },
      resolved_date_range: { date_from: '2026-01-01T00:00:00Z', date_to: '2026-01-07T23:59:59Z' },
      result: [{ name: 'a', order: 0, count: 1 }],
    };
    expect(draw(answer).texts[3]).toBe('2026-01-01 00:00 to 2026-01-07 23:59');
  });
});

describe('a picture of a funnel', () => {
  const steps = [
    { name: 'viewed', order: 0, count: 8412 },
    { name: 'added', order: 1, count: 4206, average_conversion_time: 214.2 },
    { name: 'paid', order: 2, count: 1 },
  ];

  it('has bars as long as their counts, pale up to who was there before', () => {
    const drawn = draw(funnel('steps', steps));
    const [first, second, third] = areas(drawn, 'fill0').map(({ width }) => width);
    expect((second ?? 0) / (first ?? 1)).toBeCloseTo(0.5, 2);
    expect(third).toBeGreaterThanOrEqual(1);
    const [pale] = areas(drawn, 'pale');
    expect((pale?.width ?? 0) / (first ?? 1)).toBeCloseTo(0.5, 2);
  });

  it('says steps, counts, conversion, drop-off and times', () => {
    const { texts } = draw(funnel('steps', steps));
    expect(texts).toEqual(expect.arrayContaining(['1 viewed', '2 added', '3 paid', '8,412', '4,206', '1']));
    expect(texts).toContain('50% of previous, 50% of first, 4,206 dropped, average 3m 34s');
    expect(texts).toContain('The pale part of a bar: dropped since the step before.');
  });

  it('stands beside others on one scale for periods, on its own for breakdown values', () => {
    const bars = (key: string) => {
      const result = [
        { name: 'a', order: 0, count: 100, [key]: 'x' },
        { name: 'a', order: 0, count: 50, [key]: 'y' },
      ];
      return areas(draw(funnel('steps', result)), 'fill0');
    };
    const [current, previous] = bars('compare_label');
    expect([current?.left, previous?.left]).toEqual([30, 470]);
    expect((previous?.width ?? 0) / (current?.width ?? 1)).toBeCloseTo(0.5, 1);
    const [one, other] = bars('breakdown_value');
    expect([one?.left, other?.left]).toEqual([30, 470]);
    expect(Math.abs((one?.width ?? 0) - (other?.width ?? 100))).toBeLessThan(20);
  });
});

describe('a picture of a trend', () => {
  const two = [
    { label: 'orders', data: [1, 2, null, 4], days: days(4) },
    { label: 'orders', data: [4, 3, 2, 1], days: days(4) },
  ];

  it('tells series of one name apart by letter, dashes and marks', () => {
    const { texts, tags } = draw(trends('ActionsLineGraph', two));
    expect(texts).toEqual(expect.arrayContaining(['A orders', 'B orders', 'A', 'B']));
    const dashes = tags.filter(({ attributes }) => attributes.class?.startsWith('line line'));
    expect(new Set(dashes.map(({ attributes }) => attributes['stroke-dasharray'])).size).toBeGreaterThan(1);
  });

  it('breaks its line at a gap', () => {
    const { tags } = draw(trends('ActionsLineGraph', two));
    const broken = tags.filter(
      ({ attributes }) => attributes.class === 'line line0' && attributes.d?.match(/M/g)?.length === 2,
    );
    expect(broken.length).toBeGreaterThan(0);
  });

  it('has a column for each figure, and words for a gap', () => {
    const { texts } = draw(
      trends('ActionsBar', [{ label: 'orders', data: [4, 0, null, -2.345], days: days(4) }]),
    );
    expect(texts).toEqual(
      expect.arrayContaining(['4', '0', 'no figure', '-2.35', 'Rounded to two decimals.']),
    );
  });

  it('keeps the digits of a large number', () => {
    const digits = '123456789012345678901234567890';
    const shown = '123,456,789,012,345,678,901,234,567,890';
    const { texts } = draw(trends('BoldNumber', [{ label: 'orders', aggregated_value: exact(digits) }]));
    expect(texts).toEqual(expect.arrayContaining([shown, 'orders']));
  });

  it('is one of twelve at most, and says so', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      label: `s${index}`,
      data: [index, 1],
      days: days(2),
    }));
    expect(draw(trends('ActionsLineGraph', many)).texts).toContain('The first 12 of 20 series.');
  });
});

describe('a picture of retention', () => {
  const values = [1000, 1, 999, 1000, 0, 500].map((count, index) => ({ count, label: `Week ${index}` }));
  const cohort = { date: '2026-01-01', label: 'Week 0', values };
  const drawn = draw({ query: { kind: 'RetentionQuery' }, result: [cohort] });

  it('writes each share into its cell, never rounded to all or nothing', () => {
    expect(drawn.texts).toEqual(
      expect.arrayContaining(['2026-01-01', '1,000', '<1%', '>99%', '100%', '0%', '50%']),
    );
  });

  it('is the stronger the more came back', () => {
    const strengths = areas(drawn, 'shade').map(({ opacity }) => opacity);
    const [few = 0, nearly = 0, all = 0, none = 0, half = 0] = strengths;
    expect(all).toBeGreaterThanOrEqual(nearly);
    expect(nearly).toBeGreaterThan(half);
    expect(half).toBeGreaterThan(few);
    expect(few).toBeGreaterThanOrEqual(none);
  });
});

it.each([4, 6, 10])('draws retention over %d intervals as wide as any other picture', (count) => {
  const values = Array.from({ length: count + 1 }, (_, at) => ({ count: 10, label: `Week ${at}` }));
  const result = [{ date: '2026-01-01', label: 'Week 0', values }];
  const cells = areas(draw({ query: { kind: 'RetentionQuery' }, result }), 'shade');
  const right = Math.max(...cells.map(({ left, width }) => left + width));
  expect(right).toBeGreaterThan(855);
  expect(right).toBeLessThanOrEqual(870);
});

describe('a picture of lifecycle', () => {
  it('puts who stayed away below the axis, and keeps every count to scale', () => {
    const result = [
      { status: 'new', data: [40, 20], days: days(2) },
      { status: 'dormant', data: [-20, -40], days: days(2) },
    ];
    const drawn = draw({ query: { kind: 'LifecycleQuery' }, result });
    expect(drawn.texts).toEqual(
      expect.arrayContaining(['N new', 'D dormant', 'N', 'D', '2026-01-01', '-40']),
    );
    const [first, second] = areas(drawn, 'fill0');
    expect((first?.height ?? 0) / (second?.height ?? 1)).toBeCloseTo(2, 1);
  });
});

describe('texts of a picture', () => {
  const month = Array.from({ length: 31 }, (_, index) => `2026-05-${String(index + 1).padStart(2, '0')}`);
  const wave = (size: number) => month.map((_, index) => Math.round(size * (2 + Math.sin(index * 1.9))));
  const answers: Readonly<Record<string, Json>> = {
    ...PICTURE_ANSWERS,
    month: trends('ActionsLineGraph', [{ label: 'orders', data: wave(100), days: month }]),
    twelve: trends(
      'ActionsLineGraph',
      [...'abcdefghijkl'].map((label, index) => ({ label, data: wave(index + 1), days: month })),
    ),
    columns: trends('ActionsBar', [
      { label: 'a', data: wave(1e6), days: month },
      { label: 'b'.repeat(300), data: wave(3), days: month },
    ]),
    names: trends(
      'ActionsBarValue',
      wave(9).map((aggregated_value, index) => ({
        label: `a name of many words ${index}`,
        aggregated_value,
      })),
    ),
  };

  it.each(Object.keys(answers))('lie apart and inside it: %s', (name) => {
    const texts = placedTexts(svgOf(answers[name] ?? null) ?? '');
    expect(texts.length).toBeGreaterThan(3);
    for (const [index, one] of texts.entries()) {
      expect([one.words, one.left >= 0 && one.right <= one.sheet]).toEqual([one.words, true]);
      const covered = texts.slice(index + 1).filter((other) => covers(one, other));
      expect([one.words, covered.map(({ words }) => words)]).toEqual([one.words, []]);
    }
  });
});

/** Where texts stand, with letters of half their size, which is about the mean of most fonts. */
function placedTexts(svg: string) {
  const { tags } = readSvg(svg);
  const sheet = Number(tags[0]?.attributes.width);
  return tags
    .filter(({ name }) => name === 'text')
    .map(({ attributes, words }) => {
      const size = Number(attributes['font-size'] ?? 12);
      const width = words.length * size * 0.5;
      const shift = { start: 0, middle: width / 2, end: width }[attributes['text-anchor'] ?? 'start'] ?? 0;
      const left = Number(attributes.x) - shift;
      return { words, left, right: left + width, y: Number(attributes.y), size, sheet };
    });
}

type Placed = ReturnType<typeof placedTexts>[number];

function covers(one: Placed, other: Placed): boolean {
  const isLevel = Math.abs(one.y - other.y) < (one.size + other.size) / 2 - 2;
  return isLevel && one.left < other.right && other.left < one.right;
}
