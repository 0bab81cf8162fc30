import type { AnswerOf, Dialect, Endpoint, InputOf } from '../api/endpoint.ts';
import type { JsonObject } from '../json/kinds.ts';
import type { SandboxKey } from './authorise.ts';
import type { Calculations } from './calculation/calculations.ts';
import type { Moment } from './clock.ts';
import type { Store } from './store/open-store.ts';

/** What every handler gets, whatever the row. */
export type Circumstances = {
  readonly dialect: Dialect;
  readonly store: Store;
  /** The sandbox's clock, read once for the whole request. */
  readonly now: Moment;
  readonly key: SandboxKey;
  /** The address that was asked for, absolute. */
  readonly address: URL;
  /** The service's own output format. */
  readonly format: 'csv' | 'json';
  /** The body as it came, for the fields that no row lists. */
  readonly body: JsonObject;
  readonly calculations: Calculations;
  /** How long SQL may run, in milliseconds. */
  readonly longestQuery: number;
};

/** One request that was understood, as its handler gets it. */
export type Call<Row extends Endpoint> = Circumstances & { readonly input: InputOf<Row> };

/** What a handler answers. Without a body the answer is empty. */
export type Reply<Row extends Endpoint> = { readonly status: number; readonly body?: AnswerOf<Row> };

/** An answer that takes its time: `later` is waited for while other requests are answered. It must not write. */
export type LaterReply<Body> = {
  readonly later: () => Promise<{ readonly status: number; readonly body?: Body }>;
};

export type Handler<Row extends Endpoint> = (
  call: Call<Row>,
) => Promise<Reply<Row> | LaterReply<AnswerOf<Row>>>;

/** One handler for each row of a table, by its name there. */
export type Handlers<Rows extends Record<string, Endpoint>> = {
  readonly [Name in keyof Rows]: Handler<Rows[Name]>;
};
