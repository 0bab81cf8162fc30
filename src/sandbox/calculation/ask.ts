import type { QueryStatus } from '../../api/schemas.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/write.ts';
import type { Circumstances } from '../call.ts';
import { Refusal } from '../refusal.ts';
import { type StoredResult, selectResult } from '../store/results.ts';
import type { Labels } from './calculations.ts';
import { planRefresh, type RefreshMode } from './freshness.ts';
import { failedStatus, writeStatus } from './query-status.ts';
import type { Question } from './question.ts';

/** What a calculation is asked from. */
export type Asking = Pick<Circumstances, 'store' | 'now' | 'dialect' | 'calculations' | 'longestQuery'>;

export type Inquiry = {
  /** What is asked, as JSON: the same is never calculated twice at once, and its result is kept under it. */
  readonly about: JsonObject;
  /** Throws a `Refusal` for what is not calculated here. Read only where something has to be calculated. */
  readonly read: () => Question;
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
 * Starts what a refresh mode starts. What it returns waits for the result, where the mode waits for it; it is called
 * outside of the turn, so that others are answered meanwhile. Throws what `read` throws.
 */
export async function ask(asking: Asking, inquiry: Inquiry): Promise<() => Promise<Response>> {
  const { store, now, dialect, calculations, longestQuery } = asking;
  const key = `${dialect}:${writeJson(inquiry.about)}`;
  const stored = await selectResult(store, key);
  const plan = planRefresh(inquiry.mode, stored, now);
  const kept = { key, result: stored, isCached: stored !== undefined, status: null, fault: undefined };
  if (plan === 'stored') return async () => kept;
  const question = inquiry.read();
  const { id, labels } = inquiry;
  const findPeople = calculations.people.now();
  const task = await calculations.start({
    id,
    key,
    now,
    ...(labels === undefined ? {} : { labels }),
    run: (session, signal) => question({ session, signal, findPeople, dialect, longestQuery }),
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
    return { ...kept, result: undefined, isCached: false, status: failedStatus(fault, labels ?? {}), fault };
  };
}
