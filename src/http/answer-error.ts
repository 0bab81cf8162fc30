import { CliError, type ErrorKind, excerpt } from '../errors.ts';
import { parseText } from '../json/text.ts';
import type { Endpoint } from '../service/endpoint.ts';
import type { Answer } from './exchange.ts';
import {
  CLIENT_CERTIFICATE_HINT,
  inDoubt,
  REFUSED_CERTIFICATE_HINT,
  type RequestContext,
  UNKNOWN_HINT,
  viaProxy,
} from './network-error.ts';

type Asked = { readonly effect: Endpoint['effect']; readonly where: RequestContext };

/** An answer outside 2xx as an error. Kind and outcome follow status and code; the service's words choose the hint. */
export function toAnswerError(answer: Answer, { effect, where }: Asked): CliError {
  const type = answer.headers['content-type'] ?? '';
  const body = readErrorBody(where.redact(answer.bytes.toString('utf8')), type);
  const kind = kindOf(answer, body, effect);
  const said =
    body.detail === undefined
      ? describeBody(answer, body, where.host)
      : `: ${where.redact(body.detail).replace(/\.$/, '')}`;
  const field = body.field === undefined ? '' : ` (${where.redact(body.field)})`;
  const isKey = kind === 'authentication';
  const subject = isKey || body.isForeign ? where.host : 'the service';
  const hintFor = isKey ? authenticationHint : answerHint;
  return new CliError(kind, `${subject} answered ${answer.status}${said}${field}${viaProxy(where.proxy)}`, {
    hint: kind === 'partial' ? UNKNOWN_HINT : hintFor(answer.status, body, where),
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
function kindOf({ status }: Answer, { code, isForeign }: ErrorBody, effect: Endpoint['effect']): ErrorKind {
  // What stands before the service knows nothing of the key.
  if (status === 401 || status === 403) return isForeign ? 'refused' : 'authentication';
  if (code === 'authentication_failed' || code === 'not_authenticated') return 'authentication';
  // A web server's own page says that the service is not there, which must not be read as: the person is gone.
  if (status === 404) return isForeign ? 'refused' : 'not-found';
  if (status >= 500) return effect === 'write' ? 'partial' : 'unavailable';
  if (status === 429) return 'unavailable';
  return 'refused';
}

function describeBody(answer: Answer, body: ErrorBody, host: string): string {
  if (answer.bytes.length === 0) return ` with an empty body (${host})`;
  if (body.parsed !== undefined) return ` (${host})`;
  const type = excerpt(answer.headers['content-type'] ?? 'no content type', 100);
  const title = body.title === undefined ? 'something that is not JSON' : `the page "${body.title}"`;
  return ` with ${title} (${type} from ${host})`;
}

/** What to do about the page of a firewall, a filter or a gateway. */
const FOREIGN_HINTS: Readonly<Record<number, string>> = {
  401: 'a gateway before the service wants a login of its own; this says nothing about the key',
  403: 'a firewall or filter before the service refused the request; this says nothing about the key',
  407: 'a proxy before the service wants a login of its own; this says nothing about the key',
  504: 'a gateway waited too long for the service: try again later, or ask for less',
  511: 'the network wants you to sign in first; this says nothing about the key',
};

function answerHint(status: number, body: ErrorBody, where: RequestContext): string | undefined {
  const detail = body.detail ?? '';
  const certificate = /(No required )?SSL certificate/i.exec(body.title ?? detail);
  if (certificate) return certificate[1] ? CLIENT_CERTIFICATE_HINT : REFUSED_CERTIFICATE_HINT;
  if (body.isForeign && FOREIGN_HINTS[status] !== undefined) return FOREIGN_HINTS[status];
  if (status === 404 && body.parsed === undefined) {
    return `the service was not found at this URL: check the host ${where.host}`;
  }
  if (status === 404 && /project not found/i.test(detail)) {
    return `check the project id ${where.projectId ?? ''} and the host ${where.host}`;
  }
  if (/personID/i.test(detail) && status === 400) {
    return 'a distinct id is not a person id: look the person up with --distinct-id';
  }
  return HINTS[status] ?? (status >= 500 ? 'try again later' : undefined);
}

const NARROW = 'narrow the query: a shorter period, fewer rows, a smaller page';

const HINTS: Readonly<Record<number, string>> = {
  402: 'the plan of the organization does not include it, or its quota is used up',
  413: 'send less at once',
  414: 'send less at once',
  429: 'wait, or send fewer requests at once: the limits are shared by the whole project',
  504: NARROW,
  512: NARROW,
};

function authenticationHint(status: number, body: ErrorBody, where: RequestContext): string {
  const { host, projectId } = where;
  const detail = body.detail ?? '';
  const badKey = status === 401 || body.code === 'authentication_failed' || body.code === 'not_authenticated';
  if (badKey && /expired/i.test(detail))
    return `create a new key at ${host}/settings/user-api-keys, and store it with hogctl auth login`;
  if (badKey) {
    return `check the key: it may be wrong or revoked, or belong to another region or host than ${host}`;
  }
  const scope = /scope '?([a-z_]+:(?:read|write))'?/i.exec(detail)?.[1];
  if (scope !== undefined) return `give the key the scope ${scope}, or use a key that has it`;
  if (/does not support personal api key/i.test(detail))
    return 'the service does not allow this operation with personal API keys';
  if (/project|team|organization/i.test(detail)) {
    return `use a key with access to project ${projectId ?? ''} on ${host}, or choose another project`;
  }
  return `check what the key may do in project ${projectId ?? ''} on ${host}`;
}

/** What could be read from an error's body, whatever its shape. `parsed` is undefined if it is not JSON. */
type ErrorBody = {
  readonly parsed: unknown;
  /** It is not the service's: a page, or what else is not JSON. */
  readonly isForeign: boolean;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly field: string | undefined;
  /** What a page calls itself. */
  readonly title?: string | undefined;
};

/**
 * Reads an error's body. The service's own shape is `type`, `code`, `detail`, `attr`; some operations swap code and
 * detail or use other names, and gateways send anything. Keys are taken out before anything is cut.
 */
function readErrorBody(whole: string, contentType: string): ErrorBody {
  const text = whole.replace(/^\uFEFF/, '').trim();
  const parsed = parse(text);
  if (parsed === undefined) {
    const speaks = /^text\/(plain|csv)/i.test(contentType) && text !== '' && !text.startsWith('<');
    const detail = speaks ? clean(text) : undefined;
    return {
      parsed,
      isForeign: text !== '',
      code: undefined,
      detail,
      field: undefined,
      title: titleOf(text),
    };
  }
  const said = wordOf(parsed, 'code');
  const [code, sentence] = isCode(said) ? [said, undefined] : [undefined, said];
  const detail = DETAILS.map((name) => wordOf(parsed, name)).find((text) => text !== undefined);
  const swapped = sentence !== undefined && isCode(detail);
  const texts = [(swapped ? sentence : (detail ?? sentence)) ?? [], fieldErrors(parsed)].flat();
  return {
    parsed,
    isForeign: false,
    code: swapped ? detail : code,
    detail: clean(texts.map((text) => text.trim().replace(/\.$/, '')).join('; ')),
    field: clean(excerpt(wordOf(parsed, 'attr') ?? '', 100)),
  };
}

const DETAILS = ['detail', 'message', 'error', 'error_message', 'non_field_errors', 'errors'];

/** Bounded at both ends: a page may hold the beginning of a title as often as it likes. */
const TITLE = /<title[^<>]{0,100}>([^<]{1,300})/i;

function titleOf(page: string): string | undefined {
  return clean(TITLE.exec(page)?.[1] ?? '');
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : parseText(text);
  } catch {
    // Not JSON is an ordinary case here: gateways answer errors with pages.
    return undefined;
  }
}

function isCode(text: string | undefined): boolean {
  return /^[a-z0-9_.-]{1,100}$/i.test(text ?? '');
}

function wordOf(parsed: unknown, name: string): string | undefined {
  const value = property(parsed, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Texts of a refusal that say nothing of what is wrong, and names that are no fields. */
const WORDLESS = new Set(['type', 'code', 'attr', 'status']);
const NAMELESS = new Set([...DETAILS, 'string']);

/** Texts that are told of one refusal: their beginning fills a message. */
const MOST_FIELDS = 100;

/** The names that lead to a value, the last one first. */
type Path = { readonly name: string; readonly within: Path } | undefined;

/** `{"name": ["too long"]}` as `name: too long`, field by field at whatever depth; a bare text or list as it is. */
function fieldErrors(parsed: unknown): readonly string[] {
  const told = new Set(typeof parsed === 'string' ? [parsed] : []);
  // A text of the whole is its detail, or no field.
  const isField = ({ value }: Said) => Array.isArray(parsed) || typeof value !== 'string';
  const open = inside(parsed, undefined).filter(isField);
  for (let one = open.pop(); one !== undefined && told.size < MOST_FIELDS; one = open.pop()) {
    const { value, path } = one;
    if (typeof value === 'string' && value.trim() !== '') told.add(`${namesOf(path)}${value}`);
    else for (const item of inside(value, path)) open.push(item);
  }
  return [...told];
}

type Said = { readonly value: unknown; readonly path: Path };

/** What an object or a list holds, the last one first. */
function inside(value: unknown, path: Path): Said[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  const entries = Object.entries(value).filter(([name]) => !WORDLESS.has(name));
  return entries.reverse().map(([name, item]) => {
    const isNamed = isList ? path !== undefined && typeof item !== 'string' : !NAMELESS.has(name);
    return { value: item, path: isNamed ? { name, within: path } : path };
  });
}

function namesOf(path: Path): string {
  const names: string[] = [];
  for (let one = path; one !== undefined; one = one.within) names.push(one.name);
  return names.length === 0 ? '' : `${names.reverse().join('.')}: `;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** One line of bounded length without control characters, which could move a terminal's cursor. */
function clean(text: string): string | undefined {
  const line = text.replace(/[\s\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim();
  return line === '' ? undefined : excerpt(line);
}
