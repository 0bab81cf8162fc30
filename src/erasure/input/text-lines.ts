import { type CliError, usageError } from '../../errors.ts';

const saveAsUtf8 = 'save the file as UTF-8 (in a spreadsheet: "CSV UTF-8") and run the command again';

/** The name of an encoding as it was given; `undefined` if none was, `null` if none can be given. */
export type Encoding = string | null | undefined;

/**
 * Bytes to text: UTF-8 with or without a byte order mark, UTF-16 with one, which is told from the first piece; without a
 * mark another encoding that was named. Throws a usage error that names the encoding when the bytes are not valid in it.
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding?: Encoding,
): AsyncGenerator<string> {
  let decode: ((bytes?: Uint8Array) => string) | undefined;
  for await (const chunk of chunks) {
    decode ??= createDecoder(chunk, encoding);
    const text = decode(chunk);
    if (text !== '') yield text;
  }
  // Nothing is left to give, but half a character at the end is refused.
  decode?.();
}

/** Throws a usage error for the name of an encoding that nothing here can read. */
export function checkEncoding(encoding: string | undefined): void {
  try {
    new TextDecoder(encoding);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw usageError(
      `the encoding ${JSON.stringify(encoding)} is not known`,
      'give one such as windows-1252, iso-8859-2, shift_jis or utf-16le',
    );
  }
}

function createDecoder(head: Uint8Array, encoding: Encoding): (bytes?: Uint8Array) => string {
  const label = recognizeEncoding(head, encoding);
  const decoder = new TextDecoder(label, { fatal: true });
  let line = 1;
  // A CR that ends a piece may be the first half of a CRLF.
  let held = '';
  return (bytes) => {
    try {
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      line += countEnds(held + text);
      if (text !== '') held = text.endsWith('\r') ? '\r' : '';
      return text;
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const at = line + countEnds(held + validStart(bytes ?? new Uint8Array(0), label));
      throw usageError(`line ${at} of the input is not valid ${label.toUpperCase()}`, encodingHint(encoding));
    }
  };
}

function countEnds(text: string): number {
  return text.match(/\n|\r(?!\n|$)/g)?.length ?? 0;
}

/** The text of a piece before its first invalid byte; empty if that began in the piece before. */
function validStart(bytes: Uint8Array, label: string): string {
  const start = label === 'utf-8' ? bytes.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0;
  const decoder = new TextDecoder(label, { fatal: true });
  let text = '';
  try {
    for (const byte of bytes.subarray(start)) text += decoder.decode(Uint8Array.of(byte), { stream: true });
  } catch {
    return text;
  }
  return '';
}

function encodingHint(encoding: Encoding): string {
  return encoding === null ? saveAsUtf8 : `${saveAsUtf8}, or name its encoding: --encoding windows-1252`;
}

function recognizeEncoding(head: Uint8Array, encoding: Encoding): string {
  const mark = markOf(head);
  if (mark === 'fffe0000' || mark === '0000feff') throw notSupported('UTF-32');
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
  if (mark.startsWith('efbbbf')) return 'utf-8';
  if (encoding) return encoding;
  if (/^(?:00|..00)/.test(mark)) throw notSupported('UTF-16 without a byte order mark');
  return 'utf-8';
}

function notSupported(encoding: string): CliError {
  return usageError(`the input looks like ${encoding}, which is not supported`, saveAsUtf8);
}

/** Whether bytes begin as a workbook does, in a format that is read or not. */
export function isWorkbook(start: Uint8Array): boolean {
  return markOf(start) === '504b0304' || isOle(start);
}

/** Whether bytes begin as the older workbooks, and those with a password. */
export function isOle(start: Uint8Array): boolean {
  return markOf(start) === 'd0cf11e0';
}

function markOf(start: Uint8Array): string {
  return Buffer.from(start.subarray(0, 4)).toString('hex');
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
 * Text to lines, as many at a time as a piece of text holds. A line ends with LF, CRLF or a lone CR, as old
 * spreadsheets write it. Throws a usage error for a line of more than 1 MiB.
 */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let open = '';
  let held = '';
  let count = 0;
  for await (const text of texts) {
    // A long line is looked into only once it ends: it may come in many pieces.
    if (held === '' && !/[\r\n]/.test(text)) open += text;
    else {
      const known = open + held + text;
      // A CR at the end may be the first half of a CRLF.
      held = known.endsWith('\r') ? '\r' : '';
      const lines = splitText(held === '' ? known : known.slice(0, -1));
      open = lines.pop() ?? '';
      refuseLong(lines, count);
      count += lines.length;
      if (lines.length > 0) yield lines;
    }
    refuseLong([open], count);
  }
  if (open !== '') yield [open];
}

function refuseLong(lines: readonly string[], before: number): void {
  const at = lines.findIndex(({ length }) => length > longestLine);
  if (at >= 0) throw tooLong(`line ${before + at + 1}`);
}

export function tooLong(what: string) {
  return usageError(`${what} has more than 1 MiB`, 'give one id, or one JSON value, per line');
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
  for (;;) {
    const { done = false, value } = await iterator.next();
    if (!done) head += value;
    const start = head.search(/\S/);
    if (start < 0 && head.length > longestLine)
      throw usageError('the input begins with more than 1 MiB of blank lines', 'remove them');
    const rest = start < 0 ? '' : head.slice(start);
    const end = rest.search(/[\r\n]/);
    if (!done && end < 0 && rest.length < longestHead) continue;
    const beginning = Math.max(head.lastIndexOf('\n', start), head.lastIndexOf('\r', start)) + 1;
    const line = head.slice(beginning, end < 0 ? head.length : start + end);
    return { line: rest === '' ? '' : line, texts: resume(head, iterator) };
  }
}

async function* resume<Piece extends string | Uint8Array>(
  head: Piece,
  iterator: AsyncIterator<Piece>,
): AsyncGenerator<Piece> {
  if (head.length > 0) yield head;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
