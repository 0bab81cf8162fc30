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
