import { CliError, type ErrorKind } from '../errors.ts';
import type { Endpoint } from '../service/endpoint.ts';
import type { Answer } from './exchange.ts';
import { type ErrorBody, readErrorBody } from './read-error-body.ts';
import { inDoubt, UNKNOWN_HINT, viaProxy, type Whereabouts } from './whereabouts.ts';

type Asked = { readonly effect: Endpoint['effect']; readonly where: Whereabouts };

/** An answer outside 2xx as an error. Kind and outcome follow status and code; the service's words choose the hint. */
export function toAnswerError(answer: Answer, { effect, where }: Asked): CliError {
  const type = answer.headers['content-type'] ?? '';
  const body = readErrorBody(answer.bytes, type);
  const kind = kindOf(answer, body, effect);
  const said =
    body.detail === undefined
      ? describeBody(answer, body, where.host)
      : `: ${where.redact(body.detail).replace(/\.$/, '')}`;
  const field = body.field === undefined ? '' : ` (${where.redact(body.field)})`;
  const subject = kind === 'authentication' ? where.host : 'the service';
  return new CliError(kind, `${subject} answered ${answer.status}${said}${field}${viaProxy(where.proxy)}`, {
    hint: kind === 'partial' ? UNKNOWN_HINT : hintFor({ status: answer.status, kind, body, where }),
    status: answer.status,
    code: body.code,
    outcome: answer.status >= 500 ? inDoubt(effect) : 'not-done',
    answer: body.parsed,
  });
}

/**
 * A bad key is known by its code: some routes answer it with 403. A write that failed inside the service may have been
 * done, so it is not simply to be tried later.
 */
function kindOf(
  { status, bytes }: Answer,
  { code, parsed }: ErrorBody,
  effect: Endpoint['effect'],
): ErrorKind {
  if (status === 401 || status === 403) return 'authentication';
  if (code === 'authentication_failed' || code === 'not_authenticated') return 'authentication';
  // A web server's own page says that the service is not there, which must not be read as: the person is gone.
  if (status === 404) return parsed === undefined && bytes.length > 0 ? 'refused' : 'not-found';
  if (status >= 500) return effect === 'write' ? 'partial' : 'unavailable';
  if (status === 429) return 'unavailable';
  return 'refused';
}

function describeBody(answer: Answer, body: ErrorBody, host: string): string {
  if (answer.bytes.length === 0) return ` with an empty body (${host})`;
  const type = answer.headers['content-type'] ?? 'no content type';
  return body.parsed === undefined ? ` with something that is not JSON (${type} from ${host})` : ` (${host})`;
}

type Hinting = {
  readonly status: number;
  readonly kind: ErrorKind;
  readonly body: ErrorBody;
  readonly where: Whereabouts;
};

function hintFor({ status, kind, body, where }: Hinting): string | undefined {
  if (kind === 'authentication') return authenticationHint(status, body, where);
  const detail = body.detail ?? '';
  if (status === 404 && body.parsed === undefined) {
    return `nothing of the service is at this address: check the host ${where.host}`;
  }
  if (status === 404 && /project not found/i.test(detail)) {
    return `check the project id ${where.projectId ?? ''} and the host ${where.host}`;
  }
  if (/personID|distinct[ _]id/i.test(detail) && status === 400) {
    return 'a distinct id is not a person id: look the person up with --distinct-id';
  }
  if (status === 512 || status === 504)
    return 'narrow the query: a shorter period, fewer rows, a smaller page';
  if (status === 413 || status === 414) return 'send less at once';
  if (status === 402) return 'the plan of the organization does not include it, or its quota is used up';
  if (status === 429)
    return 'wait, or send fewer requests at once: the limits are shared by the whole project';
  if (status >= 500) return 'try again later';
  return undefined;
}

function authenticationHint(status: number, body: ErrorBody, where: Whereabouts): string {
  const { host, projectId } = where;
  const detail = body.detail ?? '';
  const badKey = status === 401 || body.code === 'authentication_failed' || body.code === 'not_authenticated';
  if (badKey) {
    return `either the key is wrong or revoked, or it belongs to another region or host: keys of one are unknown at the others (host used: ${host})`;
  }
  const scope = /scope '?([a-z_]+:(?:read|write))'?/i.exec(detail)?.[1];
  if (scope !== undefined) return `give the key the scope ${scope}, or use a key that has it`;
  if (/does not support personal api key/i.test(detail))
    return 'the service closes this operation to personal API keys';
  if (/project|team|organization/i.test(detail)) {
    return `use a key that may reach project ${projectId ?? ''} on ${host}, or name another project`;
  }
  return `check what the key may do in project ${projectId ?? ''} on ${host}`;
}
