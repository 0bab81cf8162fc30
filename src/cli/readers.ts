import { usageError } from '../errors.ts';
import { readFileChunks } from '../system/files.ts';
import type { System } from '../system/system.ts';
import type { ValueReaders } from './command/values.ts';

/** Reads values from files and standard input, as UTF-8 with or without a byte order mark. */
export function createReaders(system: System): ValueReaders {
  return {
    readText: async (source) => {
      if (source === '') throw usageError('@ lacks a file name', 'write @file.json');
      if (source === '-' && system.stdin.isTTY) {
        throw usageError('standard input is a terminal', 'pipe the data in, or name a file with @file');
      }
      return readText(source === '-' ? system.stdin : readFileChunks(source), source);
    },
    parseJson: async (text) => (await import('../json/parse.ts')).parseJson(text),
  };
}

async function readText(chunks: AsyncIterable<Uint8Array>, source: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw usageError(`${source === '-' ? 'standard input' : source} is not UTF-8`, 'save it as UTF-8');
  }
}
