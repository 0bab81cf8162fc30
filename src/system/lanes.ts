/** Look-ups at the same time. */
export const LANES = 4;

/**
 * Does one work for each item, a few at the same time, and gives the results back in their order. After the first
 * failure nothing more is begun, and what is under way is waited for; then it is thrown.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  lanes = LANES,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (const [index, item] of waiting) {
      try {
        results[index] = await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failure !== undefined) throw failure.error;
  return results;
}

/** Begins each work at once if fewer than `most` are under way; the others wait for their turn, in order. */
export function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (open === most) await new Promise<void>((begin) => waiting.push(begin));
    else open += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  };
}
