import type { JsonObject } from '../../api/json.ts';
import { dataText } from '../cell-text.ts';
import { displayWidth } from '../fit-text.ts';
import type { Figures } from '../insights/answer.ts';
import { field } from '../insights/read.ts';
import { type Bar, barParts } from './bar-lines.ts';
import {
  drawable,
  durationText,
  figureText,
  isRounded,
  isRoundedDuration,
  NO_FIGURE,
} from './figure-text.ts';
import { type Canvas, caption, clean, type Line, type Picture } from './picture.ts';
import { nameOf } from './series.ts';

const MOST_FUNNELS = 15;

/**
 * A funnel as one bar a step, shaded up to who was there before; breakdown values and periods one below the other. The
 * periods of a comparison share one scale, each breakdown value has its own, since their sizes differ widely.
 */
export function drawFunnelSteps({ rows }: Figures, canvas: Canvas): Picture | undefined {
  if (rows.length === 0) return undefined;
  const funnels = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const name = nameOf(row);
    funnels.set(name, [...(funnels.get(name) ?? []), row]);
  }
  const shown = [...funnels].slice(0, MOST_FUNNELS);
  const compared = rows.some((row) => (field(row, 'compare_label') ?? null) !== null);
  const full = compared ? Math.max(...rows.map((row) => drawable(field(row, 'count')) ?? 0)) : undefined;
  const text = Math.max(...rows.map((row) => figureText(field(row, 'count')).length));
  const lines = shown.flatMap(([name, steps], index): readonly Line[] => [
    ...(index === 0 ? [] : [[]]),
    ...(name === '' ? [] : [[{ text: clean(name, canvas.width, canvas), tone: 'title' as const }]]),
    ...funnelLines(steps, canvas, { full, text }),
  ]);
  const all = funnels.size;
  return {
    lines: [...lines, ...remarks(rows, { canvas, compared, all, shown: shown.length })],
    complete: shown.length === all,
  };
}

type Scale = { readonly full: number | undefined; readonly text: number };

function funnelLines(steps: readonly JsonObject[], canvas: Canvas, scale: Scale): readonly Line[] {
  const bars = barParts(steps.map(barOf), canvas, scale);
  return steps.flatMap((step, index): readonly Line[] => [
    headOf(step, canvas),
    [{ text: '  ' }, ...(bars[index] ?? [])],
    ...joined(index === 0 ? [] : detailsOf(step), canvas),
  ]);
}

function barOf(step: JsonObject): Bar {
  const [count, dropped] = [drawable(field(step, 'count')), drawable(field(step, 'dropped'))];
  const lost = dropped !== undefined && dropped > 0 && count !== undefined;
  const reach = lost ? count + dropped : undefined;
  return { label: '', value: count, text: figureText(field(step, 'count')), tone: 0, reach };
}

function headOf(step: JsonObject, canvas: Canvas): Line {
  const number = dataText(field(step, 'order'));
  const place = number !== null && /^\d+$/.test(number) ? `${Number(number) + 1} ` : '';
  const name = dataText(field(step, 'custom_name')) || dataText(field(step, 'name')) || 'step without a name';
  const optional = field(step, 'optional') === true ? ' (optional)' : '';
  return [
    { text: place, tone: 'faint' },
    { text: clean(name, canvas.width - place.length - optional.length, canvas), tone: 'title' },
    { text: optional },
  ];
}

function detailsOf(step: JsonObject): readonly string[] {
  const figure = (key: string, write: (text: string) => string) => {
    const text = figureText(field(step, key));
    return text === NO_FIGURE ? [] : [write(text)];
  };
  const time = (key: string, word: string) => {
    const text = durationText(field(step, key));
    return text === NO_FIGURE ? [] : [`${word} ${text}`];
  };
  return [
    ...figure('conversion_from_previous', (text) => `${text}% of previous`),
    ...figure('conversion_from_first', (text) => `${text}% of first`),
    ...figure('dropped', (text) => `${text} dropped`),
    ...time('average_conversion_time', 'average'),
    ...time('median_conversion_time', 'median'),
  ];
}

/** Short texts side by side as far as they fit. */
function joined(texts: readonly string[], { width }: Canvas): readonly Line[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    const longer = `${last}, ${text}`;
    if (last !== undefined && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(`  ${text}`);
  }
  return lines.map((text) => [{ text }]);
}

type Whole = {
  readonly canvas: Canvas;
  readonly compared: boolean;
  readonly all: number;
  readonly shown: number;
};

function remarks(rows: readonly JsonObject[], { canvas, compared, all, shown }: Whole): readonly Line[] {
  const times = rows.some(
    (row) =>
      isRoundedDuration(field(row, 'average_conversion_time')) ||
      isRoundedDuration(field(row, 'median_conversion_time')),
  );
  const percents = rows.some(
    (row) =>
      isRounded(field(row, 'count')) ||
      !Number.isInteger(drawable(field(row, 'conversion_from_previous')) ?? 0),
  );
  const rounded = [times ? 'Times' : '', percents ? 'percentages' : '']
    .filter((word) => word !== '')
    .join(' and ');
  const shade = canvas.unicode ? '░' : '.';
  return [
    rows.some((row) => field(row, 'optional') === true)
      ? `${shade} dropped since the last step that is not optional, which previous means too.`
      : `${shade} dropped since the step before.`,
    all > 1 && !compared ? 'Each value has a scale of its own.' : '',
    rounded === '' ? '' : `${rounded.slice(0, 1).toUpperCase()}${rounded.slice(1)} are rounded.`,
    shown < all ? `The first ${shown} of ${all}.` : '',
  ]
    .filter((remark) => remark !== '')
    .flatMap((remark) => caption(remark, canvas));
}
