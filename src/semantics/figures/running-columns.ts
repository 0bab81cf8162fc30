/** The columns of a statement that are running totals, such as `sum(c) OVER (ORDER BY day) AS total`. */
export function runningColumns(sql: string): readonly string[] {
  return [...sql.matchAll(/\)\s{0,20}over\s{0,20}(\(|\w+)/gi)].flatMap(
    ({ 0: found, 1: called = '', index }) => {
      const start = index + found.length;
      const isNamed = called !== '(';
      const end = isNamed ? start - 1 : bracketAt(sql, start, 1);
      const opening = bracketAt(sql, index - 1, -1);
      const isAdding = ADDING.test(sql.slice(Math.max(0, opening - 60), opening));
      const window = isNamed ? windowOf(sql, called) : sql.slice(start, end);
      const alias = /^\s{0,20}(?:as\s{1,20})?["`]?(\w+)/i.exec(sql.slice(end + 1, end + 200));
      return isAdding && isFromTheStart(window) && alias?.[1] !== undefined ? [alias[1]] : [];
    },
  );
}

/** What stands in `WINDOW w AS (...)`. */
function windowOf(sql: string, name: string): string {
  for (const { 0: found, 1: called, index } of sql.matchAll(/(\w{1,100})\s{1,20}as\s{0,20}\(/gi)) {
    const start = index + found.length;
    if (called === name) return sql.slice(start, bracketAt(sql, start, 1));
  }
  return '';
}

/** A running maximum never falls, either. */
const ADDING = /\b(?:sum|count|uniq|max)\w{0,30}\s{0,20}$/i;

function isFromTheStart(window: string): boolean {
  const isFramed = /\b(?:rows|range)\b/i.test(window);
  const isOfAll =
    /\bfollowing\b/i.test(window) || (isFramed && !/\bunbounded\s{1,20}preceding\b/i.test(window));
  return /\border\s{1,20}by\b/i.test(window) && !isOfAll;
}

/** Where the bracket lies that ends a part, read forwards or backwards from a place within it. */
function bracketAt(sql: string, from: number, step: 1 | -1): number {
  const [deeper, higher] = step === 1 ? ['(', ')'] : [')', '('];
  let depth = 0;
  for (let at = from; at >= 0 && at < sql.length; at += step) {
    if (sql[at] === deeper) depth += 1;
    else if (sql[at] === higher && depth === 0) return at;
    else if (sql[at] === higher) depth -= 1;
  }
  return step === 1 ? sql.length : 0;
}
