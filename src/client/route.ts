import { CliError } from '../errors.ts';
import { type Flight, type Load, takeOff } from './flights.ts';
import type { Fetched, Progress } from './keep-rows.ts';

/**
 * A service whose persons were deleted a while ago may send page after page without rows. Rows that came before, page
 * after page, are no such thing, and count as ten times as many.
 */
const LONGEST_IDLE = 100;
const REPEATED = 10;

type Wish = {
  readonly load: Load;
  /** A `next` link as path and query; throws where it must not be followed. */
  readonly reduce: (link: string, current: string) => string;
  readonly limit: number | undefined;
};

export type Onward = {
  readonly target: string | undefined;
  /** Why the page after this one must not be asked for, though the service names one. */
  readonly problem?: CliError;
};

/** The way from page to page: which comes next, and what is in flight. */
export type Route = {
  readonly start: (target: string) => Flight;
  /** Asks for the page after this one as soon as its address is known, unless the rows so far may be enough. */
  readonly lookAhead: (flight: Flight) => void;
  /** Where a page that has come says to go on. */
  readonly onwardFrom: (fetched: Fetched, current: string) => Onward;
  /** Goes on there, with what is in flight already where it is the same. */
  readonly goOn: (target: string | undefined) => Flight | undefined;
  readonly close: () => void;
};

/** Makes a `Route`. */
export function createRoute({ load, reduce, limit }: Wish, progress: Progress): Route {
  const asked = new Set<string>();
  let present: Flight | undefined;
  let ahead: Flight | undefined;
  const ask = (target: string, index: number): Flight => {
    asked.add(target);
    return takeOff(target, index, load);
  };
  const follow = (link: string, current: string): Onward => {
    try {
      const next = reduce(link, current);
      if (next === ahead?.target || !asked.has(next)) return { target: next };
      return {
        target: undefined,
        problem: problem('pagination did not advance: the next page is one that was read before'),
      };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { target: undefined, problem: error };
    }
  };
  return {
    start: (target) => {
      present = ask(target, progress.index);
      return present;
    },
    lookAhead: (flight) =>
      flight.onLink((link) => {
        if (flight !== present || ahead !== undefined || !isNeeded(flight.target, limit, progress)) return;
        const { target } = follow(link, flight.target);
        if (target !== undefined) ahead = ask(target, progress.index + 1);
      }),
    onwardFrom: ({ envelope, moved }, current) => {
      if (moved) asked.clear();
      const link = envelope.next ?? null;
      if (link === null) return { target: undefined };
      if (progress.idle >= LONGEST_IDLE)
        return {
          target: undefined,
          problem: problem('pagination did not advance: page after page brings nothing new'),
        };
      if (typeof link === 'string') return follow(link, current);
      return { target: undefined, problem: problem('the link to the next page is not text') };
    },
    goOn: (target) => {
      if (ahead !== undefined && ahead.target !== target) {
        ahead.drop();
        asked.delete(ahead.target);
        ahead = undefined;
      }
      present = target === undefined ? undefined : (ahead ?? ask(target, progress.index));
      ahead = undefined;
      return present;
    },
    close: () => {
      present?.drop();
      ahead?.drop();
      present = undefined;
    },
  };
}

/** Counts pages that bring no new row. */
export function countIdle(
  progress: Progress,
  { size, dropped }: { readonly size: number; readonly dropped: number },
): void {
  if (size > 0) progress.idle = 0;
  else progress.idle += dropped > 0 ? REPEATED : 1;
}

/** Whether the page after this one is wanted however many rows this one brings, which are no more than it asks for. */
function isNeeded(target: string, limit: number | undefined, { rows }: Progress): boolean {
  if (limit === undefined) return true;
  const size = new URL(target, 'http://host').searchParams.get('limit');
  return size !== null && rows + Number(size) < limit;
}

function problem(message: string): CliError {
  return new CliError('unavailable', message, {
    hint: 'the service or a gateway before it builds wrong links: the list is not complete',
    outcome: 'not-done',
  });
}
