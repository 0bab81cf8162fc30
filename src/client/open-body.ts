import { connectionIsBack } from './connection-is-back.ts';
import type { Feed } from './create-feed.ts';
import type { Loss } from './loss.ts';
import type { Deadline } from './start-deadline.ts';

/** A body that is read as it comes. */
export type Body = {
  /** The next bytes, undefined at the end, or why there are no more. */
  readonly next: () => Promise<{ readonly chunk: Buffer | undefined } | { readonly loss: Loss }>;
  /** To be called while nobody waits for bytes: the time that a request may take stands still until `next`. */
  readonly rest: () => void;
  readonly close: () => void;
};

/** What is slower than so many bytes in the time of a request ends as a request without an answer does. */
const LOT_BYTES = 2 ** 16;

type Opening = { readonly deadline: Deadline; readonly status: number; readonly abort: () => void };

/** Opens a body. Each 64 KiB of it have the time of a request, and so has what comes after a rest. */
export function openBody(feed: Feed, { deadline, status, abort }: Opening): Body {
  let since = 0;
  let ended = false;
  const came = (bytes: number): void => {
    since += bytes;
    if (since < LOT_BYTES) return;
    deadline.rest();
    since = 0;
  };
  return {
    next: async () => {
      deadline.renew();
      try {
        const chunk = await feed.next();
        came(chunk?.length ?? 0);
        ended = chunk === undefined;
        if (ended) await connectionIsBack();
        return { chunk };
      } catch (cause) {
        return { loss: { reason: deadline.reason() ?? 'cut', cause, status } };
      }
    },
    rest: deadline.rest,
    close: () => {
      deadline.clear();
      if (!ended) abort();
    },
  };
}
