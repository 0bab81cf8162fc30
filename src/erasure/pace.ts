/** Spaces calls evenly: `rate` per minute, over all lanes together. Without a rate nothing is waited for. */
export function createPace({
  rate,
  now,
  wait,
}: {
  readonly rate: number | undefined;
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}): () => Promise<void> {
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    if (rate === undefined) return;
    const turn = Math.max(now(), next);
    next = turn + 60_000 / rate;
    if (turn > now()) await wait(turn - now());
  };
}
