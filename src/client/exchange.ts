import type { Dispatcher } from 'undici';
import { collect, type Slot, type Unpacker, unpacked } from './collect.ts';
import { createFeed, type Feed } from './create-feed.ts';
import type { Body } from './open-body.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, of which there is nothing where it is read as it comes. */
  readonly bytes: Buffer;
  readonly body?: Body;
};

type Fed = Answer & { readonly feed?: Feed };

/** How a 2xx body is read: into a buffer that is used again, or as it comes. */
type Wish = { readonly slot: Slot | undefined; readonly streamed: boolean };

/** One request on its way, and its answer. */
export type Exchange = {
  /** Rejects when no whole answer comes. */
  readonly answer: Promise<Fed>;
  /** Known as soon as the headers are there. */
  readonly status: () => number | undefined;
  /** Ends it from our side: the answer rejects at once, and a request that waits for a connection is not written. */
  readonly abort: () => void;
};

/**
 * Sends a request and collects its answer from what undici tells as it comes. The streams that undici makes of an
 * answer cost a third of the start-up of a small command, and time for each part of a large one.
 */
export function startExchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { slot, streamed }: Wish,
): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let status: number | undefined;
  let body: Unpacker | undefined;
  let broken: Error | undefined;
  let refuse: (cause: Error) => void = () => {};
  const fail = (cause: Error): void => {
    broken ??= cause;
    body?.drop(cause);
    refuse(cause);
    controller?.abort(cause);
  };
  const flow = {
    pause: () => {
      controller?.pause();
      body?.pause?.();
    },
    resume: () => {
      body?.resume?.();
      controller?.resume();
    },
  };
  const answer = new Promise<Fed>((resolve, reject) => {
    refuse = reject;
    dispatcher.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (broken !== undefined) started.abort(broken);
      },
      onResponseStart: (_, code, fields) => {
        // What comes before the answer, such as 103 with early hints.
        if (code < 200) return;
        status = code;
        const headers = firstValues(fields);
        if (streamed && code < 300) {
          const feed = createFeed(flow);
          body = unpacked(feed, { encoding: headers['content-encoding'], fail });
          resolve({ status: code, headers, bytes: Buffer.alloc(0), feed });
          return;
        }
        body = collect({
          encoding: headers['content-encoding'],
          // What an error says is not to be taken for the beginning of a page.
          slot: code < 300 ? slot : undefined,
          done: (bytes) => resolve({ status: code, headers, bytes }),
          fail,
        });
      },
      onResponseData: (_, part) => body?.add(part),
      onResponseEnd: () => body?.end(),
      onResponseError: (_, cause) => fail(cause),
    });
  });
  return { answer, status: () => status, abort: () => fail(new Error('ended from this side')) };
}

function firstValues(fields: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) flat[name] = first;
  }
  return flat;
}
