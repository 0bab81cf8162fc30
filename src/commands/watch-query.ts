import type { QueryStatus } from '../api/schemas.ts';
import type { Context } from '../cli/context.ts';
import type { Told } from '../system/progress.ts';

/** Shows on stderr how far a calculation is. On a terminal the time goes on between two answers of the service. */
export type Watch = {
  /** The last answer, if there was one. */
  readonly see: (status: QueryStatus | undefined) => void;
  readonly tick: () => void;
  /** Milliseconds between two calls of `tick`. */
  readonly every: number;
  readonly end: () => void;
};

const SECOND = 1000;

export function watchQuery(waiting: string, context: Context): Watch {
  const progress = context.progress({ label: 'rows read', waiting });
  let told: Told | undefined;
  return {
    see: (status) => {
      told = status && toldBy(status);
      progress.follow(told);
    },
    tick: () => {
      // Figures are as old as the answer that told them, and a line that stays says what is new.
      if (progress.isLive && told === undefined) progress.follow(undefined);
    },
    every: progress.isLive ? SECOND : Number.POSITIVE_INFINITY,
    end: () => progress.end(),
  };
}

/** Rows are counted from zero once the query has begun; the estimate is missing or too low at times. */
function toldBy({ query_progress: progress }: QueryStatus): Told | undefined {
  const { rows_read: read, estimated_rows_total: estimated } = progress ?? {};
  if (typeof read !== 'number' || read <= 0) return undefined;
  return { done: read, total: typeof estimated === 'number' && estimated >= read ? estimated : undefined };
}
