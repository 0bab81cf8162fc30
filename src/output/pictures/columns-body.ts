import { letterOf } from '../charts/letters.ts';
import { dayAxis } from './day-axis.ts';
import { type Body, FILL_COLORS, type Setting, WIDTH, widthOf } from './layout.ts';
import { scaleAxis } from './scale-axis.ts';

/** A column for each step; `undefined` where there is no figure. */
type Columns = {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  readonly texts: readonly string[];
};

type Wanted = {
  readonly steps: readonly string[];
  readonly columns: readonly Columns[];
  readonly unit: string;
  readonly remarks: readonly string[];
  /** Bins of a histogram touch. */
  readonly adjoining?: true;
};

const HEIGHT = 320;
/** No column but that of zero is lower. */
const LEAST = 2;

/** Upright bars, those of one step side by side, each with its figure, and its letter where there are several. */
export function columnsBody({ steps, columns, unit, remarks, adjoining }: Wanted): Body {
  const axis = scaleAxis(
    columns.flatMap(({ values }) => values.map((value) => value ?? 0)),
    { unit },
  );
  const several = columns.length > 1;
  const labels = columns.map(({ texts }, place) =>
    texts.map((text) => (several ? `${letterOf(place)} ${text}` : text)),
  );
  const widest = Math.max(...labels.flat().map((text) => widthOf(text, 11)));
  const first = dayAxis(steps, { width: WIDTH - axis.room - 20, between: true });
  const room = Math.max(axis.room, first.overhang - WIDTH / steps.length / 2);
  const width = WIDTH - room - 20;
  const upright = widest > (width / Math.max(1, steps.length * columns.length)) * 0.95;
  const above = (upright ? widest : 14) + 8;
  const days = dayAxis(steps, { width, between: true });
  const height = HEIGHT + above + days.height;
  const drawn = (value: number) =>
    Math.sign(value) *
    Math.max(Math.abs(axis.toSteps(value)), (LEAST * (axis.scale.last - axis.scale.first)) / HEIGHT);
  return {
    width: WIDTH,
    height,
    names: columns.map(({ name }) => name).filter((name) => name !== ''),
    remarks,
    place: ({ left, top }) => ({
      grid: [{ left: left + room, top: top + above, width, height: HEIGHT }],
      xAxis: [days.setting],
      yAxis: [axis.setting],
      series: columns.map(
        ({ name, values }, place): Setting => ({
          type: 'bar',
          name,
          clip: false,
          barGap: '5%',
          barCategoryGap: adjoining ? '2%' : '25%',
          barMaxWidth: adjoining ? undefined : 90,
          itemStyle: { color: FILL_COLORS[place % FILL_COLORS.length] },
          data: values.map((value = 0, index) => ({
            value: drawn(value),
            label: labelOf(labels[place]?.[index] ?? '', { upright, below: value < 0 }),
          })),
        }),
      ),
    }),
  };
}

function labelOf(
  text: string,
  { upright, below }: { readonly upright: boolean; readonly below: boolean },
): Setting {
  return {
    show: true,
    formatter: () => text,
    position: below ? 'bottom' : 'top',
    color: '#111827',
    fontSize: 11,
    ...(upright ? { rotate: 90, align: below ? 'right' : 'left', verticalAlign: 'middle' } : {}),
  };
}
