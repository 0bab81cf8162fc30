import { RE2JS, RE2JSException } from 're2js';

/**
 * Whether a text matches a regular expression, judged without the service. Undefined if it cannot be told: a dot meets
 * a line break, which databases take in two ways, or the work would be too much.
 */
export type Pattern = (text: string) => boolean | undefined;

const MOST_WORK = 20_000_000;

/**
 * Reads an expression as RE2 does, which the service's database uses: in time in proportion to the text. Undefined if
 * RE2 refuses it.
 */
export function compilePattern(source: string): Pattern | undefined {
  try {
    const plain = RE2JS.compile(source);
    const overLines = RE2JS.compile(source, RE2JS.DOTALL);
    return (text) => {
      if (text.length * plain.programSize() > MOST_WORK) return undefined;
      const matches = plain.test(text);
      return matches === overLines.test(text) ? matches : undefined;
    };
  } catch (failure) {
    if (failure instanceof RE2JSException) return undefined;
    throw failure;
  }
}
