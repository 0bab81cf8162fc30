import { OPEN_OBJECT } from '../api/json-bytes.ts';
import { isKey, quoted } from './scan-page.ts';
import { BROKEN, type Traits } from './skip-scalar.ts';
import { skipItems, skipSpace, skipValue } from './skip-value.ts';

const NEXT = quoted('next');
const RESULTS = quoted('results');

/**
 * The link to the next page where it stands in the first bytes of a page, before the rows; null where it does not, and
 * undefined where there must be more bytes to tell.
 */
export function findNext(bytes: Buffer): string | null | undefined {
  const traits: Traits = { spaced: false, long: false };
  const start = skipSpace(bytes, 0, traits);
  if (start === bytes.length) return undefined;
  if (bytes[start] !== OPEN_OBJECT) return null;
  let found: string | null | undefined;
  skipItems(bytes, start, {
    traits,
    visit: (from, key) => {
      if (isKey(RESULTS, bytes, key)) found = null;
      const end = found === null ? BROKEN : skipValue(bytes, from, traits);
      if (end === BROKEN || !isKey(NEXT, bytes, key)) return end;
      const link: unknown = JSON.parse(bytes.toString('utf8', from, end));
      found = typeof link === 'string' ? link : null;
      // The rest of the page is not looked at here.
      return BROKEN;
    },
  });
  return found;
}
