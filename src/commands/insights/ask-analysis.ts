import type { Endpoint, InputOf } from '../../api/endpoint.ts';
import type { Context } from '../../cli/context.ts';
import type { Via } from '../../cli/fallback.ts';
import { CliError, usageError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import type { Asked } from '../../output/insight-rows.ts';
import { readChart } from './chart-option.ts';
import { printFigures } from './print-figures.ts';

type Analysis<Row extends Endpoint> = {
  readonly row: Row;
  readonly input: InputOf<Row>;
  /** What `--body` gave. */
  readonly body: JsonObject | undefined;
  readonly via: Via | undefined;
  readonly query: () => JsonObject;
  /** What was asked, since the answer does not repeat it. */
  readonly asked: Asked;
  /** What `--chart` or `--no-chart` said. */
  readonly chart: boolean | undefined;
};

/** Calculates an analysis and prints its figures. Throws where the service answers without any. */
export async function askAnalysis<Row extends Endpoint>(
  { row, input, body, via, query, asked, chart }: Analysis<Row>,
  context: Context,
): Promise<void> {
  refuseBodyInAddress(row, body);
  const wish = readChart(chart, context);
  const { answer } = await context.callOrQuery(row, input, { via, body, query });
  const nothing = await printFigures(jsonOf(answer), { asked, wish }, context);
  if (nothing?.reason === 'not-calculated') context.warn('warning: the service answered without a result');
  if (nothing === undefined || nothing.reason === 'not-calculated') return;
  throw new CliError('unavailable', nothing.message, { hint: 'try again later' });
}

/** Throws a usage error for a body with GET, which has none. */
export function refuseBodyInAddress({ method }: Endpoint, body: JsonObject | undefined): void {
  if (method === 'GET' && body !== undefined)
    throw usageError('--get sends no body', 'leave out --get or --body');
}

/** An answer is JSON by whatever type its row has; an empty one is no answer to a calculation. */
function jsonOf(answer: unknown): JsonObject {
  if (typeof answer === 'object' && answer !== null) return answer as JsonObject;
  throw new CliError('unavailable', 'the service answered with something that is not an object');
}
