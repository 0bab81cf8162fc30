import type { Json } from '../../api/json.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import type { Asked, Figures } from '../../output/insight-rows.ts';
import type { ChartWish } from './chart-option.ts';

/** Where there is no terminal to ask for its width. */
const WIDTH = 80;

type Drawn = { readonly answer: Json; readonly asked: Asked; readonly wish: ChartWish };

/**
 * Draws the figures, or writes them as a picture. Returns whether a table is still wanted: where the drawing holds every
 * figure it would say the same again, unless somebody chose its columns. Throws a usage error for a picture of what
 * cannot be drawn.
 */
export async function printChart(
  figures: Figures,
  { answer, asked, wish }: Drawn,
  context: Context,
): Promise<boolean> {
  if (!wish.drawn) return true;
  const { drawChart } = await import('../../output/charts/draw-chart.ts');
  const { width = WIDTH, unicode, color, columns } = context.look();
  const canvas = wish.picture ? { width: WIDTH, unicode: true } : { width, unicode };
  const picture = drawChart(figures, answer, { asked, canvas });
  if (wish.picture) {
    if (picture === undefined) throw noPicture();
    const { svgText } = await import('../../output/charts/svg-text.ts');
    await context.printRaw(svgText(picture.lines, titleOf(answer)));
    return false;
  }
  if (picture === undefined) return true;
  const { paintLines } = await import('../../output/charts/paint-lines.ts');
  const follows = !picture.complete || columns !== undefined;
  await context.printRaw(`${paintLines(picture.lines, { color })}${follows ? '\n' : ''}`);
  return follows;
}

function titleOf(answer: Json): string {
  const name = typeof answer === 'object' && answer !== null && 'name' in answer ? answer.name : undefined;
  return typeof name === 'string' && name !== '' ? name : 'Insight';
}

export function noPicture() {
  return usageError('there is no picture of this result', 'save it as a table or CSV: leave out .svg');
}
