import { isOfferable } from './kept-words.ts';

/** A word to complete to, and what it stands for. */
export type Offer = { readonly word: string; readonly text: string };

type Wish = {
  readonly shell: string;
  /** `columns` is a list with commas; a kind with `=` is followed by a value. */
  readonly kind: string;
  /** The word as far as it is typed, without quotes. */
  readonly typed: string;
};

/** The offers that fit, as lines for the script of a shell. */
export function offerLines(offers: readonly Offer[], { shell, kind, typed }: Wish): string {
  const start = kind === 'columns' ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const named = start.split(',');
  const rest = typed.slice(start.length);
  const end = kind.endsWith('=') ? '=' : '';
  const free = offers.filter(({ word }) => isOfferable(word) && !named.includes(word));
  const fitting = free.filter(({ word }) => word.startsWith(rest));
  const chosen = fitting.length > 0 || shell !== 'bash' ? fitting : byName(free, rest);
  return chosen
    .map(({ word, text }) => `${start}${word}${end}${shell === 'bash' ? '' : describe(text)}\n`)
    .join('');
}

/** Bash shows no descriptions, so a name is a way to find its word, where it is the only one. */
function byName(offers: readonly Offer[], start: string): readonly Offer[] {
  const found = offers.filter(
    ({ text }) => start !== '' && text.toLowerCase().startsWith(start.toLowerCase()),
  );
  return found.length === 1 ? found : [];
}

function describe(text: string): string {
  const line = /^[ -~]*$/.test(text) ? text : text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return line === '' ? '' : `\t${line}`;
}
