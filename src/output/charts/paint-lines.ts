import { Chalk, type ChalkInstance } from 'chalk';
import type { Line, Tone } from './picture.ts';

const SERIES = ['cyan', 'yellow', 'magenta', 'green', 'blue', 'red'] as const;

/** Lines as text for a terminal, each with its line break. */
export function paintLines(lines: readonly Line[], { color }: { readonly color: boolean }): string {
  const paint = new Chalk({ level: color ? 1 : 0 });
  return lines
    .map((line) => `${line.map(({ text, tone }) => painted(text, tone, paint)).join('')}\n`)
    .join('');
}

function painted(text: string, tone: Tone | undefined, paint: ChalkInstance): string {
  if (tone === undefined || text.trim() === '') return text;
  if (tone === 'title') return paint.bold(text);
  if (tone === 'faint') return paint.dim(text);
  return paint[SERIES[tone % SERIES.length] ?? 'cyan'](text);
}
