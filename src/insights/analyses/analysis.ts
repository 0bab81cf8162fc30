import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import type { Via } from '../../cli/requests.ts';
import { CliError, usageError } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import type { Endpoint, InputOf } from '../../service/endpoint.ts';
import { insights } from '../../service/insights.ts';
import { describeInsight } from '../answers/insight.ts';
import {
  type Ask,
  type Asked,
  type chartOption,
  type ExpectInput,
  expectOptions,
  printFigures,
  readChart,
  sayAnalysisState,
  timed,
} from '../answers/show.ts';

type Operation<Row extends Endpoint> = {
  readonly row: Row;
  readonly input: InputOf<Row>;
  readonly body: JsonObject | undefined;
  readonly via: Via | undefined;
  readonly query: () => JsonObject;
};

/** Asks for an analysis by its own operation, or by the query that does its job, and shows it. */
export async function askOperation<Row extends Endpoint>(
  { row, input, body, via, query }: Operation<Row>,
  analysis: Analysis,
  context: Context,
): Promise<void> {
  refuseBodyInAddress(row, body);
  const ask: Ask<unknown> = async (notice) =>
    (await context.fallback.call(row, input, { via, body, query, ...notice })).answer;
  await showAnalysis(ask, analysis, context);
}

export function refuseBodyInAddress({ method }: Endpoint, body: JsonObject | undefined): void {
  if (method === 'GET' && body !== undefined)
    throw usageError('--get sends no body', 'leave out --get or --body');
}

export const keepingOptions = {
  create: {
    type: 'text',
    needsRows: true,
    placeholder: 'name',
    description: 'Save it as an insight with this name',
  },
  ...expectOptions,
} as const satisfies Options;

export type Wanted = OptionsInput<typeof keepingOptions & typeof chartOption>;

type Analysis = Wanted & {
  /** What was asked, since the answer does not repeat it. */
  readonly asked: Asked;
  readonly query?: JsonObject | undefined;
};

/** Throws if there are no figures, and `check` unless what is expected of them holds. */
export async function showAnalysis(
  ask: Ask<unknown>,
  { asked, query, create, chart, title, ...expected }: Analysis,
  context: Context,
): Promise<void> {
  if (create === '') throw usageError('--create is empty', 'give a name for the insight');
  const hold = await readExpected(expected, context);
  const choice = readChart({ chart, title }, context);
  const { answer, now, began } = await timed(ask, context);
  const figures = jsonOf(answer);
  const remarks = await printFigures(figures, { asked, choice, now }, context);
  sayAnalysisState(figures, remarks, context);
  if (create !== undefined && query !== undefined) await keepQuery(query, create, context);
  hold?.({ ...figures, ...asked }, { now, began });
}

/** What holds the figures to what is expected of them, if something is. Throws a usage error before anything is sent. */
async function readExpected({ expect, maxDrop, maxLag, unfinished }: ExpectInput, context: Context) {
  if ((expect ?? maxDrop ?? maxLag ?? unfinished) === undefined) return undefined;
  const { expectOfAnalysis } = await import('../judging/hold.ts');
  return expectOfAnalysis({ expect, maxDrop, maxLag, unfinished }, context);
}

async function keepQuery(query: JsonObject, name: string, context: Context): Promise<void> {
  const client = await context.client();
  const node = { kind: 'InsightVizNode', source: query };
  const made = await client.call(insights.create, { name, query: node, saved: true });
  context.report(`Created ${describeInsight(made)}.`);
}

/** Every answer is JSON, whose type its row narrows; an empty one is no answer to a calculation. */
function jsonOf(answer: unknown): JsonObject {
  if (typeof answer === 'object' && answer !== null) return answer as JsonObject;
  throw new CliError('unavailable', 'the service answered with something that is not an object');
}
