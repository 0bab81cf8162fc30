const quotable = /[",\n\r]/;

/**
 * A record of CSV with cells that leave no question: nothing, or text without outer white space, quoted where it holds
 * a quote, a comma or a line break. Undefined for any other, which csv-stringify writes. It writes these the same, but
 * doubles each quote by a call of its own, and JSON in cells is full of quotes.
 */
export function ordinaryRecord(cells: readonly (string | null)[]): string | undefined {
  if (cells.length < 2) return undefined;
  const texts: string[] = [];
  for (const cell of cells) {
    if (cell === '' || (cell !== null && cell.trim() !== cell)) return undefined;
    texts.push(cell === null ? '' : quoted(cell));
  }
  return `${texts.join(',')}\n`;
}

function quoted(cell: string): string {
  return quotable.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
