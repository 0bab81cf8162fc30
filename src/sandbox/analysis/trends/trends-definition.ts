import type { Breakdown } from '../breakdown.ts';
import type { Entity } from '../filters/entity.ts';
import type { Selection } from '../selection.ts';
import type { Comparison } from '../time/previous-range.ts';

/** Series over time, whichever of the request forms they came in. */
export type TrendsDefinition = Selection & {
  readonly kind: 'trends';
  readonly series: readonly Entity[];
  readonly breakdown?: Breakdown | undefined;
  readonly hidesOther: boolean;
  readonly display: string;
  /** Over how many periods values are averaged; 1 leaves them alone. */
  readonly smoothing: number;
  /** Such as `A / B * 100`, the letters being the series. */
  readonly formulas: readonly string[];
  readonly compare?: Comparison | undefined;
};

const TOTAL_DISPLAYS: readonly string[] = [
  'BoldNumber',
  'ActionsPie',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
];

/** Whether one value for the whole range is asked for instead of one for each period. */
export function showsTotal({ display }: TrendsDefinition): boolean {
  return TOTAL_DISPLAYS.includes(display);
}

export function isCumulative({ display }: TrendsDefinition): boolean {
  return display === 'ActionsLineGraphCumulative';
}
