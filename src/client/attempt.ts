import type { Dispatcher } from 'undici';
import { collect, type Slot } from './collect.ts';
import { codeOf, type LossReason, lossOf } from './loss.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
};

/** Why there is no whole answer. `status` is there where the headers came before the body broke. */
export type Loss = { readonly reason: LossReason; readonly cause: unknown; readonly status?: number };

export type Attempt = { readonly answer: Answer } | { readonly loss: Loss };

export type Sending = {
  readonly origin: string;
  readonly method: Dispatcher.HttpMethod;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Milliseconds for the whole exchange: connecting, waiting and reading. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  readonly proxied: boolean;
  /** A buffer to read into that may be used again. */
  readonly slot: Slot | undefined;
};

const LONGEST_TIMER = 2 ** 31 - 1;

/** Sends once and reads the whole answer, of any status. Network failures come back as a loss, not as an error. */
export async function attempt(dispatcher: Dispatcher, sending: Sending): Promise<Attempt> {
  const stop = startDeadline(sending.timeout, sending.signal);
  let status: number | undefined;
  try {
    const response = await stop.race(
      dispatcher.request({
        origin: sending.origin,
        path: sending.target,
        method: sending.method,
        headers: { ...sending.headers },
        body: sending.body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: stop.signal,
      }),
    );
    status = response.statusCode;
    const headers = firstValues(response.headers);
    const bytes = await stop.race(
      collect(response.body, {
        encoding: headers['content-encoding'],
        // What an error says is not to be taken for the beginning of a page.
        slot: status < 300 ? sending.slot : undefined,
      }),
    );
    // undici takes a connection back one turn later; the next request would open another one.
    await new Promise((resolve) => setImmediate(resolve));
    return { answer: { status, headers, bytes } };
  } catch (cause) {
    // An argument that undici refuses is a mistake of ours, not of the network.
    if (codeOf(cause) === 'UND_ERR_INVALID_ARG') throw cause;
    if (stop.reason() !== undefined)
      return { loss: { reason: stop.reason() ?? 'timeout', cause, ...(status && { status }) } };
    if (status !== undefined) return { loss: { reason: 'cut', cause, status } };
    return { loss: { reason: lossOf(cause, sending.proxied), cause } };
  } finally {
    stop.clear();
  }
}

/**
 * undici looks at a signal only once it has a connection, so the request is raced against the deadline as well; when
 * the deadline wins, undici drops the request before writing it.
 */
function startDeadline(milliseconds: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let reason: 'timeout' | 'interrupted' | undefined;
  const end = (why: 'timeout' | 'interrupted') => (): void => {
    reason ??= why;
    controller.abort();
  };
  const interrupt = end('interrupted');
  const timer = setTimeout(end('timeout'), Math.min(milliseconds, LONGEST_TIMER));
  outer?.addEventListener('abort', interrupt, { once: true });
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  ended.catch(() => undefined);
  if (outer?.aborted) interrupt();
  return {
    signal: controller.signal,
    reason: (): 'timeout' | 'interrupted' | undefined => reason,
    race<T>(work: Promise<T>): Promise<T> {
      work.catch(() => undefined);
      return Promise.race([ended, work]);
    },
    clear(): void {
      clearTimeout(timer);
      outer?.removeEventListener('abort', interrupt);
    },
  };
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) flat[name] = first;
  }
  return flat;
}
