import { closest, usageError } from '../../errors.ts';
import { flagOf, GLOBAL_OPTIONS, type Option, type Options, takesValue } from './options.ts';

/** What argv says before it is parsed: which command, and how errors are to be printed. */
export type Scan = {
  /** The words that name the command, at most two. */
  readonly words: readonly string[];
  readonly output: string | undefined;
  readonly quiet: boolean;
  readonly help: boolean;
};

/** Finds the command's words, skipping global options and their values. */
export function scan(argv: readonly string[]): Scan {
  const spelt = spellings(GLOBAL_OPTIONS);
  const words: string[] = [];
  let output: string | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = lastOption(argv[at] ?? '', spelt);
    if (word === '--') break;
    const option = spelt.get(word);
    if (option && takesValue(option)) at += 1;
    output = outputFrom(word, argv[at]) ?? output;
    if (!word.startsWith('-') && words.length < 2) words.push(word);
  }
  const own = argv.slice(0, endOfOwnWords(argv));
  return {
    words,
    output,
    quiet: own.includes('-q') || own.includes('--quiet'),
    help: own.includes('-h') || own.includes('--help'),
  };
}

/** Switches may be written together with an option behind them, as in `-qo json`: that option. Else the word. */
function lastOption(word: string, spelt: ReadonlyMap<string, Option>): string {
  if (!/^-[^-]/.test(word)) return word;
  for (let at = 1; at < word.length; at += 1) {
    const option = spelt.get(`-${word[at]}`);
    if (!option) return word;
    if (takesValue(option)) return `-${word.slice(at)}`;
  }
  return word;
}

function outputFrom(word: string, value: string | undefined): string | undefined {
  if (word === '-o' || word === '--output') return value;
  return /^(?:-o=?|--output=)(\w+)$/.exec(word)?.[1];
}

function endOfOwnWords(argv: readonly string[]): number {
  const end = argv.indexOf('--');
  return end === -1 ? argv.length : end;
}

function spellings(options: Options): Map<string, Option> {
  const spelt = new Map<string, Option>();
  for (const [name, option] of Object.entries(options)) {
    spelt.set(flagOf(name), option);
    if (option.short) spelt.set(`-${option.short}`, option);
  }
  return spelt;
}

/**
 * Makes argv unmistakable for the parser: a bare `--refresh` gets its value, `-o=json` loses its sign, and a spaced value
 * that begins with `--` is refused, since it may be a forgotten value. Throws a usage error for that. What follows
 * `most` words that are no options is left as it is.
 */
export function rewrite(argv: readonly string[], options: Options, most = Infinity): readonly string[] {
  let words = 0;
  const spelt = spellings({ ...GLOBAL_OPTIONS, ...options });
  const rewritten: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-')) words += 1;
    if (word === '--' || words > most) return [...rewritten, ...argv.slice(at)];
    const option = spelt.get(word);
    const next = argv[at + 1];
    if (option?.bare !== undefined) {
      const given = next !== undefined && isChoice(option, next, word);
      rewritten.push(`${word}=${given ? next : option.bare}`);
      if (given) at += 1;
    } else if (option && takesValue(option)) {
      rewritten.push(word, ...spacedValue(word, next));
      at += 1;
    } else {
      rewritten.push(word.replace(/^-([a-z])=/, '-$1'));
    }
  }
  return rewritten;
}

function spacedValue(word: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!value.startsWith('--')) return [value];
  throw usageError(
    `${word} lacks a value: "${value}" looks like an option`,
    `if it is the value, write ${word}=${value}`,
  );
}

/** A word that resembles a mode is a mistyped mode, not the next argument. */
function isChoice(option: Option, word: string, flag: string): boolean {
  const choices = option.choices ?? [];
  if (choices.includes(word)) return true;
  const resembles =
    /^[a-z]+([_-][a-z]+)+$/.test(word) ||
    (/^[a-z]{3,}$/.test(word) && choices.some((choice) => choice.startsWith(word.slice(0, 3)))) ||
    closest(word, choices) !== undefined;
  if (!resembles) return false;
  throw usageError(
    `${flag} does not know "${word}"`,
    `it takes ${choices.join(', ')}, or nothing for ${option.bare}`,
  );
}
