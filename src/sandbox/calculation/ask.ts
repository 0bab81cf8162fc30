import { asObject, isList, isObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { REFRESH_MODES } from '../../service/parameters.ts';
import type { QueryStatus } from '../../service/schemas.ts';
import { framedQuery } from '../analysis/definitions/definition.ts';
import { type Moment, writeMoment } from '../operator.ts';
import { Refusal } from '../refusal.ts';
import type { Circumstances } from '../routes.ts';
import { type StoredInsight, type StoredResult, selectResult } from '../store/insights.ts';
import { failedStatus, type Labels, writeStatus } from './calculations.ts';
import { readQuestion } from './question.ts';

/** What a calculation is asked from. */
export type Asking = Pick<Circumstances, 'store' | 'now' | 'dialect' | 'calculations' | 'longestQuery'>;

type Inquiry = {
  /**
   * A query node, or `{ filters }` in the old form. The same is never calculated twice at once, and its result is kept
   * under it.
   */
  readonly about: JsonObject;
  readonly mode: RefreshMode;
  readonly id?: string | undefined;
  readonly labels?: Labels | undefined;
};

/** What there is to say now. `fault` is why there is no result. */
export type Response = {
  readonly key: string;
  readonly result: StoredResult | undefined;
  readonly isCached: boolean;
  readonly status: QueryStatus | null;
  readonly fault: Refusal | undefined;
};

/**
 * Starts what a refresh mode starts. The function it returns waits for the result if the mode does; it is called
 * outside of the turn, so that others are answered meanwhile. Throws a `Refusal` for what has to be calculated and is
 * not calculated here.
 */
export async function ask(asking: Asking, inquiry: Inquiry): Promise<() => Promise<Response>> {
  const { store, now, dialect, calculations, longestQuery } = asking;
  const key = `${dialect}:${writeJson(inquiry.about)}`;
  const stored = await selectResult(store, key);
  const plan = planRefresh(inquiry.mode, stored, now);
  const kept = { key, result: stored, isCached: stored !== undefined, status: null, fault: undefined };
  if (plan === 'stored') return async () => kept;
  const question = readQuestion(inquiry.about);
  const { id, labels = {} } = inquiry;
  const task = await calculations.start({
    id,
    key,
    now,
    labels,
    run: (session, signal) =>
      question({
        session,
        signal,
        dialect,
        longestQuery: longestQuery * (plan === 'background' ? LONGER : 1),
      }),
  });
  if (plan === 'background') {
    const status = writeStatus(task);
    return async () => ({ ...kept, status });
  }
  return async () => {
    const outcome = await task.done;
    if ('result' in outcome) return { ...kept, result: outcome.result, isCached: false };
    if (!(outcome.fault instanceof Refusal)) throw outcome.fault;
    const { fault } = outcome;
    return { ...kept, result: undefined, isCached: false, status: failedStatus(fault, labels), fault };
  };
}

/** The limit of a query binds whoever waits for its answer; in the background it may take longer. */
const LONGER = 60;

/** What holds for one calculation: filters and dates, and values of variables by their ids. */
export type Overrides = {
  readonly filters?: JsonObject | undefined;
  readonly variables?: JsonObject | undefined;
};

/** What an insight asks: its query, or else its old filters. Undefined for an insight that has neither. */
export function queryOf({ document: { query, filters } }: StoredInsight): JsonObject | undefined {
  if (isObject(query)) return query;
  return isObject(filters) && Object.keys(filters).length > 0 ? { filters } : undefined;
}

export function narrowQuery(node: JsonObject, overrides: Overrides): JsonObject {
  const framed = framedQuery(node);
  if (framed !== undefined) return { ...node, source: narrowQuery(framed, overrides) };
  const { filters = {}, variables = {} } = overrides;
  if (node.kind === undefined && isObject(node.filters)) {
    const old = node.filters;
    return { filters: { ...old, ...datesOf(filters), ...propertiesOf(old.properties, filters) } };
  }
  if (node.kind !== 'HogQLQuery') return { ...node, ...narrowed(node, filters) };
  // SQL takes filters in the place of `{filters}` only.
  const own = asObject(node.filters) ?? {};
  return {
    ...node,
    ...extended('filters', own, narrowed(own, filters)),
    ...extended('variables', node.variables, variables),
  };
}

function narrowed({ dateRange, properties }: JsonObject, filters: JsonObject): JsonObject {
  return { ...extended('dateRange', dateRange, datesOf(filters)), ...propertiesOf(properties, filters) };
}

/** A field with more entries in it; nothing if there are none, since another field is another question. */
function extended(name: string, own: Json | undefined, more: JsonObject): JsonObject {
  return Object.keys(more).length === 0 ? {} : { [name]: { ...asObject(own), ...more } };
}

/** A dashboard's dates replace those of an insight, both of them together. */
function datesOf({ date_from: from = null, date_to: to = null }: JsonObject): JsonObject {
  return from === null && to === null ? {} : { date_from: from, date_to: to };
}

/** A dashboard's filters hold besides those of an insight. */
function propertiesOf(own: Json | undefined, { properties: added = null }: JsonObject): JsonObject {
  if (added === null || (isList(added) && added.length === 0)) return {};
  return { properties: own === undefined || own === null ? added : [own, added] };
}

export type RefreshMode = (typeof REFRESH_MODES)[number];

const MINUTE = 60_000_000n;

/** The one place that says how old a result may be, by the sandbox's clock. Anything older is stale. */
const VERY_FRESH = 3n * MINUTE;

const SOMEWHAT_FRESH = 60n * MINUTE;

/** What a mode does: answer with what there is, calculate first, or calculate in the background. */
type RefreshPlan = 'stored' | 'calculate' | 'background';

/** How fresh a stored result must be for a mode to answer with it, and what it does without such a one. */
const PLANS: Readonly<Record<RefreshMode, readonly ['any' | 'fresh' | 'very fresh' | 'none', RefreshPlan]>> =
  {
    force_cache: ['any', 'stored'],
    lazy_async: ['fresh', 'background'],
    blocking: ['very fresh', 'calculate'],
    async: ['very fresh', 'background'],
    async_except_on_cache_miss: ['very fresh', 'background'],
    force_blocking: ['none', 'calculate'],
    force_async: ['none', 'background'],
  };

/**
 * Decides by mode and age. A result that is older than a change of persons or events is not very fresh, whatever its
 * age: on a clock that stands still nothing would ever be calculated again.
 */
export function planRefresh(mode: RefreshMode, stored: StoredResult | undefined, now: Moment): RefreshPlan {
  if (stored === undefined && mode === 'async_except_on_cache_miss') return 'calculate';
  const [least, otherwise] = PLANS[mode];
  const age = stored === undefined ? undefined : now - stored.calculatedAt;
  const is = {
    any: true,
    fresh: age !== undefined && age <= SOMEWHAT_FRESH,
    'very fresh': age !== undefined && age <= VERY_FRESH && stored?.isOutdated === false,
    none: false,
  };
  return is[least] ? 'stored' : otherwise;
}

/** When a result was calculated, until when it is fresh, and from when on it may be calculated again. */
export function writeAges({ calculatedAt }: { readonly calculatedAt: Moment }) {
  return {
    last_refresh: writeMoment(calculatedAt),
    cache_target_age: writeMoment(calculatedAt + SOMEWHAT_FRESH),
    next_allowed_client_refresh: writeMoment(calculatedAt + VERY_FRESH),
  };
}

/** Reads a mode; `fallback` without one. The live service takes unknown words for `fallback`. */
export function readRefresh(text: string | undefined, fallback: RefreshMode): RefreshMode {
  // The live service takes these two for force_blocking.
  if (text === 'true' || text === '') return 'force_blocking';
  return REFRESH_MODES.find((mode) => mode === text) ?? fallback;
}
