import type { BoxPlotChart } from '../charts/chart.ts';
import { dayAxis } from './day-axis.ts';
import { type Body, type Text, WIDTH } from './layout.ts';
import { scaleAxis } from './scale-axis.ts';

const HEIGHT = 340;
const REMARK =
  'The line reaches from the least to the largest, the box holds the middle half, and the line in it is the median, whose figure stands above.';

/** Box plots, one a day, with the figure of the median above each. */
export function boxPlotBody({ boxes, remarks }: BoxPlotChart): Body {
  const axis = scaleAxis(
    boxes.flatMap(({ values }) => values),
    {},
  );
  const width = WIDTH - axis.room - 20;
  const days = dayAxis(
    boxes.map(({ label }) => label),
    { width, between: true },
  );
  const step = HEIGHT / (axis.scale.last - axis.scale.first);
  const upTo = (value: number) => (axis.scale.last - axis.toSteps(value)) * step;
  return {
    width: WIDTH,
    height: HEIGHT + 24 + days.height,
    names: [],
    remarks: [...remarks, REMARK],
    place: ({ left, top }) => ({
      grid: [{ left: left + axis.room, top: top + 24, width, height: HEIGHT }],
      xAxis: [days.setting],
      yAxis: [axis.setting],
      series: [
        {
          type: 'boxplot',
          clip: false,
          itemStyle: { color: '#9cc3e3', borderColor: '#0b3c6b', borderWidth: 1.5 },
          boxWidth: [4, 50],
          data: boxes.map(({ parts }) => parts?.map(axis.toSteps) ?? []),
        },
      ],
      texts: boxes.flatMap(({ parts, median }, index): readonly Text[] =>
        parts === undefined
          ? []
          : [
              {
                x: left + axis.room + ((index + 0.5) * width) / boxes.length,
                y: top + 24 + upTo(Math.max(...parts)) - 10,
                text: median,
                size: 11,
                align: 'center',
              },
            ],
      ),
    }),
  };
}
