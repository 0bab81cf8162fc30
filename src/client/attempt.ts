import type { Dispatcher } from 'undici';
import type { Slot } from './collect.ts';
import { connectionIsBack } from './connection-is-back.ts';
import { type Answer, startExchange } from './exchange.ts';
import { codeOf, type Loss, lossOf } from './loss.ts';
import { type Body, openBody } from './open-body.ts';
import { startDeadline } from './start-deadline.ts';

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
  /** Whether the body of a 2xx answer is left to be read as it comes. */
  readonly streamed: boolean;
};

/**
 * Sends once and reads the whole answer, of any status; the body of a 2xx answer to what is `streamed` is left to the
 * caller, who closes it. Network failures come back as a loss, not as an error.
 */
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
    sending,
  );
  const deadline = startDeadline(sending, exchange.abort);
  let body: Body | undefined;
  try {
    const { feed, ...answer } = await exchange.answer;
    if (feed !== undefined) {
      body = openBody(feed, { deadline, status: answer.status, abort: exchange.abort });
      return { answer: { ...answer, body } };
    }
    await connectionIsBack();
    return { answer };
  } catch (cause) {
    // An argument that undici refuses is a mistake of ours, not of the network.
    if (codeOf(cause) === 'UND_ERR_INVALID_ARG') throw cause;
    const status = exchange.status();
    const ours = deadline.reason();
    if (status !== undefined) return { loss: { reason: ours ?? 'cut', cause, status } };
    return { loss: { reason: ours ?? lossOf(cause, sending.proxied), cause } };
  } finally {
    if (body === undefined) deadline.clear();
  }
}
