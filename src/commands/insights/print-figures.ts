import type { Context } from '../../cli/context.ts';
import { CliError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import type { Asked } from '../../output/insight-rows.ts';
import type { Heading } from '../../output/pictures/svg-picture.ts';
import type { ChartWish } from './chart-option.ts';
import { noPicture, printChart } from './print-chart.ts';

/** Why there is nothing to show, where there is nothing. */
export type Nothing = { readonly reason: 'failed' | 'running' | 'not-calculated'; readonly message: string };

type Shown = {
  readonly asked?: Asked;
  readonly wish: ChartWish;
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
  { asked = {}, wish, heading }: Shown,
  context: Context,
): Promise<Nothing | undefined> {
  const { insightRows } = await import('../../output/insight-rows.ts');
  const read = insightRows(answer, asked);
  const nothing = read.outcome === 'no-result' ? { reason: read.reason, message: read.message } : undefined;
  const { output } = context.options;
  if (output === 'json' || output === 'ndjson') {
    await context.print(answer);
    return nothing;
  }
  refuseToSave(nothing, context);
  if (read.outcome === 'unknown') {
    if (wish.picture) throw noPicture();
    context.note(`It is shown as JSON, since ${read.message}.`);
    const { toJsonText } = await import('../../json/write.ts');
    await context.printRaw(`${toJsonText(answer, { indent: 2 })}\n`);
  }
  if (read.outcome === 'rows') {
    const { figures } = read;
    const follows = await printChart(figures, { answer, asked, wish, heading }, context);
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
