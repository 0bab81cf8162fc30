import {
  type ByShape,
  type Chart,
  descriptionOf,
  drawable,
  figureText,
  type NumberChart,
  ofShape,
  type RetentionCell,
  type RetentionChart,
  type SeriesChart,
} from '../chart.ts';
import { drawingOf, letterOf, longestDays, ownRange } from '../read-series.ts';
import { boxPlotBody, columnsBody, lifecycleBody } from './columns.ts';
import { linesBody } from './lines.ts';
import { barsBody, funnelBody } from './rows.ts';
import {
  type Body,
  type Corner,
  element,
  fitted,
  grouped,
  SAMPLE,
  sheet,
  text,
  WIDTH,
  widest,
  widthOf,
  wrapped,
} from './svg.ts';

/** What stands above a picture: the name of the insight, and which one it is and of when. */
export type Heading = { readonly title: string; readonly lines: readonly string[] };

const MARGIN = 30;

const TITLE = { size: 18, height: 26 } as const;

const LINE = 18;

/** SVG with the figures and words of the terminal. */
export function svgPicture(chart: Chart, heading: Heading): string {
  const body = ofShape(BODIES, chart);
  const above = [...(chart.period === undefined ? [] : [chart.period]), ...heading.lines];
  const top = headingBlock(heading.title, above, body.width);
  const legend = legendBlock(body, top.bottom);
  const below = legend.bottom + body.height + 12;
  const remarks = lineBlock(body.remarks.map(grouped), { top: below, width: body.width });
  const size = { width: body.width + 2 * MARGIN, height: remarks.bottom + MARGIN / 2 };
  return sheet(
    { ...size, title: heading.title || 'Chart', description: descriptionOf(chart) },
    [top.markup, legend.markup, body.draw({ left: MARGIN, top: legend.bottom }), remarks.markup].join(''),
  );
}

const BODIES: ByShape<Body> = {
  series: seriesBody,
  bars: barsBody,
  number: numberBody,
  funnel: funnelBody,
  retention: retentionBody,
  lifecycle: lifecycleBody,
  'box-plot': boxPlotBody,
};

type Block = { readonly markup: string; readonly bottom: number };

function headingBlock(title: string, lines: readonly string[], width: number): Block {
  const titles = title === '' ? [] : wrapped(title, width, TITLE.size);
  const markup = titles.map((words, index) =>
    text(MARGIN, MARGIN / 2 + (index + 0.5) * TITLE.height, words, { size: TITLE.size, bold: true }),
  );
  const below = lineBlock(lines, { top: MARGIN / 2 + titles.length * TITLE.height, width });
  return { markup: markup.join('') + below.markup, bottom: below.bottom + 14 };
}

function lineBlock(
  sentences: readonly string[],
  { top, width }: { readonly top: number; readonly width: number },
): Block {
  const lines = sentences.filter((each) => each !== '').flatMap((each) => wrapped(each, width));
  const markup = lines.map((words, index) =>
    text(MARGIN, top + (index + 0.5) * LINE, words, { tone: 'faint' }),
  );
  return { markup: markup.join(''), bottom: top + lines.length * LINE };
}

/** As many columns of names as there is room for, read downwards. */
function legendBlock({ legend, width }: Body, top: number): Block {
  if (legend.length === 0) return { markup: '', bottom: top };
  const wide = widest(legend.map(({ name }) => name)) + SAMPLE.width + 26;
  const columns = Math.max(1, Math.min(legend.length, Math.floor((width + 26) / wide)));
  const rows = Math.ceil(legend.length / columns);
  const height = SAMPLE.height + 10;
  const markup = legend.map(({ name, sample }, index) => {
    const left = MARGIN + Math.floor(index / rows) * wide;
    const y = top + (index % rows) * height;
    return sample({ left, top: y }) + text(left + SAMPLE.width + 8, y + SAMPLE.height / 2, name);
  });
  return { markup: markup.join(''), bottom: top + rows * height + 8 };
}

const MOST_COLUMNS = 60;

function seriesBody(chart: SeriesChart): Body {
  const { style, unit } = chart;
  const { series, isBars, remarks } = drawingOf(chart, MOST_COLUMNS);
  const names = namesOf(series, { letters: !isBars });
  if (!isBars) return linesBody({ series, names, unit, area: style === 'area', remarks });
  return columnsBody({
    steps: longestDays(series),
    columns: series.map(({ values, unfinished }, index) => ({
      name: names[index] ?? '',
      values: values.map(drawable),
      unfinished,
      texts: values.map(
        (value) => `${grouped(figureText(value))}${drawable(value) === undefined ? '' : unit}`,
      ),
    })),
    unit,
    remarks,
  });
}

/** Lines begin with their letter; a series of other days than the first says which. */
function namesOf(
  series: SeriesChart['series'],
  { letters }: { readonly letters: boolean },
): readonly string[] {
  return series.map((one, index) => {
    const range = ownRange(one, series);
    const letter = letters && series.length > 1 ? `${letterOf(index)} ` : '';
    return `${letter}${fitted(one.name, WIDTH - 80 - widthOf(letter + range))}${range}`;
  });
}

const LARGE = 72;

function numberBody({ totals, remarks }: NumberChart): Body {
  const [first, ...others] = totals;
  const figure = grouped(first?.text ?? '');
  const size = Math.max(14, Math.min(LARGE, (LARGE * WIDTH) / Math.max(1, widthOf(figure, LARGE))));
  const names = [
    fitted(first?.name ?? '', WIDTH, 16),
    ...others.map((other) => fitted(`${other.name}: ${grouped(other.text)}`, WIDTH, 16)),
  ];
  return {
    width: WIDTH,
    height: size + 30 + names.length * 24,
    legend: [],
    remarks,
    draw: ({ left, top }) =>
      text(left, top + 10 + size / 2, fitted(figure, WIDTH, size), { size, bold: true }) +
      names
        .map((name, index) => text(left, top + size + 24 + (index + 0.5) * 24, name, { size: 16 }))
        .join(''),
  };
}

const CELL = { width: 58, widest: 220, height: 28 } as const;

const HEAD = 26;

/** Shares from here on have a ground that wants a text of the other lightness. */
const STRONG = 0.66;

/** The triangle of retention as a map of shares, which stand in its cells: the stronger, the more came back. */
function retentionBody(chart: RetentionChart): Body {
  const { first, intervals, cohorts, remarks } = chart;
  const names = cohorts.map(({ name }) => fitted(name, 200));
  const sizes = [first, ...cohorts.map(({ size }) => grouped(size))].map((words) => fitted(words, 120));
  const before = widest(names) + 16 + widest(sizes) + 14;
  const even = Math.floor((WIDTH - before) / Math.max(1, intervals.length));
  const wide = Math.min(CELL.widest, Math.max(CELL.width, even));
  const remark =
    'Shares of the first column, rounded. A - has no share, since its first column is 0. A blank is not known yet.';
  return {
    width: Math.max(WIDTH, before + intervals.length * wide),
    height: HEAD + cohorts.length * CELL.height,
    legend: [],
    remarks: [...remarks, remark],
    draw: ({ left, top }) => {
      const middle = (row: number) => top + HEAD + (row + 0.5) * CELL.height;
      const heads = intervals.map((interval, column) => {
        const x = left + before + (column + 0.5) * wide;
        return text(x, top + HEAD / 2, fitted(interval, wide - 4), { tone: 'faint', align: 'middle' });
      });
      const size = left + before - 14;
      return [
        text(size, top + HEAD / 2, sizes[0] ?? '', { tone: 'faint', align: 'end' }),
        ...heads,
        ...cohorts.flatMap(({ cells }, row) => [
          text(left, middle(row), names[row] ?? ''),
          text(size, middle(row), sizes[row + 1] ?? '', { align: 'end' }),
          ...cells.map((cell, column) =>
            cellOf(cell, { left: left + before + column * wide, top: middle(row) }, wide),
          ),
        ]),
      ].join('');
    },
  };
}

/** `top` is the middle of the cell. A share of 0 people has no shade. */
function cellOf(cell: RetentionCell | undefined, { left, top }: Corner, wide: number): string {
  if (cell === undefined) return '';
  const share = Math.min(1, Math.max(0, cell.share ?? 0));
  const place = { x: left + 1, y: top - CELL.height / 2 + 1, width: wide - 2, height: CELL.height - 2 };
  const shade = { ...place, class: 'shade', 'fill-opacity': 0.08 + 0.92 * share };
  const tone = cell.share !== undefined && share >= STRONG ? 'strong' : 'ink';
  return (
    (cell.share === undefined ? '' : element('rect', shade)) +
    text(left + wide / 2, top, cell.text, { tone, align: 'middle' })
  );
}
