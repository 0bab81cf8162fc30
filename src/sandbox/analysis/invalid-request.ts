import { Refusal } from '../refusal.ts';

type RequestFault = {
  /** The service's code, `invalid_input` unless it has one of its own for this fault. */
  readonly code?: string;
  /** The field at fault. */
  readonly attr?: string;
};

/** A request that cannot be calculated: a refusal with status 400 and the type `validation_error`. */
export function invalidRequest(detail: string, { code = 'invalid_input', attr }: RequestFault = {}): Refusal {
  return new Refusal(400, detail, {
    type: 'validation_error',
    code,
    ...(attr === undefined ? {} : { attr }),
  });
}
