/** Splits a command line at spaces; single and double quotes hold words together, as in a shell without expansions. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  const pattern = /(?:[^\s'"]+|'[^']*'|"[^"]*")+/g;
  for (const [word] of line.matchAll(pattern)) {
    words.push(
      word.replace(
        /'([^']*)'|"([^"]*)"/g,
        (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
      ),
    );
  }
  return words;
}
