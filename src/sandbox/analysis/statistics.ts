/** The sum of numbers divided by how many there are; null of none. */
export function average(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null;
  return sum(numbers) / numbers.length;
}

/** The middle number, of an even number of them the middle of both; null of none. */
export function median(numbers: readonly number[]): number | null {
  return quantile(numbers, 0.5);
}

/** The number below which a share of all numbers lies, interpolated between neighbours; null of none. */
export function quantile(numbers: readonly number[], share: number): number | null {
  if (numbers.length === 0) return null;
  const sorted = Float64Array.from(numbers).sort();
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? 0;
  return below + (above - below) * (position - Math.floor(position));
}

export function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Rounds to two places, as the service writes percentages. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}
