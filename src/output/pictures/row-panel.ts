import {
  type Corner,
  FILL_COLORS,
  fitted,
  type Parts,
  type Setting,
  TEXT_SIZE,
  type Text,
  widthOf,
} from './layout.ts';

/** A bar on its side, with what stands above and below it; `reach` is how far it would go had nobody been lost. */
export type Row = {
  readonly head: string;
  readonly below: readonly string[];
  readonly value: number | undefined;
  readonly reach?: number | undefined;
  readonly text: string;
};

type Wanted = {
  readonly rows: readonly Row[];
  readonly width: number;
  /** What the longest bar could stand for, if not the largest value. */
  readonly full?: number | undefined;
  readonly bold?: true;
};

/** Rows at a place; `axis` is the number of the axes among those of the picture. */
export type RowPanel = {
  readonly height: number;
  readonly place: (corner: Corner, axis: number) => Parts;
};

const BAR = 18;
const LINE = 16;
/** No bar but that of zero is shorter. */
const LEAST = 2;
const PALE = '#d7e3ef';

type Shape = {
  readonly left: number;
  readonly width: number;
  readonly band: number;
  readonly beside: boolean;
  readonly low: number;
  readonly high: number;
};

/** Bars on one scale from zero. Short heads stand beside their bar, long ones above it, as do those with lines below. */
export function rowPanel({ rows, width, full = 0, bold }: Wanted): RowPanel {
  const heads = Math.max(...rows.map(({ head }) => widthOf(head)));
  const lines = Math.max(...rows.map(({ below }) => below.length));
  const beside = heads <= width * 0.35 && lines === 0 && bold === undefined;
  const label = beside ? heads + 10 : 0;
  const figures = Math.max(...rows.map(({ text }) => widthOf(text))) + 10;
  const values = rows.flatMap(({ value, reach }) => [value ?? 0, reach ?? 0]);
  const low = Math.min(0, ...values);
  const left = label + (low < 0 ? figures : 0);
  const shape = {
    left,
    width: width - left - figures,
    band: (beside ? 8 : LINE + 12) + BAR + lines * LINE,
    beside,
    low,
    high: Math.max(full, ...values) || (low < 0 ? 0 : 1),
  };
  // The library has a bar in the middle of its band, and here there can be more below a bar than above it.
  const middle = (beside ? 4 : LINE) + BAR / 2;
  const height = rows.length * shape.band;
  return {
    height,
    place: (corner, axis) => ({
      grid: [
        { left: corner.left + left, top: corner.top + middle - shape.band / 2, width: shape.width, height },
      ],
      ...axesOf(rows, shape, axis),
      series: seriesOf(rows, shape, axis),
      texts: rows.flatMap((row, index) =>
        textsOf(
          row,
          { left: corner.left, top: corner.top + index * shape.band + middle },
          { beside, label, width, bold },
        ),
      ),
    }),
  };
}

function axesOf(
  rows: readonly Row[],
  { low, high, beside }: Shape,
  axis: number,
): Pick<Parts, 'xAxis' | 'yAxis'> {
  const size = high - low;
  return {
    xAxis: [{ type: 'value', gridIndex: axis, show: false, min: low / size, max: high / size }],
    yAxis: [
      {
        type: 'category',
        gridIndex: axis,
        inverse: true,
        data: rows.map((_, index) => index),
        axisLabel: { show: false },
        axisTick: { show: false },
        axisLine: { show: beside || low < 0, onZero: true, lineStyle: { color: '#6b7280' } },
      },
    ],
  };
}

/** Shares of the scale instead of values, which may be too large or small for the library. */
function seriesOf(rows: readonly Row[], { low, high, width }: Shape, axis: number): readonly Setting[] {
  const size = high - low;
  const share = (value: number) => {
    const exact = value / size;
    return value === 0 ? 0 : Math.sign(value) * Math.max(Math.abs(exact), LEAST / width);
  };
  const common = {
    type: 'bar',
    stack: `row ${axis}`,
    xAxisIndex: axis,
    yAxisIndex: axis,
    barWidth: BAR,
    clip: false,
  };
  const label = (row: Row | undefined, position: string) => ({
    show: true,
    position,
    formatter: () => row?.text ?? '',
    color: '#111827',
    fontSize: TEXT_SIZE,
  });
  const lost = rows.map(({ value = 0, reach }) =>
    reach === undefined ? 0 : Math.max(0, (reach - value) / size),
  );
  return [
    {
      ...common,
      itemStyle: { color: FILL_COLORS[0] },
      data: rows.map((row, index) => ({
        value: share(row.value ?? 0),
        label: lost[index] === 0 ? label(row, (row.value ?? 0) < 0 ? 'left' : 'right') : { show: false },
      })),
    },
    {
      ...common,
      itemStyle: { color: PALE },
      data: lost.map((value, index) => ({
        value,
        label: value === 0 ? { show: false } : label(rows[index], 'right'),
      })),
    },
  ];
}

type Heads = {
  readonly beside: boolean;
  readonly label: number;
  readonly width: number;
  readonly bold: true | undefined;
};

/** `top` is the middle of the bar. */
function textsOf(
  { head, below }: Row,
  { left, top }: Corner,
  { beside, label, width, bold }: Heads,
): readonly Text[] {
  const title: Text = beside
    ? { x: left + label - 8, y: top, text: head, align: 'right' }
    : { x: left, y: top - BAR / 2 - LINE / 2, text: fitted(head, width), ...(bold && { bold }) };
  return [
    title,
    ...below.map(
      (text, index): Text => ({
        x: left,
        y: top + BAR / 2 + (index + 0.5) * LINE,
        text,
        size: 11,
        faint: true,
      }),
    ),
  ];
}
