import { wrapWords } from './wrap-words.ts';

export const INDENT = '  ';
/** Terminals are seldom narrower, and longer lines are hard to read. */
export const WIDTH = 80;
const NARROWEST_TEXT = 30;

/** Two columns; the right one is broken into lines. */
export function table(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const room = Math.max(NARROWEST_TEXT, WIDTH - INDENT.length - width - 2);
  return rows.flatMap(([left, right]) =>
    wrapWords(right, room).map((text, line) => `${INDENT}${(line === 0 ? left : '').padEnd(width)}  ${text}`),
  );
}

/** Blocks of lines with an empty line between them, each under its title; a block without lines is left out. */
export function sections(parts: readonly (readonly [string | undefined, readonly string[]])[]): string {
  const blocks = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [...(title ? [`${title}:`] : []), ...lines].join('\n'));
  return `${blocks.join('\n\n')}\n`;
}
