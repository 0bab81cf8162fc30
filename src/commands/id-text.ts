import type { Json } from '../api/json.ts';

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  if (typeof id === 'object' && id !== null && 'isLosslessNumber' in id) return String(id.value);
  return String(id);
}
