import { REFRESH_MODES } from '../../api/endpoints/parameters.ts';
import { type Moment, writeMoment } from '../clock.ts';
import type { StoredResult } from '../store/results.ts';

export type RefreshMode = (typeof REFRESH_MODES)[number];

const MINUTE = 60_000_000n;

/** The one place that says how old a result may be, by the sandbox's clock. Anything older is stale. */
const VERY_FRESH = 3n * MINUTE;
const SOMEWHAT_FRESH = 60n * MINUTE;

/** What a mode does: answer with what there is, calculate first, or calculate in the background. */
export type RefreshPlan = 'stored' | 'calculate' | 'background';

/**
 * Decides by mode and age. A result that is older than a change of persons or events is not very fresh, whatever its
 * age: on a clock that stands still nothing would ever be calculated again.
 */
export function planRefresh(mode: RefreshMode, stored: StoredResult | undefined, now: Moment): RefreshPlan {
  const age = stored === undefined ? undefined : now - stored.calculatedAt;
  const isVeryFresh = age !== undefined && age <= VERY_FRESH && stored?.isOutdated === false;
  const isFresh = age !== undefined && age <= SOMEWHAT_FRESH;
  switch (mode) {
    case 'force_cache':
      return 'stored';
    case 'blocking':
      return isVeryFresh ? 'stored' : 'calculate';
    case 'async':
      return isVeryFresh ? 'stored' : 'background';
    case 'lazy_async':
      return isFresh ? 'stored' : 'background';
    case 'force_blocking':
      return 'calculate';
    case 'force_async':
      return 'background';
    case 'async_except_on_cache_miss':
      if (stored === undefined) return 'calculate';
      return isVeryFresh ? 'stored' : 'background';
  }
}

/** When a result was calculated, until when it is fresh, and from when on it may be calculated again. */
export function writeAges({ calculatedAt }: { readonly calculatedAt: Moment }) {
  return {
    last_refresh: writeMoment(calculatedAt),
    cache_target_age: writeMoment(calculatedAt + SOMEWHAT_FRESH),
    next_allowed_client_refresh: writeMoment(calculatedAt + VERY_FRESH),
  };
}

/** Reads a mode; `fallback` where there is none. The live service takes words that it does not know for `fallback`. */
export function readRefresh(text: string | undefined, fallback: RefreshMode): RefreshMode {
  // The live service takes these two for force_blocking.
  if (text === 'true' || text === '') return 'force_blocking';
  return REFRESH_MODES.find((mode) => mode === text) ?? fallback;
}
