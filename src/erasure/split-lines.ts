/**
 * Text to lines, as many at a time as a piece of text holds. A line ends with LF, CRLF or a lone CR (old spreadsheets
 * write it); no id can hold one, since control characters are refused.
 */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const text of texts) {
    const known = rest + text;
    // A CR at the end may be the first half of a CRLF.
    const held = known.endsWith('\r') ? '\r' : '';
    const lines = splitText(known.slice(0, known.length - held.length));
    rest = (lines.pop() ?? '') + held;
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield splitText(rest.replace(/\r$/, ''));
}

/** Most texts hold no CR, and splitting at one character takes a fifth of the time. */
function splitText(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
}

/** The first line that is not blank, and the same texts from their beginning. */
export async function peekFirstLine(
  texts: AsyncIterable<string>,
): Promise<{ readonly line: string; readonly texts: AsyncGenerator<string> }> {
  const iterator = texts[Symbol.asyncIterator]();
  let head = '';
  for (;;) {
    const line = findFirstLine(head);
    if (line !== undefined) return { line, texts: resume(head, iterator) };
    const next = await iterator.next();
    if (next.done === true)
      return { line: head.trim() === '' ? '' : head.trimStart(), texts: resume(head, iterator) };
    head += next.value;
  }
}

function findFirstLine(head: string): string | undefined {
  const end = /[^\s][^\r\n]*(?=[\r\n])/u.exec(head);
  if (end === null) return undefined;
  const start = Math.max(head.lastIndexOf('\n', end.index), head.lastIndexOf('\r', end.index)) + 1;
  return head.slice(start, end.index + end[0].length);
}

async function* resume(head: string, iterator: AsyncIterator<string>): AsyncGenerator<string> {
  if (head !== '') yield head;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
