import { fitted, type Setting, TEXT_SIZE, widthOf, wrapped } from './layout.ts';

const SLANT = 35;
/** A slanting name that is longer is cut. */
const LONGEST = 240;
const MOST_LINES = 3;
const LINE = 15;
const dates = /^\d{4}-\d{2}/;

/** An axis of days or names below a chart, the height it needs, and how far its first text goes to the left of its place. */
export type DayAxis = { readonly height: number; readonly overhang: number; readonly setting: Setting };

/**
 * Days that don't all fit are left out now and then, since the others tell them. Names are never left out: they break
 * into lines, and slant where that does not do.
 */
export function dayAxis(
  days: readonly string[],
  { width, between }: { readonly width: number; readonly between: boolean },
): DayAxis {
  const room = width / Math.max(1, days.length) - 10;
  const texts = days.map((day) => fitted(day, width));
  if (texts.every((text) => dates.test(text)) || widest(texts) <= room) return axisOf(texts, between);
  const broken = texts.map((text) => wrapped(text, room));
  const fits = broken.every((lines) => lines.length <= MOST_LINES) && widest(texts.flatMap(wordsOf)) <= room;
  if (fits)
    return axisOf(
      broken.map((lines) => lines.join('\n')),
      between,
    );
  return slantingAxis(
    texts.map((text) => fitted(text, LONGEST)),
    between,
  );
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ');
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.flatMap((text) => text.split('\n')).map((line) => widthOf(line)));
}

function axisOf(texts: readonly string[], between: boolean): DayAxis {
  const lines = Math.max(1, ...texts.map((text) => text.split('\n').length));
  const setting = settingOf(texts, between);
  const label = {
    ...setting.axisLabel,
    lineHeight: LINE,
    hideOverlap: true,
    showMinLabel: true,
    showMaxLabel: true,
  };
  return {
    height: 13 + lines * LINE,
    overhang: widthOf(texts[0]?.split('\n')[0] ?? '') / 2,
    setting: { ...setting, axisLabel: label },
  };
}

function slantingAxis(texts: readonly string[], between: boolean): DayAxis {
  const angle = (SLANT * Math.PI) / 180;
  const setting = settingOf(texts, between);
  return {
    height: Math.ceil(widest(texts) * Math.sin(angle)) + TEXT_SIZE + 14,
    overhang: Math.ceil(widthOf(texts[0] ?? '') * Math.cos(angle)),
    setting: { ...setting, axisLabel: { ...setting.axisLabel, rotate: SLANT, interval: 0 } },
  };
}

function settingOf(texts: readonly string[], between: boolean) {
  return {
    type: 'category',
    data: texts.map((_, index) => index),
    boundaryGap: between,
    axisTick: { alignWithLabel: true },
    axisLine: { onZero: true, lineStyle: { color: '#6b7280' } },
    axisLabel: { formatter: (_: string, index: number) => texts[index] ?? '', color: '#374151' },
  };
}
