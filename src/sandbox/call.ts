import type { AnswerOf, Dialect, Endpoint, InputOf } from '../api/endpoint.ts';
import type { SandboxKey } from './authorise.ts';
import type { Moment } from './clock.ts';
import type { Store } from './store/open-store.ts';

/** One request that was understood, as its handler gets it. */
export type Call<Row extends Endpoint> = {
  readonly input: InputOf<Row>;
  readonly dialect: Dialect;
  readonly store: Store;
  /** The sandbox's clock, read once for the whole request. */
  readonly now: Moment;
  readonly key: SandboxKey;
  /** The address that was asked for, absolute. */
  readonly address: URL;
  /** The service's own output format. */
  readonly format: 'csv' | 'json';
};

/** What a handler answers. Without a body the answer is empty. */
export type Reply<Row extends Endpoint> = { readonly status: number; readonly body?: AnswerOf<Row> };

export type Handler<Row extends Endpoint> = (call: Call<Row>) => Promise<Reply<Row>>;

/** One handler for each row of a table, by its name there. */
export type Handlers<Rows extends Record<string, Endpoint>> = {
  readonly [Name in keyof Rows]: Handler<Rows[Name]>;
};
