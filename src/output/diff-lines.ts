/** One line of either text: of both, of the new one only, of the old one only. */
export type DiffLine = { readonly mark: ' ' | '+' | '-'; readonly text: string };

/** The shortest way from one list of lines to another, old lines before new ones. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const start = sharedLength(before, after);
  const end = sharedLength(before.slice(start).toReversed(), after.slice(start).toReversed());
  const middle = diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [...before.slice(0, start).map(both), ...middle, ...before.slice(before.length - end).map(both)];
}

function both(text: string): DiffLine {
  return { mark: ' ', text };
}

function sharedLength(left: readonly string[], right: readonly string[]): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length += 1;
  return length;
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let old = 0;
  let fresh = 0;
  while (old < before.length || fresh < after.length) {
    const [left, right] = [before[old], after[fresh]];
    if (left !== undefined && left === right) {
      lines.push(both(left));
      old += 1;
      fresh += 1;
      continue;
    }
    const dropped = common[old + 1]?.[fresh] ?? -1;
    const added = common[old]?.[fresh + 1] ?? -1;
    if (left !== undefined && dropped >= added) {
      lines.push({ mark: '-', text: left });
      old += 1;
    } else {
      lines.push({ mark: '+', text: right ?? '' });
      fresh += 1;
    }
  }
  return lines;
}

/** `[i][j]`: how many lines the rest from i of the one and from j of the other have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let old = before.length - 1; old >= 0; old -= 1) {
    const row = table[old] ?? [];
    const below = table[old + 1] ?? [];
    for (let fresh = after.length - 1; fresh >= 0; fresh -= 1) {
      row[fresh] =
        before[old] === after[fresh]
          ? (below[fresh + 1] ?? 0) + 1
          : Math.max(below[fresh] ?? 0, row[fresh + 1] ?? 0);
    }
  }
  return table;
}
