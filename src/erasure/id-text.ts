import { type CliError, usageError } from '../errors.ts';

const saveAsUtf8 = 'save the file as UTF-8 (in a spreadsheet: "CSV UTF-8") and run the command again';

/**
 * Bytes to text: UTF-8 with or without a byte order mark, UTF-16 with one.
 * Throws a usage error that names the encoding when the bytes are not valid in it.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: { readonly label: string; readonly decode: (bytes?: Uint8Array) => string } | undefined;
  let head: Uint8Array = new Uint8Array(0);
  let lines = 1;
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decoder === undefined) {
      head = Buffer.concat([head, chunk]);
      // The longest mark has four bytes; a pipe may deliver them one by one.
      if (head.length < 4) continue;
      decoder = createDecoder(head);
      bytes = head;
    }
    const text = decode(decoder, lines, bytes);
    lines += countLines(text);
    if (text !== '') yield text;
  }
  if (decoder === undefined) {
    decoder = createDecoder(head);
    const text = decode(decoder, lines, head);
    if (text !== '') yield text;
  }
  // Nothing is left to give, but half a character at the end is refused.
  decode(decoder, lines);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

type Decoder = { readonly label: string; readonly decode: (bytes?: Uint8Array) => string };

function createDecoder(head: Uint8Array): Decoder {
  const label = recognizeEncoding(head);
  const decoder = new TextDecoder(label, { fatal: true });
  return {
    label: label.toUpperCase(),
    decode: (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })),
  };
}

function recognizeEncoding(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second, third, fourth] = head;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) throw notSupported('UTF-32');
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) throw notSupported('UTF-32');
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0 || second === 0) throw notSupported('UTF-16 without a byte order mark');
  return 'utf-8';
}

function notSupported(encoding: string): CliError {
  return usageError(`the input looks like ${encoding}, which is not read`, saveAsUtf8);
}

function decode(decoder: Decoder, line: number, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw usageError(`the input is not valid ${decoder.label}, on line ${line} or after it`, saveAsUtf8);
  }
}

/** Whether bytes begin as a workbook does, in a format that is read or not. */
export function isWorkbook(start: Uint8Array): boolean {
  return startsWith(start, [0x50, 0x4b, 3, 4]) || isOle(start);
}

/** Whether bytes begin as the older workbooks, and those with a password. */
export function isOle(start: Uint8Array): boolean {
  return startsWith(start, [0xd0, 0xcf, 0x11, 0xe0]);
}

function startsWith(bytes: Uint8Array, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[index] === byte);
}

/** The first bytes of a file, and the same chunks from their beginning. */
export async function peekBytes(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly chunks: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  // A pipe may deliver them one by one.
  while (head.length < 4) {
    const next = await iterator.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return { head, chunks: resume(head, iterator) };
}

/** Characters that a line of ids may have: longer ones are no list of ids, and would take memory without end. */
export const longestLine = 1 << 20;
/** Characters from which the layout of a file is told, where its first line has so many. */
const longestHead = 1 << 16;

/**
 * Text to lines, as many at a time as a piece of text holds. A line ends with LF, CRLF or a lone CR (old spreadsheets
 * write it); no id can hold one, since control characters are refused. Throws a usage error for a line of more than
 * 1 MiB.
 */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  // The pieces of the last line so far, joined once it ends: joining them each time would take ever longer.
  let pieces: string[] = [];
  let length = 0;
  let count = 0;
  for await (const text of texts) {
    if (length + text.length > longestLine) checkLength(length, text, count + 1);
    if (!/[\r\n]/.test(text) && pieces.at(-1)?.endsWith('\r') !== true) {
      pieces.push(text);
      length += text.length;
      continue;
    }
    const known = pieces.join('') + text;
    // A CR at the end may be the first half of a CRLF.
    const held = known.endsWith('\r') ? '\r' : '';
    const lines = splitText(known.slice(0, known.length - held.length));
    const rest = (lines.pop() ?? '') + held;
    pieces = rest === '' ? [] : [rest];
    length = rest.length;
    count += lines.length;
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield splitText(pieces.join('').replace(/\r$/, ''));
}

/** Looks for the end of the open line in a piece of text, and at the lines in it. */
function checkLength(open: number, text: string, line: number): void {
  let length = open;
  let number = line;
  let from = 0;
  for (const { index } of text.matchAll(/\r\n?|\n/g)) {
    if (length + index - from > longestLine) break;
    length = 0;
    from = index + 1;
    number += 1;
  }
  const end = text.slice(from).search(/[\r\n]/);
  if (length + (end < 0 ? text.length - from : end) <= longestLine) return;
  throw tooLong(`line ${number}`);
}

/** The error for a line or a row that is too long to hold an id. */
export function tooLong(what: string) {
  return usageError(
    `${what} has more than 1 MiB, and no id is so long`,
    'give one id, or one JSON value, per line',
  );
}

/** Most texts hold no CR, and splitting at one character takes a fifth of the time. */
function splitText(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
}

/** The first line that is not blank, or the beginning of a very long one, and the same texts from their beginning. */
export async function peekFirstLine(
  texts: AsyncIterable<string>,
): Promise<{ readonly line: string; readonly texts: AsyncGenerator<string> }> {
  const iterator = texts[Symbol.asyncIterator]();
  let head = '';
  let start = -1;
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return { line: head.trimStart(), texts: resume(head, iterator) };
    const before = head.length;
    head += next.value;
    if (start < 0) {
      const first = next.value.search(/\S/);
      if (first >= 0) start = before + first;
      else if (head.length > longestLine) throw tooBlank();
    }
    if (start < 0) continue;
    const from = Math.max(start - before, 0);
    const end = next.value.slice(from).search(/[\r\n]/);
    if (end < 0 && head.length - start < longestHead) continue;
    const beginning = Math.max(head.lastIndexOf('\n', start), head.lastIndexOf('\r', start)) + 1;
    const line = head.slice(beginning, end < 0 ? head.length : before + from + end);
    return { line, texts: resume(head, iterator) };
  }
}

function tooBlank() {
  return usageError('the input begins with more than 1 MiB of blank lines', 'take them out');
}

async function* resume<Piece extends string | Uint8Array>(
  head: Piece,
  iterator: AsyncIterator<Piece>,
): AsyncGenerator<Piece> {
  if (head.length > 0) yield head;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
