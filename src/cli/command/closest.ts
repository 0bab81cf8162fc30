/** The nearest of `words`, if one is near enough to be what was meant. */
export function closest<Word extends string>(word: string, words: readonly Word[]): Word | undefined {
  const near = words
    .map((candidate) => ({ candidate, far: distance(candidate, word) }))
    // In a short word two letters are most of the word.
    .filter(({ candidate, far }) => far <= (candidate.length > 3 ? 2 : 1));
  return near.sort((left, right) => left.far - right.far)[0]?.candidate;
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
