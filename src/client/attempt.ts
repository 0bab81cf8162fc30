import type { Dispatcher } from 'undici';
import type { Slot } from './collect.ts';
import { type Answer, startExchange } from './exchange.ts';
import { codeOf, type LossReason, lossOf } from './loss.ts';

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
  const exchange = startExchange(
    dispatcher,
    {
      origin: sending.origin,
      path: sending.target,
      method: sending.method,
      headers: { ...sending.headers },
      body: sending.body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    sending.slot,
  );
  const deadline = startDeadline(sending, exchange.abort);
  try {
    const answer = await exchange.answer;
    // undici takes a connection back one turn later; the next request would open another one.
    await new Promise((resolve) => setImmediate(resolve));
    return { answer };
  } catch (cause) {
    // An argument that undici refuses is a mistake of ours, not of the network.
    if (codeOf(cause) === 'UND_ERR_INVALID_ARG') throw cause;
    const status = exchange.status();
    const ours = deadline.reason();
    if (status !== undefined) return { loss: { reason: ours ?? 'cut', cause, status } };
    return { loss: { reason: ours ?? lossOf(cause, sending.proxied), cause } };
  } finally {
    deadline.clear();
  }
}

/** Aborts when the time is over or the signal says so; `reason` tells which it was, if any. */
function startDeadline({ timeout, signal }: Pick<Sending, 'timeout' | 'signal'>, abort: () => void) {
  let reason: 'timeout' | 'interrupted' | undefined;
  const end = (why: 'timeout' | 'interrupted') => (): void => {
    reason ??= why;
    abort();
  };
  const interrupt = end('interrupted');
  const timer = setTimeout(end('timeout'), Math.min(timeout, LONGEST_TIMER));
  signal?.addEventListener('abort', interrupt, { once: true });
  if (signal?.aborted) interrupt();
  return {
    reason: (): 'timeout' | 'interrupted' | undefined => reason,
    clear(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', interrupt);
    },
  };
}
