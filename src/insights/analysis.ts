import type { OptionsInput } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import type { Via } from '../cli/fallback.ts';
import { CliError, usageError } from '../errors.ts';
import { asObject, filled, type JsonObject } from '../json/kinds.ts';
import type { Asked } from '../service/answer.ts';
import type { Endpoint, InputOf } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import {
  type FunnelFlags,
  type FunnelParameters,
  type funnelOptions,
  funnelParameters,
  funnelQuery,
  type getOption,
  readFunnel,
} from './funnel.ts';
import { type chartOption, printFigures, readChart, sayAnalysisState } from './show.ts';

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
  const choice = readChart(chart, context);
  const { answer } = await context.callOrQuery(row, input, { via, body, query });
  const figures = jsonOf(answer);
  const remarks = await printFigures(figures, { asked, choice, now: context.now() }, context);
  sayAnalysisState(figures, remarks, context);
}

type FunnelInput = OptionsInput<typeof funnelOptions & typeof getOption & typeof chartOption> & {
  readonly via?: Via | undefined;
};

/** Calculates a funnel from its options, or from the query that does its job, and prints it. */
export async function askFunnel({ get, via, chart, ...flags }: FunnelInput, context: Context): Promise<void> {
  const parameters = readFunnel(flags, context);
  await askAnalysis(
    {
      row: get ? insights.funnelGet : insights.funnel,
      input: parameters,
      body: flags.body,
      via,
      chart,
      query: () => funnelQuery(parameters),
      asked: { filters: filled({ insight: 'FUNNELS', ...parameters }) },
    },
    context,
  );
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

/** The funnel of a correlation, and the whole body where one was given: the funnel is its field `filters`. */
type CorrelatedFunnel = { readonly filters: FunnelParameters; readonly body: JsonObject | undefined };

/** Throws a usage error where there are neither events nor actions. */
export function correlatedFunnel(flags: FunnelFlags, context: Context): CorrelatedFunnel {
  const { body, ...others } = flags;
  if (body === undefined) return { filters: readFunnel(flags, context), body };
  return { filters: funnelParameters({ ...others, body: asObject(body.filters) ?? {} }), body };
}
