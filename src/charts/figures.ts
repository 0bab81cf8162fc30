import type { Json } from '../json/kinds.ts';
import { dataText } from '../json/text.ts';
import { numberOf } from '../service/answer.ts';

/** What stands where the service gave no figure: a gap is no zero. */
export const NO_FIGURE = 'no figure';

/** Beyond this size, or below its reciprocal, sums and scales are lost in the limits of floating point. */
const LARGEST = 1e200;

/** A number that a mark can be drawn for; undefined for a gap, and for what is too large or too close to zero. */
export function drawable(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  if (number === undefined || number === 0) return number;
  const size = Math.abs(number);
  return size < LARGEST && size > 1 / LARGEST ? number : undefined;
}

/** A figure for people: with its own digits, but at most two decimals; tiny ones keep two digits that count. */
export function figureText(value: Json | undefined): string {
  const digits = dataText(value);
  // A difference of figures that are too large has no digits.
  if (digits === null || (typeof value === 'number' && !Number.isFinite(value))) return NO_FIGURE;
  const number = drawable(value);
  if (number === undefined || /^-?\d+(\.\d{1,2})?$/.test(digits)) return digits;
  if (number !== 0 && Math.abs(number) < 0.01) return String(Number(number.toPrecision(2)));
  return Math.abs(number) < 1e15 ? String(Number(number.toFixed(2))) : digits;
}

export function isRounded(value: Json | undefined): boolean {
  const number = drawable(value);
  return number !== undefined && Number(figureText(value)) !== number;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Seconds as `2d 3h 4m 5s`; below ten seconds with two decimals, above without. */
export function durationText(value: Json | undefined): string {
  const seconds = drawable(value);
  if (seconds === undefined) return NO_FIGURE;
  if (Math.abs(seconds) < 10) return `${figureText(seconds)}s`;
  let left = Math.round(Math.abs(seconds));
  const parts: string[] = [];
  for (const [unit, length] of UNITS) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  if (left > 0) parts.push(`${left}s`);
  return (seconds < 0 ? '-' : '') + parts.join(' ');
}

export function isRoundedDuration(value: Json | undefined): boolean {
  const seconds = drawable(value);
  if (seconds === undefined) return false;
  return Math.abs(seconds) < 10 ? isRounded(value) : !Number.isInteger(seconds);
}

/** Days as they are told apart: without a time where all are midnight. */
export function dayTexts(days: readonly (Json | undefined)[]): readonly string[] {
  const texts = days.map((day) => (typeof day === 'string' ? day : (dataText(day) ?? '')));
  const times = texts.map((text) =>
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text),
  );
  if (!times.every((time) => time !== null)) return texts;
  const midnight = times.every((time) => time?.[2] === undefined || time[2] === '00:00');
  return times.map((time) => (midnight ? (time?.[1] ?? '') : `${time?.[1]} ${time?.[2] ?? '00:00'}`));
}

/** Ticks of an axis: the multiples of `step` from `first` to `last`. Zero is always among them. */
export type Scale = { readonly step: number; readonly first: number; readonly last: number };

/** A scale with at most about `most` steps of 1, 2, 2.5 or 5 times a power of ten that holds all of the values. */
export function niceScale(values: readonly number[], most: number): Scale {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const rough = (high / most - low / most || 1) * (1 - 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10;
  const step = factor * power;
  const first = low === 0 ? 0 : -Math.ceil(-low / step - 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return { step, first, last: Math.max(last, first + 1) };
}

const SUFFIXES = [
  ['T', 1e12],
  ['B', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const;

/** A tick as text, nothing rounded: ticks have few digits. `20k`, `2.5M`, `0.25`. */
export function tickText(scale: Pick<Scale, 'step'>, tick: number): string {
  const value = Number((tick * scale.step).toPrecision(12));
  const [suffix, size] = SUFFIXES.find(([, each]) => scale.step >= each / 10 && Math.abs(value) >= each) ?? [
    '',
    1,
  ];
  return `${Number((value / size).toPrecision(12))}${suffix}`;
}
