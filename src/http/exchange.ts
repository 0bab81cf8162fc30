import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { WireRequest } from './build-request.ts';
import { codeOf, type FailureReason, failureOf, isNotHttp, type NetworkFailure } from './failure.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
};

export type Attempt = { readonly answer: Answer } | { readonly failure: NetworkFailure };

export type Sending = Pick<WireRequest, 'method' | 'target' | 'headers' | 'body'> & {
  readonly origin: string;
  /** Milliseconds for the whole exchange: connecting, waiting and reading. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Bytes that a 2xx body may have, unpacked. */
  readonly largest: number;
  /** Shown the first bytes of a 2xx body that goes on. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
  /** Buffers for a body, free to be overwritten: of an answer that lies in one, the reader gives it back. */
  readonly free?: Buffer[] | undefined;
};

/**
 * Sends once and reads the whole answer, of any status. A network failure comes back as a value, not as an error. The
 * answer is collected from what undici tells as it comes: the streams that it makes of one cost a third of the start-up
 * of a small command, and time for each part of a large one.
 */
export async function attempt(dispatcher: Dispatcher, sending: Sending): Promise<Attempt> {
  if (sending.signal?.aborted) return { failure: { reason: 'interrupted', cause: sending.signal.reason } };
  let controller: Dispatcher.DispatchController | undefined;
  let status: number | undefined;
  let body: Collector | undefined;
  let broken: Error | undefined;
  const result = await new Promise<Attempt>((resolve, reject) => {
    const fail = (cause: Error, ours?: FailureReason): void => {
      clear();
      broken ??= cause;
      body?.drop();
      // An argument that undici refuses is a mistake of ours, not of the network.
      if (codeOf(cause) === 'UND_ERR_INVALID_ARG') reject(cause);
      else {
        const isUnread = status === undefined || isNotHttp(cause);
        const before = isUnread ? failureOf(cause) : ({ reason: 'cut', cause } as const);
        const reason = REFUSED[codeOf(cause)] ?? ours ?? before.reason;
        resolve({ failure: { ...before, reason, status, bytes: mostBytes(status, sending) } });
      }
      controller?.abort(cause);
    };
    const clear = startDeadline(sending, (reason) => fail(new Error('ended from this side'), reason));
    dispatcher.dispatch(optionsOf(sending), {
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
          most: mostBytes(code, sending),
          // What an error says is not to be taken for the beginning of a page.
          onHead: code < 300 ? sending.onHead : undefined,
          free: code < 300 ? sending.free : undefined,
          done: (bytes) => {
            clear();
            resolve({ answer: { status: code, headers, bytes } });
          },
          fail,
        });
      },
      onResponseData: (_, part) => body?.add(part),
      onResponseEnd: () => body?.end(),
      onResponseError: (_, cause) => fail(cause),
    });
  });
  if ('answer' in result) await connectionIsBack();
  return result;
}

/** Why a body is not taken. Bytes that cannot be unpacked came whole, so that they would be the same again. */
const REFUSED: Readonly<Record<string, FailureReason>> = {
  ERR_DAMAGED_PACKING: 'packing',
  ERR_UNKNOWN_PACKING: 'packing',
  ERR_TOO_LARGE: 'too large',
};

function withCode(code: string, reason = 'the body is not taken'): Error {
  return Object.assign(new Error(reason), { code });
}

/**
 * undici takes a connection back one turn after an answer has ended; before that the next request would open another. It
 * writes a request that waits for the connection one turn later, which an answer that takes long to parse would hold up.
 */
function connectionIsBack(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function optionsOf({ origin, target, method, headers, body }: Sending): Dispatcher.DispatchOptions {
  return {
    origin,
    path: target,
    // The methods of rows and of free requests are a closed list, each of which undici knows.
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers },
    body: body ?? null,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function firstValues(fields: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    // Each scheme of a login may come in a header of its own.
    const values = [value ?? []].flat();
    const first = name === 'proxy-authenticate' ? values.join(', ') : values[0];
    if (first !== undefined) flat[name] = first;
  }
  return flat;
}

/** Takes the parts of a body as they arrive. */
type Collector = {
  readonly add: (part: Buffer) => void;
  /** No more parts will come. */
  readonly end: () => void;
  /** The body broke off or is not wanted any more. */
  readonly drop: () => void;
};

type Collecting = {
  readonly encoding: string | undefined;
  /** Bytes, unpacked. */
  readonly most: number;
  readonly onHead: Sending['onHead'];
  readonly free: Sending['free'];
  readonly done: (bytes: Buffer) => void;
  /** Called when the body cannot be unpacked or is too large. */
  readonly fail: (cause: Error) => void;
};

/** Collects a body, unpacked if it is packed: gateways pack although nobody asked for it. */
function collect(collecting: Collecting): Collector {
  const encoding = collecting.encoding?.trim().toLowerCase() ?? '';
  const plain = collectParts(collecting);
  if (encoding === '' || encoding === 'identity') return plain;
  const create = unpackerOf(encoding);
  if (create !== undefined) return unpack(plain, create, collecting.fail);
  const reason = encoding === 'zstd' ? 'zstd is read from Node 22.15 on' : `"${encoding}" is not known here`;
  collecting.fail(withCode('ERR_UNKNOWN_PACKING', reason));
  return { add: () => {}, end: () => {}, drop: () => {} };
}

const CHUNKS = { chunkSize: 64 * 1024 };

type Unpacker = (first: number) => Transform;

/** How to unpack by the name of an encoding; `first` is the first byte of the body. */
function unpackerOf(encoding: string): Unpacker | undefined {
  if (/^(x-)?gzip$/.test(encoding)) return () => zlib.createGunzip(CHUNKS);
  if (encoding === 'br') return () => zlib.createBrotliDecompress(CHUNKS);
  // It should have the head of zlib, which many leave out.
  if (encoding === 'deflate')
    return (first) => ((first & 0x0f) === 8 ? zlib.createInflate(CHUNKS) : zlib.createInflateRaw(CHUNKS));
  // The types of Node 20 do not know it.
  const { createZstdDecompress: create } = zlib as { createZstdDecompress?: typeof zlib.createGunzip };
  return encoding === 'zstd' && create !== undefined ? () => create(CHUNKS) : undefined;
}

function unpack(plain: Collector, create: Unpacker, fail: (cause: Error) => void): Collector {
  let stream: Transform | undefined;
  const start = (first: number): Transform => {
    stream = create(first);
    return stream
      .on('data', plain.add)
      .on('end', plain.end)
      .on('error', (cause) => {
        // A body that ends too early was cut; anything else that cannot be unpacked would be the same again.
        fail(codeOf(cause) === 'Z_BUF_ERROR' ? cause : withCode('ERR_DAMAGED_PACKING', codeOf(cause)));
      });
  };
  return {
    add: (part) => void (stream ?? start(part[0] ?? 0)).write(part),
    end: () => void (stream ?? start(0)).end(),
    drop: () => {
      stream?.destroy();
      plain.drop();
    },
  };
}

/** Parts go into one buffer as they come, since the memory of each is only freed with V8's young objects. */
function collectParts({ most, onHead, free, done, fail }: Collecting): Collector {
  let room = free?.pop() ?? Buffer.alloc(0);
  let length = 0;
  let rest: Buffer[] = [];
  let soon: NodeJS.Immediate | undefined;
  return {
    add: (part) => {
      const before = length;
      length += part.length;
      if (length > most) return fail(withCode('ERR_TOO_LARGE'));
      if (length > LONG_BODY) {
        rest.push(part);
        return;
      }
      if (length > room.length) {
        const larger = Buffer.allocUnsafeSlow(2 * length);
        room.copy(larger, 0, 0, before);
        room = larger;
      }
      part.copy(room, before);
      if (onHead === undefined) return;
      // A short body is whole, and read, before anyone could act on its beginning; a long one takes time to parse.
      if (before === 0) soon = setImmediate(() => onHead(part));
      else if (soon !== undefined) {
        clearImmediate(soon);
        soon = undefined;
        onHead(room.subarray(0, length));
      }
    },
    end: () => {
      clearImmediate(soon);
      const first = room.subarray(0, length - sizeOf(rest));
      done(rest.length === 0 ? first : Buffer.concat([first, ...rest]));
    },
    drop: () => {
      clearImmediate(soon);
      room = Buffer.alloc(0);
      rest = [];
    },
  };
}

function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

const LARGEST_ERROR = 1_000_000;

/** Of a longer body the parts are kept as they came: copied, the body would take its memory twice. */
const LONG_BODY = 8_000_000;

function mostBytes(status = 0, { largest }: Sending): number {
  return status < 300 ? largest : LARGEST_ERROR;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls back when the time is over or the signal says so. Returns how to undo that. */
function startDeadline(
  { timeout, signal }: Pick<Sending, 'timeout' | 'signal'>,
  end: (reason: 'timeout' | 'interrupted') => void,
): () => void {
  const interrupt = (): void => end('interrupted');
  const timer = setTimeout(end, Math.min(timeout, LONGEST_TIMER), 'timeout');
  signal?.addEventListener('abort', interrupt, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', interrupt);
  };
}
