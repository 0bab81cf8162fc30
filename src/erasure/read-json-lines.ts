import { usageError } from '../errors.ts';
import { parseText } from '../json/parse.ts';
import type { IdSink } from './id-sink.ts';
import { splitLines } from './split-lines.ts';

/** Hands the id, or the list of ids, of each line to the sink: a JSON string, or an object's field. */
export async function readJsonLines(texts: AsyncIterable<string>, sink: IdSink): Promise<void> {
  let number = 0;
  for await (const lines of splitLines(texts)) {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      for (const id of readLine(line, number, sink)) sink.id(id, number);
    }
  }
}

function readLine(line: string, number: number, sink: IdSink): readonly string[] {
  const value = parse(line, number);
  const cell = isObject(value) ? pick(value, number, sink.column) : value;
  const cells: readonly unknown[] = Array.isArray(cell) && isObject(value) ? cell : [cell];
  // Like an empty cell of a CSV: somebody was meant.
  if (cells.length === 0) return [''];
  return cells.map((one) => toId(one, number, sink));
}

function parse(line: string, number: number): unknown {
  try {
    return parseText(line);
  } catch (cause) {
    // The parser's own message quotes the line, which holds personal data.
    if (cause instanceof SyntaxError)
      throw usageError(
        `line ${number} is not JSON`,
        'give one JSON value per line; where these are ids that begin with {, put a line with distinct_id first',
      );
    throw cause;
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pick(
  value: { readonly [name: string]: unknown },
  number: number,
  column: string | undefined,
): unknown {
  const names = Object.keys(value);
  const name = column ?? (names.length === 1 ? names[0] : undefined);
  const known = names.map((one) => `"${one}"`).join(', ');
  if (name === undefined) {
    throw usageError(
      `the objects of the input have ${names.length} fields: ${known}`,
      'name the one that holds the ids with --column',
    );
  }
  if (!Object.hasOwn(value, name))
    throw usageError(`line ${number} has no field "${name}"`, `its fields are ${known}`);
  return value[name];
}

function toId(value: unknown, number: number, sink: IdSink): string {
  if (typeof value === 'string') return value;
  if (sink.kind === 'ids' && Number.isSafeInteger(value)) return String(value);
  // A JSON number has no leading zeros and may lose digits, so as a distinct id it may be somebody else's.
  throw usageError(
    `line ${number} holds no text where the id should be`,
    sink.kind === 'ids'
      ? 'person ids are integers or UUIDs'
      : 'distinct ids are JSON strings, in double quotes',
  );
}
