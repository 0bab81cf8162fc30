import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import type { Asked, Figures } from '../../output/insight-rows.ts';
import type { Heading } from '../../output/pictures/svg-picture.ts';
import type { ChartWish } from './chart-option.ts';

/** Where there is no terminal to ask for its width. */
const WIDTH = 80;

type Drawn = {
  readonly answer: Json;
  readonly asked: Asked;
  readonly wish: ChartWish;
  /** What stands above a picture. */
  readonly heading?: Heading | undefined;
};

/**
 * Draws the figures, or writes them as a picture. Returns whether a table is still wanted: where the drawing holds every
 * figure it would say the same again, unless somebody chose its columns. Throws a usage error for a picture of what
 * cannot be drawn.
 */
export async function printChart(
  figures: Figures,
  { answer, asked, wish, heading }: Drawn,
  context: Context,
): Promise<boolean> {
  if (!wish.drawn) return true;
  if (wish.picture) {
    const { svgPicture } = await import('../../output/pictures/svg-picture.ts');
    const svg = svgPicture(figures, answer, { asked, heading: heading ?? headingOf(figures) });
    if (svg === undefined) throw noPicture();
    await context.printRaw(svg);
    return false;
  }
  const { drawChart, paintLines } = await import('../../output/charts/draw-chart.ts');
  const { width = WIDTH, unicode, color, columns } = context.look();
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

export function noPicture() {
  return usageError('there is no picture of this result', 'save it as a table or CSV: leave out .svg');
}
