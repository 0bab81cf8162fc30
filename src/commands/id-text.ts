import type { Json } from '../api/json.ts';
import { isExactNumber } from '../api/json-kinds.ts';

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  return isExactNumber(id) ? id.value : String(id);
}
