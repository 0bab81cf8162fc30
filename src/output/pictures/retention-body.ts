import type { RetentionCell, RetentionChart } from '../charts/chart.ts';
import { type Body, type Corner, FAINT, fitted, type Setting, type Text, WIDTH, widthOf } from './layout.ts';

const CELL = { width: 58, height: 26 } as const;
const HEAD = 26;
const SHADES = ['#f3f8fd', '#9cc3e3', '#3f83bd', '#0b3c6b'];
/** Shares from here on have a dark ground. */
const DARK = 0.55;

/** The triangle of retention as a map of shares, which stand in its cells: the darker, the more came back. */
export function retentionBody(chart: RetentionChart): Body {
  const { first, intervals, cohorts, remarks } = chart;
  const names = cohorts.map(({ name }) => fitted(name, 200));
  const sizes = [first, ...cohorts.map(({ size }) => size)].map((text) => fitted(text, 120));
  const name = Math.max(...names.map((text) => widthOf(text))) + 16;
  const before = name + Math.max(...sizes.map((text) => widthOf(text))) + 14;
  const across = intervals.length * CELL.width;
  const height = cohorts.length * CELL.height;
  const rows = cohorts.map(({ cells }) => cells);
  return {
    width: Math.max(WIDTH, before + across),
    height: HEAD + height,
    names: [],
    remarks: [
      ...remarks,
      'Shares of the first column, rounded. - is a share of nobody, blank is not known yet.',
    ],
    place: ({ left, top }) => {
      const corner = { left: left + before, top: top + HEAD };
      return {
        grid: [{ ...corner, width: across, height }],
        xAxis: [hidden(intervals.length)],
        yAxis: [{ ...hidden(cohorts.length), inverse: true }],
        visualMap: {
          type: 'continuous',
          show: false,
          min: 0,
          max: 1,
          dimension: 2,
          inRange: { color: SHADES },
        },
        series: [heatmap(rows)],
        texts: [
          ...names.map((text, row) => textAt(text, { row, x: left, align: 'left', top: corner.top })),
          ...sizes.map((text, row) =>
            textAt(text, { row: row - 1, x: corner.left - 14, align: 'right', top: corner.top }),
          ),
          ...intervals.map((text, column) =>
            textAt(fitted(text, CELL.width - 4), { row: -1, x: middleOf(column, corner), top: corner.top }),
          ),
          ...nobody(rows, corner),
        ],
      };
    },
  };
}

type Place = {
  readonly row: number;
  readonly x: number;
  readonly top: number;
  readonly align?: 'left' | 'right';
};

/** Row -1 is the one of the heads. */
function textAt(text: string, { row, x, top, align }: Place): Text {
  const y = top + (row + 0.5) * CELL.height;
  return { x, y, text, align: align ?? 'center', ...(row < 0 && { color: FAINT }) };
}

function middleOf(column: number, { left }: Corner): number {
  return left + (column + 0.5) * CELL.width;
}

function hidden(count: number): Setting {
  return { type: 'category', show: false, data: Array.from({ length: count }, (_, index) => index) };
}

type Rows = readonly (readonly (RetentionCell | undefined)[])[];

function heatmap(rows: Rows): Setting {
  const data = rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) => {
      if (cell?.share === undefined) return [];
      const share = Math.min(1, Math.max(0, cell.share));
      const color = share < DARK ? '#111827' : '#ffffff';
      return [{ value: [column, row, share], label: { show: true, formatter: () => cell.text, color } }];
    }),
  );
  return { type: 'heatmap', data, itemStyle: { borderColor: '#ffffff', borderWidth: 1 } };
}

/** Shares of nobody have no shade. */
function nobody(rows: Rows, corner: Corner): readonly Text[] {
  return rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) =>
      cell === undefined || cell.share !== undefined
        ? []
        : [textAt(cell.text, { row, x: middleOf(column, corner), top: corner.top })],
    ),
  );
}
