import { usageError } from '../errors.ts';
import type { ValueReaders } from './command/values.ts';
import { readFileChunks } from './outside/files.ts';
import type { Outside } from './outside/outside.ts';

/** Reads values from files and standard input, as UTF-8 with or without a byte order mark. */
export function createReaders(outside: Outside): ValueReaders {
  return {
    readText: async (source) => {
      if (source === '') throw usageError('@ lacks a file name', 'write @file.json');
      if (source === '-' && outside.stdin.isTTY) {
        throw usageError('standard input is a terminal', 'pipe the data in, or name a file with @file');
      }
      return readText(source === '-' ? outside.stdin : readFileChunks(source), source);
    },
    parseJson: async (text) => (await import('../client/parse-json.ts')).parseJson(text),
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
