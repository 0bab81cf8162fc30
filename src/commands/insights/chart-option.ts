import type { Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';

/** Whether to draw; without a word a terminal gets a chart, and `--save chart.svg` a picture. */
export const chartOption = {
  chart: {
    type: 'boolean',
    description: 'Draw the result, through a pipe too; --save chart.svg keeps the picture',
  },
} as const satisfies Options;

export type ChartWish = {
  readonly drawn: boolean;
  /** Into a file that is a picture and nothing else. */
  readonly picture: boolean;
};

/** Reads whether a chart is wanted. Throws a usage error where it contradicts the format or the file. */
export function readChart(chart: boolean | undefined, context: Context): ChartWish {
  const { output = 'table', save } = context.options;
  if (chart === true && output !== 'table') {
    throw usageError(`--chart draws, and -o ${output} carries figures`, 'leave out one of them');
  }
  const picture = output === 'table' && /\.svg$/i.test(save ?? '');
  if (picture && chart === false) {
    throw usageError(`--no-chart leaves nothing to save as ${save}`, 'leave it out, or name another file');
  }
  const terminal = context.look().width !== undefined;
  return { drawn: output === 'table' && (picture || (chart ?? terminal)), picture };
}
