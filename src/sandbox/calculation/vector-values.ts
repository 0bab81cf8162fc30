import type { Vector } from '../store/open-session.ts';

/** Text in a row, undefined for anything else. */
export function textAt(vector: Vector | undefined, row: number): string | undefined {
  const value = vector?.getItem(row);
  return typeof value === 'string' ? value : undefined;
}

/** A number in a row, null for anything else. */
export function numberAt(vector: Vector | undefined, row: number): number | null {
  const value = vector?.getItem(row);
  return typeof value === 'number' ? value : null;
}
