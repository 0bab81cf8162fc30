/** The columns of a statement that are running totals, such as `sum(c) OVER (ORDER BY day) AS total`. */
export function runningColumns(sql: string): readonly string[] {
  const windows = windowsIn(sql);
  return [...sql.matchAll(/\)\s{0,20}over\s{0,20}(\(|\w+)/gi)].flatMap(
    ({ 0: found, 1: called = '', index }) => {
      const opening = bracketAt(sql, index - 1, -1);
      if (!ADDING.test(sql.slice(Math.max(0, opening - 60), opening))) return [];
      const end = index + found.length;
      const start = called === '(' ? end : windows.get(called);
      if (start === undefined) return [];
      const closing = bracketAt(sql, start, 1);
      const after = called === '(' ? closing + 1 : end;
      const alias = /^\s{0,20}(?:as\s{1,20})?["`]?(\w+)/i.exec(sql.slice(after, after + 200));
      return isFromTheStart(sql.slice(start, closing)) && alias?.[1] !== undefined ? [alias[1]] : [];
    },
  );
}

/** Where the definition of each window begins, as of `w` in `WINDOW w AS (...)`; of several of one name, the first one. */
function windowsIn(sql: string): ReadonlyMap<string, number> {
  const found = [...sql.matchAll(/(\w{1,100})\s{1,20}as\s{0,20}\(/gi)];
  return new Map(found.reverse().map(({ 0: text, 1: name = '', index }) => [name, index + text.length]));
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
