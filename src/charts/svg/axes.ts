import { format } from 'd3-format';
import { scaleLinear } from 'd3-scale';
import { largest, smallest } from '../../json/numbers.ts';
import { type Block, fitted, rule, SMALL, TEXT_SIZE, text, widest, widthOf, wrapped } from './svg.ts';

export type AxisOptions = { readonly height: number; readonly unit?: string; readonly count?: number };

/** An axis of numbers from zero that holds all values, upright on the left of a chart; `at` counts from its upper edge. */
export function valueAxis(values: readonly number[], { height, unit = '', count = 5 }: AxisOptions) {
  const [low, high] = [smallest(values, 0), largest(values, 0)];
  const scale = scaleLinear()
    .domain(low === high ? [0, 1] : [low, high])
    .nice(count)
    .range([height, 0]);
  const ticks = scale.ticks(count);
  const most = largest(ticks.map(Math.abs));
  const texts = ticks.map((tick) => `${tickText(tick, most)}${unit}`);
  const room = widest(texts) + 12;
  return {
    room,
    at: (value: number) => scale(value),
    draw: (width: number) =>
      ticks
        .map((tick, index) => {
          const y = scale(tick);
          const line = rule([0, y], [width, y], tick === 0 ? 'axis' : 'rule');
          return line + text(-8, y, texts[index] ?? '', { tone: 'faint', align: 'end' });
        })
        .join(''),
  };
}

/** `5k`, `2.5M`, `0.25`; all ticks of an axis in the same way. */
function tickText(tick: number, largest: number): string {
  if (tick === 0) return '0';
  if (largest >= 1e15 || largest < 1e-6) return written(tick, '.3~e');
  return largest >= 10_000 ? shortFigure(tick) : written(tick, ',');
}

/** With the plain minus sign that other figures have too. */
function written(value: number, specifier: string): string {
  return format(specifier)(value).replaceAll('\u2212', '-');
}

/** Three digits that count: `10.6k`. */
export function shortFigure(value: number): string {
  if (Math.abs(value) < 1000) return written(value, '.3~r');
  return Math.abs(value) >= 1e15 ? written(value, '.3~e') : written(value, '.3~s').replace('G', 'B');
}

const SLANT = 35;

const LONGEST = 240;

const MOST_LINES = 3;

const LINE = 15;

/** Days, and numbers of days: some of them tell those between. */
const counted = /^\d{4}-\d{2}|^(?:on )?\d+$/;

type Steps = {
  readonly at: (index: number) => number;
  readonly apart: number;
};

/** Days are left out at equal distances if they do not fit. Names are all shown, in lines or slanting. */
export function stepAxis(names: readonly string[], { at, apart }: Steps): Block {
  const texts = names.map((name) => fitted(name, LONGEST));
  if (texts.every((each) => counted.test(each)) || widest(texts) + 8 <= apart) {
    const shown = evenly(texts.length, Math.ceil((widest(texts) + 12) / apart));
    const kept = texts.map((each, index) => (shown(index) ? [each] : []));
    return upright(kept, at);
  }
  const broken = texts.map((each) => wrapped(each, apart - 8));
  const fits = broken.every((lines) => lines.length <= MOST_LINES) && widest(broken.flat()) + 8 <= apart;
  return fits ? upright(broken, at) : slanting(texts, at);
}

/** The first and the last are among them if a distance of up to twice the least allows it. */
function evenly(count: number, least: number): (index: number) => boolean {
  for (let every = least; every <= least * 2; every += 1) {
    if ((count - 1) % every === 0) return (index) => index % every === 0;
  }
  return (index) => index % least === 0;
}

function upright(texts: readonly (readonly string[])[], at: Steps['at']): Block {
  const lines = largest(
    texts.map((each) => each.length),
    1,
  );
  const drawn = texts.flatMap((each, index) =>
    each.map((words, line) =>
      text(at(index), 8 + (line + 0.5) * LINE, words, { tone: 'faint', align: 'middle' }),
    ),
  );
  return { height: 10 + lines * LINE, markup: drawn.join('') };
}

function slanting(texts: readonly string[], at: Steps['at']): Block {
  const angle = (SLANT * Math.PI) / 180;
  // The first names would begin left of the sheet.
  const cut = texts.map((each, index) => fitted(each, Math.max(60, (at(index) + 60) / Math.cos(angle))));
  const drawn = cut.map((words, index) =>
    text(at(index) + 4, 12, words, { tone: 'faint', align: 'end', turn: -SLANT }),
  );
  return { height: Math.ceil(widest(cut) * Math.sin(angle)) + TEXT_SIZE + 14, markup: drawn.join('') };
}

/** Texts that would cover another are left out; earlier ones count more. */
export function withoutOverlap<
  Label extends { readonly x: number; readonly y: number; readonly words: string },
>(labels: readonly Label[]): readonly Label[] {
  const kept: Label[] = [];
  for (const label of labels) {
    const covers = kept.some(
      (other) =>
        Math.abs(other.y - label.y) < SMALL + 3 &&
        Math.abs(other.x - label.x) < (widthOf(other.words, SMALL) + widthOf(label.words, SMALL)) / 2 + 4,
    );
    if (!covers) kept.push(label);
  }
  return kept;
}
