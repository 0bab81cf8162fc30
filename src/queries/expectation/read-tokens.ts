import { usageError } from '../../errors.ts';

export type Token = {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  /** Where it begins, counted from 1. */
  readonly position: number;
};

const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:%|[A-Za-z]+)?)|([A-Za-z_]+)|(>=|<=|=>|=<|==|!=|[><=+\-*/()]))/y;

/** The words of an expectation. Throws a usage error at the first character that begins none. */
export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const start = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) {
      const position = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0) + 1;
      throw misread(text, position, `"${text[position - 1] ?? ''}" means nothing here`);
    }
    const [whole, number, name, sign] = found;
    const word = number ?? name ?? sign ?? '';
    const position = start + whole.length - word.length + 1;
    if (word === '=>' || word === '=<') throw misread(text, position, `write ${word[1]}= for ${word}`);
    tokens.push({ kind: kindOf({ number, name }), text: word, position });
  }
  return [...tokens, { kind: 'end', text: '', position: text.trimEnd().length + 1 }];
}

function kindOf({ number, name }: { number: string | undefined; name: string | undefined }): Token['kind'] {
  if (number !== undefined) return 'number';
  return name === undefined ? 'sign' : 'name';
}

/** A usage error about one place of an expectation. */
export function misread(text: string, position: number, what: string) {
  return usageError(
    `--expect cannot read "${text}" at position ${position}: ${what}`,
    "write it like 'last >= 100', 'change > -20%', 'conversion(2) >= 30' or 'age < 24h', in quotes",
  );
}
