/** The columns of a statement that are running totals, such as `sum(c) OVER (ORDER BY day) AS total`. */
export function runningColumns(sql: string): readonly string[] {
  const windows = windowsIn(sql);
  const pairs = bracketPairs(sql);
  return [...sql.matchAll(/\)\s{0,20}over\s{0,20}(\(|\w+)/gi)].flatMap(
    ({ 0: found, 1: called = '', index }) => {
      const opening = pairs.get(index) ?? 0;
      if (!ADDING.test(sql.slice(Math.max(0, opening - 60), opening))) return [];
      const end = index + found.length;
      const start = called === '(' ? end : windows.get(called);
      if (start === undefined) return [];
      const closing = pairs.get(start - 1) ?? sql.length;
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

/** Where the other bracket of each lies, of those that have one. */
function bracketPairs(sql: string): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: bracket, index } of sql.matchAll(/[()]/g)) {
    const from = bracket === ')' ? open.pop() : undefined;
    if (bracket === '(') open.push(index);
    if (from !== undefined) pairs.set(from, index).set(index, from);
  }
  return pairs;
}
