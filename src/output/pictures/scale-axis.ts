import { niceScale, type Scale, tickText } from '../charts/nice-scale.ts';
import { RULE, type Setting, widthOf } from './layout.ts';

/** An axis of numbers that holds all values. Values are drawn in its steps, so that none is too large or small to draw. */
export type ScaleAxis = {
  readonly scale: Scale;
  /** Room for the texts of its ticks. */
  readonly room: number;
  readonly toSteps: (value: number) => number;
  readonly setting: Setting;
};

export function scaleAxis(
  values: readonly number[],
  { unit = '', most = 6 }: { readonly unit?: string; readonly most?: number },
): ScaleAxis {
  const scale = niceScale(values, most);
  const textOf = (tick: number) => `${tickText(scale, Math.round(tick))}${unit}`;
  const ticks = Array.from({ length: scale.last - scale.first + 1 }, (_, index) => scale.first + index);
  return {
    scale,
    room: Math.max(...ticks.map((tick) => widthOf(textOf(tick)))) + 14,
    toSteps: (value) => value / scale.step,
    setting: {
      type: 'value',
      min: scale.first,
      max: scale.last,
      interval: 1,
      axisLabel: { formatter: textOf, color: '#374151' },
      splitLine: { lineStyle: { color: RULE } },
      axisLine: { show: false },
    },
  };
}
