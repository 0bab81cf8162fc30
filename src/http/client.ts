import type { Json } from '../json/kinds.ts';
import type { AnswerOf, Dialect, Endpoint, InputOf } from '../service/endpoint.ts';
import type { platform } from '../service/platform.ts';
import type { QueryAnswer } from '../service/schemas.ts';
import type { Progress } from '../system/output.ts';
import type { Environment, System } from '../system/system.ts';
import type { FreeRequest } from './free-request.ts';
import type { Overlap } from './overlap.ts';
import type { Page } from './pages.ts';

/** The parts of undici that are used; the build puts a trimmed copy in its place. */
export type Undici = Pick<typeof import('undici'), 'Pool' | 'ProxyAgent' | 'buildConnector'>;

/** PEM texts. */
export type ClientCertificate = { readonly cert: string; readonly key: string };

export type ClientSettings = Pick<System, 'now' | 'random' | 'wait'> & {
  /** The service's address, with the path it lives under, if any. */
  readonly base: string | URL;
  /** Needed by every row under a project. */
  readonly projectId?: string | undefined;
  /** A function is asked at each request. */
  readonly key: string | (() => Promise<string>);
  readonly dialect: Dialect;
  /** Of it the variables of proxies are read, and whether Node was told to accept every certificate. */
  readonly environment?: Environment | undefined;
  /** Certificates in PEM form to trust as well. Before Node 22.15 those of NODE_EXTRA_CA_CERTS must be among them. */
  readonly ca?: readonly string[] | undefined;
  /** Why authorities that somebody named are not trusted, asked when a certificate is not accepted. */
  readonly untrusted?: (() => string | undefined) | undefined;
  /** The certificate that only the service is shown, in PEM form. */
  readonly certificate?: ClientCertificate | undefined;
  /** Milliseconds per request, 60,000 unless said otherwise. */
  readonly timeout?: number | undefined;
  /** Further tries per request, 4 unless said otherwise. */
  readonly retries?: number | undefined;
  /** Bytes of one answer, unpacked, 128,000,000 unless said otherwise. */
  readonly largestAnswer?: number | undefined;
  /** Receives one line per wait, and one about rows that were repeated. */
  readonly note: (text: string) => void;
  /** Receives what the service warns of in an answer. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Begins to show how far a query in the background is. */
  readonly progress?: ((how: { readonly amidRows: boolean }) => Progress) | undefined;
  /** Milliseconds for a query in the background, ten minutes unless said otherwise. */
  readonly longestWait?: number | undefined;
  /** Told before each request that may change something. */
  readonly onChange?: (() => void) | undefined;
  /** Receives one line per request, without key, bodies and values. */
  readonly debug?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends waits before another try, but not what is in flight. */
  readonly waitSignal?: AbortSignal | undefined;
  /** Takes secrets out of the service's words, beside the key, which is always taken out. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly loadUndici?: (() => Promise<Undici>) | undefined;
};

export type CallAdditions = {
  /** The whole body, in place of the one made from the input. */
  readonly body?: Json | undefined;
  /** Milliseconds for this request. */
  readonly timeout?: number | undefined;
  /** The service's own output format. */
  readonly format?: 'csv' | 'json' | undefined;
  /** Sent although everything was stopped, once and for a short time. */
  readonly isLast?: boolean | undefined;
  /** Told what time the service says it is (ISO), if its answer has a date. */
  readonly onTime?: ((time: string) => void) | undefined;
};

export type QueryAdditions = Pick<CallAdditions, 'timeout' | 'onTime'> & {
  /** What was calculated before it was asked for is no answer, as for a proof. */
  readonly isNew?: boolean | undefined;
  /** Rows are printed meanwhile. */
  readonly amidRows?: boolean | undefined;
};

export type PageOptions = {
  /** Rows in all, over as many pages as it takes. */
  readonly limit?: number | undefined;
  /** Rows to ask for per page. */
  readonly pageSize?: number | undefined;
  /** Has pages overlap, so that rows which are shifted by others that go are not missed. */
  readonly overlap?: Overlap | undefined;
  readonly body?: Json | undefined;
  readonly onTime?: CallAdditions['onTime'];
};

type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
};

/** A request as it would be sent, for people: the key is masked. */
export type Description = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
};

export type Client = {
  /** Sends one request and returns its answer, with exact numbers; undefined if an empty body is an answer. */
  readonly call: <E extends Endpoint>(
    row: E,
    input: InputOf<E>,
    additions?: CallAdditions,
  ) => Promise<AnswerOf<E>>;
  /**
   * Runs a query to its end: one that takes longer than the service lets a request last goes on in the background and is
   * polled. Ctrl-C and the end of the wait cancel it. `onTime` is told no time after the calculation began.
   */
  readonly query: (input: InputOf<typeof platform.query>, additions?: QueryAdditions) => Promise<QueryAnswer>;
  /** Waits for a query that runs in the background. */
  readonly follow: (id: string, how?: Pick<QueryAdditions, 'amidRows'>) => Promise<QueryAnswer>;
  /** Reads a list page by page, one ahead. */
  readonly pages: <E extends Endpoint>(
    row: E,
    input: InputOf<E>,
    options?: PageOptions,
  ) => AsyncIterable<Page>;
  /** Sends one request and returns the bytes of its 2xx answer as they came. */
  readonly raw: <E extends Endpoint>(
    row: E,
    input: InputOf<E>,
    additions?: CallAdditions,
  ) => Promise<RawAnswer>;
  /** What `call` would send. Sends nothing. */
  readonly describe: <E extends Endpoint>(
    row: E,
    input: InputOf<E>,
    additions?: CallAdditions,
  ) => Description;
  /** The same for requests that no row describes. */
  readonly api: {
    readonly raw: (request: FreeRequest) => Promise<RawAnswer>;
    readonly pages: (request: FreeRequest) => AsyncIterable<Page>;
    readonly describe: (request: FreeRequest) => Description;
  };
  /** Closes connections that are kept open. */
  readonly close: () => Promise<void>;
};
