import type { Json } from '../json/kinds.ts';
import { parseJson } from '../json/text.ts';

/** An answer that says no, in the error shape of the service: type, code, detail, attr. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly attr: string | null;
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    detail: string,
    shape: {
      readonly type: string;
      readonly code: string;
      readonly attr?: string;
      readonly retryAfter?: number;
    },
  ) {
    super(detail);
    this.status = status;
    this.type = shape.type;
    this.code = shape.code;
    this.attr = shape.attr ?? null;
    this.retryAfter = shape.retryAfter;
  }
}

/** The body of a refusal. */
export function refusalBody(refusal: Refusal): Json {
  return { type: refusal.type, code: refusal.code, detail: refusal.message, attr: refusal.attr };
}

/** 404, for anything that is not there. */
export function notFound(detail = 'Not found.'): Refusal {
  return new Refusal(404, detail, { type: 'invalid_request', code: 'not_found' });
}

/** 400, for a value that cannot be used; `attr` names the field. */
export function invalid(attr: string, detail: string, code = 'invalid_input'): Refusal {
  return new Refusal(400, detail, { type: 'validation_error', code, attr });
}

/** 400, for a body that cannot be read. */
export function unreadable(detail: string): Refusal {
  return new Refusal(400, detail, { type: 'invalid_request', code: 'parse_error' });
}

/** 400, for a field that is missing. */
export function required(attr: string): Refusal {
  return invalid(attr, 'This field is required.', 'required');
}

/** 403, for a key that is known but may not do this. */
export function forbidden(detail: string): Refusal {
  return new Refusal(403, detail, { type: 'authentication_error', code: 'permission_denied' });
}

/** 405, for a path that exists with another method. */
export function methodNotAllowed(method: string): Refusal {
  return new Refusal(405, `Method "${method}" not allowed.`, {
    type: 'invalid_request',
    code: 'method_not_allowed',
  });
}

/** 501, for an operation that this sandbox does not calculate. */
export function notCalculated(summary: string): Refusal {
  return new Refusal(501, `The sandbox does not support this yet: ${summary}.`, {
    type: 'server_error',
    code: 'not_implemented',
  });
}

/** 400, for a request that cannot be calculated as a whole. */
export function invalidRequest(detail: string, code = 'invalid_input'): Refusal {
  return new Refusal(400, detail, { type: 'validation_error', code });
}

/** Reads JSON; what is none becomes what `otherwise` makes of it, which may be a refusal. */
export function parseOr(text: string, otherwise: (reason: string) => Json): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return otherwise(cause.message);
    throw cause;
  }
}
