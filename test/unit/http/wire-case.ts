import type { Dialect, Endpoint, InputOf } from '../../../src/service/endpoint.ts';
import { makeClient } from './make-client.ts';

/** Request line and raw body, written by hand from the specification and the facts of the live service. */
export type Wire = readonly [line: string, body: string];
export type Case = {
  readonly id: string;
  readonly about: string;
  readonly send: (base: string, dialect: Dialect) => Promise<unknown>;
  readonly specification: Wire;
  readonly live: Wire;
};

/** One case of the table: a row, its input, and what must arrive in each dialect. */
export function wire<Row extends Endpoint>(
  row: Row,
  input: InputOf<Row>,
  expected:
    | { readonly id: string; readonly about?: string; readonly both: Wire }
    | (Omit<Case, 'send' | 'about'> & { readonly about?: string }),
): Case {
  const forms = 'both' in expected ? { specification: expected.both, live: expected.both } : expected;
  return {
    id: expected.id,
    about: expected.about ?? row.summary,
    specification: forms.specification,
    live: forms.live,
    send: async (base, dialect) => {
      const { client } = makeClient(base, { dialect });
      const answer = await client.raw(row, input);
      await client.close();
      return answer;
    },
  };
}

export const UUID = '0190c2f5-7a1b-7c3d-8e4f-5a6b7c8d9e0f';
export const STEPS = [{ id: 'sign up' }, { id: 'pay' }];
export const STEPS_TEXT = '%5B%7B%22id%22%3A%22sign%20up%22%7D%2C%7B%22id%22%3A%22pay%22%7D%5D';
