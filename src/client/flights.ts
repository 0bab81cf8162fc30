import type { Fetched } from './keep-rows.ts';

/** A page that was asked for. */
export type Flight = {
  readonly target: string;
  readonly pending: Promise<Fetched>;
  /** Calls back with the link to the page after it, as soon as that is known; at once where it is. */
  readonly onLink: (heed: (link: string) => void) => void;
  readonly drop: () => void;
};

export type Load = (
  target: string,
  loading: {
    /** Counts pages from 0. */
    readonly index: number;
    readonly signal: AbortSignal;
    /** To be called when the link to the next page was read, which may be before the page has ended. */
    readonly onLink: (link: string) => void;
  },
) => Promise<Fetched>;

/** Asks for a page. */
export function takeOff(target: string, index: number, load: Load): Flight {
  const stop = new AbortController();
  let known: string | undefined;
  let heeded: ((link: string) => void) | undefined;
  const onLink = (link: string): void => {
    known = link;
    heeded?.(link);
  };
  const pending = load(target, { index, signal: stop.signal, onLink });
  // Where the reader leaves early nobody waits for this page; else its failure is met by who does.
  pending.catch(() => undefined);
  return {
    target,
    pending,
    onLink: (heed) => {
      heeded = heed;
      if (known !== undefined) heed(known);
    },
    drop: () => stop.abort(),
  };
}
