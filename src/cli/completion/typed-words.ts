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
/** Options without a value, written down here since the table of options takes its time to load. */
export const SWITCHES: readonly string[] = [
  ...['-y', '--yes', '-q', '--quiet', '-h', '--help', '--debug', '--dry-run', '--show-ids'],
  ...['--no-headers', '--headers', '--spreadsheet-safe', '--string'],
];

/** The words that are no options and no values. A word after an option that is no known switch is taken for its value. */
export function operandsOf(line: readonly string[]): readonly string[] {
  return line.filter((word, at) => {
    const previous = line[at - 1] ?? '';
    const isValue = previous.startsWith('-') && !previous.includes('=') && !SWITCHES.includes(previous);
    return !word.startsWith('-') && !isValue;
  });
}

/**
 * Whether the next word of a line is its operand of that number, counted from 0 behind noun and verb; an option that
 * stands for the first one counts as it.
 */
export function isOperandPlace(line: readonly string[], position: string | undefined): boolean {
  if (position === undefined) return true;
  const standing = line.filter((word) => STAND_INS.includes(word.split('=')[0] ?? '')).length;
  const count = operandsOf(line).length - 2 + standing;
  return position === 'any' ? count >= 0 : count === Number(position);
}
