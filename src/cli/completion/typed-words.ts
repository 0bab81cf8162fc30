import { GLOBAL_OPTIONS } from '../command/global-options.ts';
import { flagOf, takesValue } from '../command/options.ts';

/** A word as the command would get it, of one as it stands on the line: without its quotes. */
export function plainWord(word: string): string {
  let plain = '';
  let quote = '';
  for (let at = 0; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    if (letter === quote) quote = '';
    else if (quote === '' && (letter === "'" || letter === '"')) quote = letter;
    else if (letter === '\\' && quote !== "'" && at + 1 < word.length) plain += word[++at];
    else plain += letter;
  }
  return plain;
}

/** The value of an option, the last where there are several. */
export function optionValue(line: readonly string[], spellings: readonly string[]): string | undefined {
  let value: string | undefined;
  for (const [at, word] of line.entries()) {
    if (word === '--') break;
    for (const spelling of spellings) {
      if (word === spelling) value = line[at + 1];
      const joined = spelling.startsWith('--') ? `${spelling}=` : spelling;
      if (word !== spelling && word.startsWith(joined)) value = word.slice(joined.length).replace(/^=/, '');
    }
  }
  return value;
}

const STAND_INS = ['--distinct-id', '--email', '--short-id'];
const SWITCHES = new Set([
  ...Object.entries(GLOBAL_OPTIONS)
    .filter(([, option]) => !takesValue(option))
    .flatMap(([name, option]) => [flagOf(name), ...('short' in option ? [`-${option.short}`] : [])]),
  '--string',
  '--no-headers',
]);

/**
 * Whether the next word of a line is its operand of that number, counted from 0; an option that stands for the first one
 * counts as it. A word after an option that is no known switch is taken for its value.
 */
export function isOperandPlace(line: readonly string[], position: string | undefined): boolean {
  if (position === undefined) return true;
  let count = -2;
  for (const [at, word] of line.entries()) {
    const previous = line[at - 1] ?? '';
    const isValue = previous.startsWith('-') && !previous.includes('=') && !SWITCHES.has(previous);
    if (word.startsWith('-')) count += STAND_INS.some((one) => word.split('=')[0] === one) ? 1 : 0;
    else if (!isValue) count += 1;
  }
  return position === '*' ? count >= 0 : count === Number(position);
}
