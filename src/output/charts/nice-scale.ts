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
