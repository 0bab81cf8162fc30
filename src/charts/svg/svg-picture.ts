import {
  type ByShape,
  type Chart,
  descriptionOf,
  type NumberChart,
  ofShape,
  type RetentionCell,
  type RetentionChart,
  type SeriesChart,
} from '../chart.ts';
import { drawingOf, letterOf, ownRange } from '../read-series.ts';
import { boxPlotBody, columnsBody, lifecycleBody } from './columns.ts';
import { linesBody } from './lines.ts';
import { barsBody, funnelBody } from './rows.ts';
import {
  type Block,
  type Body,
  element,
  fitted,
  grouped,
  placed,
  SAMPLE,
  sheet,
  stacked,
  text,
  textLine,
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
  const { width, remarks } = body;
  const lines = [...(chart.period === undefined ? [] : [chart.period]), ...heading.lines];
  const titles = heading.title === '' ? [] : wrapped(heading.title, width, TITLE.size);
  const { height, markup } = stacked([
    ...titles.map((words) => textLine(words, TITLE.height, { size: TITLE.size, bold: true })),
    ...sentences(lines, width),
    space(14),
    legendBlock(body),
    body,
    space(12),
    ...sentences(remarks.map(grouped), width),
  ]);
  return sheet(
    {
      width: width + 2 * MARGIN,
      height: height + MARGIN,
      title: heading.title || 'Chart',
      description: descriptionOf(chart),
    },
    placed(MARGIN, MARGIN / 2, markup),
  );
}

function sentences(lines: readonly string[], width: number): readonly Block[] {
  const broken = lines.filter((each) => each !== '').flatMap((each) => wrapped(each, width));
  return broken.map((words) => textLine(words, LINE, { tone: 'faint' }));
}

function space(height: number): Block {
  return { height, markup: '' };
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

/** As many columns of names as there is room for, read downwards. */
function legendBlock({ legend, width }: Body): Block {
  if (legend.length === 0) return space(0);
  const wide = widest(legend.map(({ name }) => name)) + SAMPLE.width + 26;
  const columns = Math.max(1, Math.min(legend.length, Math.floor((width + 26) / wide)));
  const rows = Math.ceil(legend.length / columns);
  const height = SAMPLE.height + 10;
  const markup = legend.map(({ name, sample }, index) =>
    placed(
      Math.floor(index / rows) * wide,
      (index % rows) * height,
      sample + text(SAMPLE.width + 8, SAMPLE.height / 2, name),
    ),
  );
  return { height: rows * height + 8, markup: markup.join('') };
}

const MOST_COLUMNS = 60;

function seriesBody(chart: SeriesChart): Body {
  const { series, isBars, remarks } = drawingOf(chart, MOST_COLUMNS);
  const names = namesOf(series, { letters: !isBars });
  const drawing = { series, names, unit: chart.unit, remarks };
  return isBars ? columnsBody(drawing) : linesBody(drawing);
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
  const { height, markup } = stacked([
    space(10),
    textLine(fitted(figure, WIDTH, size), size, { size, bold: true }),
    space(14),
    ...names.map((name) => textLine(name, 24, { size: 16 })),
  ]);
  return { width: WIDTH, height: height + 6, markup, legend: [], remarks };
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
  const size = before - 14;
  const middle = (row: number) => HEAD + (row + 0.5) * CELL.height;
  const markup = [
    text(size, HEAD / 2, sizes[0] ?? '', { tone: 'faint', align: 'end' }),
    ...intervals.map((interval, column) => {
      const x = before + (column + 0.5) * wide;
      return text(x, HEAD / 2, fitted(interval, wide - 4), { tone: 'faint', align: 'middle' });
    }),
    ...cohorts.flatMap(({ cells }, row) => [
      text(0, middle(row), names[row] ?? ''),
      text(size, middle(row), sizes[row + 1] ?? '', { align: 'end' }),
      ...cells.map((cell, column) => cellOf(cell, [before + column * wide, middle(row)], wide)),
    ]),
  ];
  return {
    width: Math.max(WIDTH, before + intervals.length * wide),
    height: HEAD + cohorts.length * CELL.height,
    markup: markup.join(''),
    legend: [],
    remarks: [...remarks, SHARES],
  };
}

const SHARES =
  'Shares of the first column, rounded. A - has no share, since its first column is 0. A blank is not known yet.';

/** `middle` is that of the cell. A share of 0 people has no shade. */
function cellOf(
  cell: RetentionCell | undefined,
  [left, middle]: readonly [number, number],
  wide: number,
): string {
  if (cell === undefined) return '';
  const share = Math.min(1, Math.max(0, cell.share ?? 0));
  const place = { x: left + 1, y: middle - CELL.height / 2 + 1, width: wide - 2, height: CELL.height - 2 };
  const shade = { ...place, class: 'shade', 'fill-opacity': 0.08 + 0.92 * share };
  const tone = cell.share !== undefined && share >= STRONG ? 'strong' : 'ink';
  return (
    (cell.share === undefined ? '' : element('rect', shade)) +
    text(left + wide / 2, middle, cell.text, { tone, align: 'middle' })
  );
}
