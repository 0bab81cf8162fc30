import { isExactNumber, type Json } from '../json/kinds.ts';

/** An id with the digits that the service sent. */
export function idText(id: Json | undefined): string {
  return isExactNumber(id) ? id.value : String(id);
}
