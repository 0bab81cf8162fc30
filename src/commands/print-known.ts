import type { Context } from '../cli/context.ts';
import type { JsonObject } from '../json/kinds.ts';

/** Prints a record; for people without the lines that have nothing to say, for programs with all its fields. */
export function printKnown(record: JsonObject, context: Context): Promise<void> {
  if (context.outputFormat().format !== 'table') return context.print(record);
  const known = Object.keys(record).filter((key) => !isNothing(record[key]));
  return context.print(
    record,
    known.map((key) => ({ key })),
  );
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
