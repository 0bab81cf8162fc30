/** Differences that are meant: each operation with each of the words, and why. */
export type Disagreement = {
  readonly operations: readonly string[];
  readonly words: readonly string[];
  readonly reason: string;
};

/**
 * Differences that nobody has given a reason for, and reasons whose difference is gone.
 * A difference is written `P6 word`.
 */
export function settle(
  differences: readonly string[],
  meant: readonly Disagreement[],
): { readonly unexplained: readonly string[]; readonly stale: readonly string[] } {
  const explained = new Set(
    meant.flatMap(({ operations, words }) =>
      operations.flatMap((id) => words.map((word) => `${id} ${word}`)),
    ),
  );
  const found = new Set(differences);
  return {
    unexplained: [...found].filter((difference) => !explained.has(difference)),
    stale: [...explained].filter((difference) => !found.has(difference)),
  };
}
