import type { Endpoint } from '../../api/endpoint.ts';
import type { Handler } from '../call.ts';
import { notCalculated } from '../refusal.ts';

/** The handler of a row that is not calculated here: 501 and a sentence, rather than figures that mean nothing. */
export function unanswered<Row extends Endpoint>(row: Row): Handler<Row> {
  return async () => {
    throw notCalculated(row.summary);
  };
}
