/** Numbers that look random and are the same each time: what the sample is drawn from. */
export type Draw = {
  /** From 0 to below 1. */
  readonly number: () => number;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  /** True in so many of a hundred cases. */
  readonly percent: (chance: number) => boolean;
  readonly from: <const List extends readonly [unknown, ...unknown[]]>(list: List) => List[number];
};

/** Starts a sequence; the same seed gives the same numbers. */
export function startDraw(seed: number): Draw {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(number() * limit);
  return {
    number,
    below,
    percent: (chance) => number() * 100 < chance,
    from: (list) => list[below(list.length)] ?? list[0],
  };
}
