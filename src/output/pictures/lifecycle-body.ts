import type { LifecycleChart } from '../charts/chart.ts';
import { dayAxis } from './day-axis.ts';
import { type Body, FILL_COLORS, type Setting, WIDTH, widthOf } from './layout.ts';
import { scaleAxis } from './scale-axis.ts';

const HEIGHT = 360;
/** Lower parts have no room for their letter. */
const LETTER = 13;
/** Dark, light, middle and pale, so that neighbours differ without colour too. */
const INKS = ['#ffffff', '#111827', '#ffffff', '#111827'] as const;

/** Stacked columns: who came above the axis, who stayed away below it; each part has its letter where there is room. */
export function lifecycleBody({ statuses, days, values, remarks }: LifecycleChart): Body {
  const sums = values.flatMap((day) => [sumOf(day, 1), sumOf(day, -1)]);
  const axis = scaleAxis(sums, { most: 10 });
  const width = WIDTH - axis.room - 20;
  const below = dayAxis(days, { width, between: true });
  const names = statuses.map(({ name, letter }) => `${letter} ${name}`);
  const points = HEIGHT / (axis.scale.last - axis.scale.first);
  const wide = width / Math.max(1, days.length) > widthOf('N') * 1.5;
  return {
    width: WIDTH,
    height: HEIGHT + 10 + below.height,
    names,
    remarks,
    place: ({ left, top }) => ({
      grid: [{ left: left + axis.room, top: top + 10, width, height: HEIGHT }],
      xAxis: [below.setting],
      yAxis: [axis.setting],
      series: statuses.map(
        ({ letter }, place): Setting => ({
          type: 'bar',
          name: names[place],
          stack: 'day',
          clip: false,
          barCategoryGap: '20%',
          barMaxWidth: 90,
          itemStyle: { color: FILL_COLORS[place], borderColor: '#ffffff', borderWidth: 0.5 },
          data: values.map((day) => {
            // A part of nobody has no edge either.
            const value = axis.toSteps(day[place] ?? 0) || null;
            const show = wide && Math.abs(value ?? 0) * points >= LETTER;
            return {
              value,
              label: { show, position: 'inside', formatter: () => letter, color: INKS[place], fontSize: 11 },
            };
          }),
        }),
      ),
    }),
  };
}

function sumOf(day: readonly number[], sign: number): number {
  return day.filter((value) => value * sign > 0).reduce((left, right) => left + right, 0);
}
