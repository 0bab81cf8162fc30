import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type Collector, collect, type Slot } from './collect.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
};

/** One request on its way, and its answer. */
export type Exchange = {
  /** Rejects when no whole answer comes. */
  readonly answer: Promise<Answer>;
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
  slot: Slot | undefined,
): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let status: number | undefined;
  let body: Collector | undefined;
  let broken: Error | undefined;
  let refuse: (cause: Error) => void = () => {};
  const fail = (cause: Error): void => {
    broken ??= cause;
    body?.drop();
    refuse(cause);
    controller?.abort(cause);
  };
  const answer = new Promise<Answer>((resolve, reject) => {
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

function firstValues(fields: IncomingHttpHeaders): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) flat[name] = first;
  }
  return flat;
}
