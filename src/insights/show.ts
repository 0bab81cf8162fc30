import type { Heading } from '../charts/svg/svg-picture.ts';
import type { Options } from '../cli/command/options.ts';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import { isExactNumber, type Json } from '../json/kinds.ts';
import type { Asked, Figures } from '../service/answer.ts';
import { idText } from '../service/ids.ts';
import type { Insight } from '../service/schemas.ts';
import { describeInsight } from './insight.ts';

/** Why there is nothing to show, where there is nothing. */
type Nothing = { readonly reason: 'failed' | 'running' | 'not-calculated'; readonly message: string };

type Shown = {
  readonly asked?: Asked;
  readonly choice: ChartChoice;
  /** What stands above a picture. */
  readonly heading?: Heading;
};

/**
 * Prints the answer of an insight or analysis: as it came where JSON is asked for, else its figures as rows, with a
 * chart where one is wanted. A shape that no rows can be made of is shown as JSON, with a note. Without a result nothing
 * is printed but JSON; the reason is returned. Throws `unavailable` where there is nothing to save.
 */
export async function printFigures(
  answer: Json,
  { asked = {}, choice, heading }: Shown,
  context: Context,
): Promise<Nothing | undefined> {
  const { insightRows } = await import('./figures.ts');
  const read = insightRows(answer, asked);
  const nothing = read.outcome === 'no-result' ? { reason: read.reason, message: read.message } : undefined;
  const { output } = context.options;
  if (output === 'json' || output === 'ndjson') {
    await context.print(answer);
    return nothing;
  }
  refuseToSave(nothing, context);
  if (read.outcome === 'unknown') {
    if (choice.picture) throw noPicture();
    context.note(`It is shown as JSON, since ${read.message}.`);
    const { toJsonText } = await import('../json/write.ts');
    await context.printRaw(`${toJsonText(answer, { indent: 2 })}\n`);
  }
  if (read.outcome === 'rows') {
    const { figures } = read;
    const follows = await printChart(figures, { answer, asked, choice, heading }, context);
    if (!follows) return nothing;
    await context.print(figures.rows, figures.columns);
    for (const [name, value] of Object.entries(figures.summary ?? {})) {
      if (value !== null) context.note(`${name}: ${String(value)}`);
    }
  }
  return nothing;
}

/** A file of yesterday must not be taken for one of today; why a calculation failed is said elsewhere. */
function refuseToSave(nothing: Nothing | undefined, { options }: Context): void {
  if (nothing === undefined || nothing.reason === 'failed' || options.save === undefined) return;
  const hint = nothing.reason === 'running' ? '--wait waits for it' : '--refresh calculates one';
  throw new CliError('unavailable', `${options.save} was not written: ${nothing.message}`, { hint });
}

/** Where there is no terminal to ask for its width. */
const WIDTH = 80;

type Drawn = {
  readonly answer: Json;
  readonly asked: Asked;
  readonly choice: ChartChoice;
  /** What stands above a picture. */
  readonly heading?: Heading | undefined;
};

/**
 * Draws the figures, or writes them as a picture. Returns whether a table is still wanted: where the drawing holds every
 * figure it would say the same again, unless somebody chose its columns. Throws a usage error for a picture of what
 * cannot be drawn.
 */
async function printChart(
  figures: Figures,
  { answer, asked, choice, heading }: Drawn,
  context: Context,
): Promise<boolean> {
  if (!choice.drawn) return true;
  if (choice.picture) {
    const { svgPicture } = await import('../charts/svg/svg-picture.ts');
    const svg = svgPicture(figures, answer, { asked, heading: heading ?? headingOf(figures) });
    if (svg === undefined) throw noPicture();
    await context.printRaw(svg);
    return false;
  }
  const { drawChart, paintLines } = await import('../charts/terminal/draw-chart.ts');
  const { width = WIDTH, unicode, color, columns } = context.outputFormat();
  const picture = drawChart(figures, answer, { asked, canvas: { width, unicode } });
  if (picture === undefined) return true;
  const follows = !picture.complete || columns !== undefined;
  await context.printRaw(`${paintLines(picture.lines, { color })}${follows ? '\n' : ''}`);
  return follows;
}

/** An analysis that was asked for by options has no name. */
function headingOf({ kind }: Figures): Heading {
  return { title: kind === 'correlation' ? 'Funnel correlation' : 'Funnel', lines: [] };
}

function noPicture() {
  return usageError('there is no picture of this result', 'save it as a table or CSV: leave out .svg');
}

/** Whether to draw; without a word a terminal gets a chart, and `--save chart.svg` a picture. */
export const chartOption = {
  chart: {
    type: 'boolean',
    description: 'Draw the result, through a pipe too; --save chart.svg keeps the picture',
  },
} as const satisfies Options;

type ChartChoice = {
  readonly drawn: boolean;
  /** Into a file that is a picture and nothing else. */
  readonly picture: boolean;
};

/** Reads whether a chart is wanted. Throws a usage error where it contradicts the format or the file. */
export function readChart(chart: boolean | undefined, context: Context): ChartChoice {
  const { output = 'table', save } = context.options;
  if (chart === true && output !== 'table') {
    throw usageError(`--chart draws, and -o ${output} carries figures`, 'leave out one of them');
  }
  const picture = output === 'table' && /\.svg$/i.test(save ?? '');
  if (picture && chart === false) {
    throw usageError(`--no-chart leaves nothing to save as ${save}`, 'leave it out, or name another file');
  }
  const terminal = context.outputFormat().width !== undefined;
  return { drawn: output === 'table' && (picture || (chart ?? terminal)), picture };
}

/** Says on stderr which insight a table is of, since its figures don't tell. */
export function sayTitle(insight: Insight, context: Context): void {
  if ((context.options.output ?? 'table') !== 'table') return;
  const name = nameOf(insight);
  context.note(`${name === undefined ? '' : `${name}, `}${originOf(insight)}`);
}

/** The same above a picture, and whether its figures are old ones: a file is read without what stood on stderr. */
export function pictureHeading(insight: Insight): Heading {
  const notes = [deletedNote(insight), runningNote(insight, undefined)];
  return {
    title: nameOf(insight) ?? 'Insight',
    lines: [originOf(insight), ...notes.filter((note) => note !== undefined)],
  };
}

function nameOf(insight: Insight): string | undefined {
  const name = insight.name || insight.derived_name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Which insight, and of when its figures are. */
function originOf(insight: Insight): string {
  const when = insight.last_refresh ? `, calculated ${insight.last_refresh}` : '';
  return `${describeInsight(insight)}${when}`;
}

function deletedNote(insight: Insight): string | undefined {
  return insight.deleted === true ? `${describeInsight(insight)} is deleted` : undefined;
}

function runningNote(insight: Insight, nothing: Nothing | undefined): string | undefined {
  const { complete, id } = insight.query_status ?? {};
  if (complete !== false) return undefined;
  const query = id === undefined ? '' : ` as query ${id}`;
  const figures = nothing
    ? 'there is no result yet'
    : `the figures are those of ${insight.last_refresh ?? 'before'}`;
  return `${describeInsight(insight)} is still being calculated${query}; ${figures}`;
}

/**
 * Says on stderr why an insight has no figures, and when those it has are old ones. Throws where the calculation
 * failed: the service answers 200 all the same.
 */
export function sayState(insight: Insight, nothing: Nothing | undefined, context: Context): void {
  const { error, error_message: reason } = insight.query_status ?? {};
  const name = describeInsight(insight);
  if (error === true) {
    throw new CliError('unavailable', `the calculation of ${name} failed${reason ? `: ${reason}` : ''}`, {
      hint: 'try again later with --refresh',
    });
  }
  const deleted = deletedNote(insight);
  if (deleted !== undefined) {
    context.warn(`warning: ${deleted}; hogctl insights restore ${idText(insight.id)} brings it back`);
  }
  const running = runningNote(insight, nothing);
  if (running !== undefined) {
    context.warn(`warning: ${running}`);
    return;
  }
  if (nothing !== undefined) {
    context.warn(`warning: ${name} has no cached result; --refresh calculates one`);
  }
}

/** The rows of a list that comes bare or in an envelope. */
export function insightRowsOf(answer: Json | object | undefined): readonly Json[] {
  if (isRows(answer)) return answer;
  const results =
    typeof answer === 'object' && answer !== null && 'results' in answer ? answer.results : undefined;
  if (isRows(results)) return results;
  throw new CliError('unavailable', 'the service answered with something that is not a list of insights');
}

/** Elements of an answer are JSON, whatever they are. */
function isRows(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The same answer with every access token masked, wherever in it one stands: some servers answer with a list. */
export function maskTokens(answer: Json): Json {
  if (Array.isArray(answer)) return answer.map(maskTokens);
  if (typeof answer !== 'object' || answer === null || isExactNumber(answer)) return answer;
  const entries = Object.entries(answer).map(([name, value]) =>
    name === 'access_token' && value ? [name, '***'] : [name, maskTokens(value)],
  );
  return Object.fromEntries(entries);
}
