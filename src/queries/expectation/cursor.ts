import { readTokens, type Token } from './read-tokens.ts';

/** Where the reading of one text is. */
export type Cursor = {
  readonly text: string;
  readonly peek: () => Token;
  readonly take: () => Token;
  /** Takes the next token if it is this sign, and says whether it was. */
  readonly takes: (sign: string) => boolean;
};

/** Opens a text for reading. Throws a usage error for characters that mean nothing. */
export function openCursor(text: string): Cursor {
  const tokens = readTokens(text);
  let at = 0;
  const peek = (): Token => tokens[at] ?? { kind: 'end', text: '', position: text.length + 1 };
  const take = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const takes = (sign: string): boolean => {
    const token = peek();
    const found = token.kind === 'sign' && token.text === sign;
    if (found) at += 1;
    return found;
  };
  return { text, peek, take, takes };
}
