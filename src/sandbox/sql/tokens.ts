/** A piece of SQL text. `at` is where it stood in the text as written, in characters. */
export type Token = {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'space';
  readonly text: string;
  readonly at: number;
};

const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<text>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`[^`]*`)|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<number>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<symbol>::|[\s\S])/gu;

const KINDS = ['space', 'text', 'quoted', 'word', 'number', 'symbol'] as const;

/** Cuts SQL into tokens; together they are the whole text. A quote that is never closed is a symbol. */
export function tokensOf(sql: string): readonly Token[] {
  return [...sql.matchAll(PATTERN)].map((match) => {
    const kind = KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'symbol';
    return { kind, text: match[0], at: match.index };
  });
}

/** The name behind a word or a quoted name; undefined for anything else. */
export function nameOfToken(token: Token | undefined): string | undefined {
  if (token?.kind === 'word') return token.text;
  if (token?.kind !== 'quoted') return undefined;
  return token.text.slice(1, -1).replaceAll('""', '"');
}

/** A name in double quotes, as the database takes any. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
