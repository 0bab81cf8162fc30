import { CliError } from '../errors.ts';
import { systemReason } from './text.ts';

/** Far more than a text has that is read as a whole: a definition, a query, a body, a certificate. */
export const LARGEST_TEXT = 64 * 1024 * 1024;

/** The bytes of what comes in chunks, if they are no more than a text has. `name` is what they come from. */
export async function collectText(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > LARGEST_TEXT) throw cannotRead(name, tooLarge(name));
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** What the system would say of a text beyond that. */
export function tooLarge(path: string): Error {
  return Object.assign(new Error(`${path} is too large`), { code: 'ETOOLARGE' });
}

/** A usage error for what cannot be read, in the words for what the system said. */
export function cannotRead(path: string, cause: unknown): CliError {
  return new CliError('usage', `cannot read ${path}: ${systemReason(cause)}`, { cause });
}
