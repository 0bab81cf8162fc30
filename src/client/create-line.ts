import type { Dispatcher } from 'undici';
import type { WireRequest } from './build-request.ts';
import type { ProxyRoute } from './choose-proxy.ts';
import { attempt } from './exchange.ts';
import { openDispatcher, type Undici } from './open-dispatcher.ts';
import type { Base } from './parse-base.ts';
import type { Line } from './send.ts';
import { traceLine } from './trace-line.ts';

export type LineSettings = Pick<Line, 'wait' | 'random' | 'now' | 'note' | 'where'> & {
  readonly base: Base;
  readonly key: string;
  readonly proxy: ProxyRoute | undefined;
  /** PEM texts to trust as well. */
  readonly authorities: readonly string[];
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly debug?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly waitSignal?: AbortSignal | undefined;
  readonly loadUndici?: (() => Promise<Undici>) | undefined;
};

type Opening = {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLost?: (() => void) | undefined;
  /** Shown the first bytes of a 2xx body that goes on. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
};

const TIMEOUT_MILLISECONDS = 60_000;
const RETRIES = 4;

/** The connections to one service. undici is loaded with the first request. */
export function createLine(settings: LineSettings) {
  let opened: Promise<Dispatcher> | undefined;
  const dispatcher = (): Promise<Dispatcher> => {
    opened ??= openDispatcher({
      base: settings.base,
      proxy: settings.proxy,
      authorities: settings.authorities,
      loadUndici: settings.loadUndici ?? (() => import('undici')),
    });
    return opened;
  };
  return {
    where: settings.where,
    open: (opening: Opening): Line => openLine(settings, opening, dispatcher),
    async close(): Promise<void> {
      // Where opening failed, the request that wanted it was told so.
      const dispatcher = await opened?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

function openLine(settings: LineSettings, opening: Opening, dispatcher: () => Promise<Dispatcher>): Line {
  const { base, now } = settings;
  const timeout = opening.timeout ?? settings.timeout ?? TIMEOUT_MILLISECONDS;
  const signals = [settings.signal, opening.signal].filter((signal) => signal !== undefined);
  const signal = signals.length < 2 ? signals[0] : AbortSignal.any(signals);
  return {
    origin: base.origin,
    where: settings.where,
    timeout,
    retries: settings.retries ?? RETRIES,
    wait: settings.wait,
    random: settings.random,
    now,
    note: settings.note,
    onLost: opening.onLost,
    signal,
    waitSignal: settings.waitSignal,
    attempt: async (request) => {
      const started = now();
      const result = await attempt(await dispatcher(), {
        origin: base.origin,
        // The methods of rows and of free requests are a closed list, each of which undici knows.
        method: request.method as Dispatcher.HttpMethod,
        target: request.target,
        headers: { ...headersFor(request, base), authorization: `Bearer ${settings.key}` },
        body: request.body,
        timeout,
        signal,
        proxied: settings.proxy !== undefined,
        onHead: opening.onHead,
      });
      settings.debug?.(traceLine(request, result, now() - started));
      return result;
    },
  };
}

/** The headers of a request without the key. Packing is not worth its time on the same computer. */
export function headersFor(request: WireRequest, base: Base): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    ...(base.loopback ? {} : { 'accept-encoding': 'gzip' }),
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'hogctl',
    ...request.headers,
  };
}
