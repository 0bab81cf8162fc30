import { usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { parseText } from '../json/text.ts';
import { type Addressing, decodeFully, pair, projectPath, type WireRequest } from './build-request.ts';

/** A request that no row describes, for the `api` command. */
export type FreeRequest = {
  readonly method: string;
  /** From the host's base address with a leading slash, else relative to the project. It may carry a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** JSON, sent as it is. */
  readonly body?: string | undefined;
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The method of a free request in upper case. Throws a usage error for an unknown one. */
export function checkMethod(text: string): string {
  const method = text.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw usageError(`unknown method ${JSON.stringify(text)}`, `the choices are ${METHODS.join(', ')}`);
}

/** Whether a free request changes nothing. */
export function isReadMethod(method: string): boolean {
  return /^(GET|HEAD)$/i.test(method);
}

/**
 * A free request for the wire. Only GET and HEAD count as reads. Throws a usage error for an unknown method, a path
 * that climbs or names a host, and the path of another project.
 */
export function buildFreeRequest(request: FreeRequest, addressing: Addressing): WireRequest {
  const method = checkMethod(request.method);
  const [path = '', own] = request.path.split(/\?(.*)/s);
  checkPath(path);
  const rooted = path.startsWith('/');
  const root = rooted ? addressing.base.prefix : `${projectPath(addressing)}/`;
  if (rooted) checkProject(path, addressing.projectId);
  const query = [
    ...(own === undefined || own === '' ? [] : [encodeLoosely(own)]),
    ...Object.entries(request.query ?? {}).map(([name, value]) => pair(name, value)),
  ].join('&');
  return {
    method,
    target: `${root}${encodeLoosely(path)}${query === '' ? '' : `?${query}`}`,
    body: request.body,
    value: valueOfBody(request.body),
    headers: { accept: 'application/json, */*;q=0.5' },
    effect: isReadMethod(method) ? 'read' : 'write',
  };
}

function checkPath(path: string): void {
  const segments = path.split('/').map((segment) => decodeFully(segment));
  const climbs = segments.some((segment) => /^\.\.?$|[/\\?#\x00-\x1f\x7f]/.test(segment));
  if (path === '' || path.startsWith('//') || path.includes('://') || climbs) {
    throw usageError(
      `${JSON.stringify(path)} is not a path of the service`,
      'give a path from the base URL such as /api/users/@me/, or one relative to the project such as persons/',
    );
  }
}

const PROJECTS = new Set(['projects', 'environments']);

function checkProject(path: string, projectId: string | undefined): void {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    // Some gateways make no difference between small and capital letters.
    .map((segment) => decodeFully(segment).toLowerCase());
  if (segments[0] !== 'api') return;
  // Projects also stand below an organization.
  const ids = segments.filter((_, at) => PROJECTS.has(segments[at - 1] ?? ''));
  const id = ids.find((named) => named !== projectId);
  if (id === undefined) return;
  throw usageError(
    `${path} belongs to project ${id}, not to ${projectId ?? 'the one in use'}`,
    'choose that project with --project',
  );
}

function valueOfBody(body: string | undefined): Json | undefined {
  if (body === undefined) return undefined;
  try {
    return parseText(body);
  } catch {
    // Not JSON: shown as the text that it is.
    return body;
  }
}

/** Encodes what may not stand in an address and leaves what was already encoded. */
function encodeLoosely(text: string): string {
  return encodeURI(text)
    .replaceAll('%25', '%')
    .replace(/%(?![0-9a-f]{2})/gi, '%25');
}
