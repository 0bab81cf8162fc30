import type { Dialect, Endpoint } from '../api/endpoint.ts';
import { forbidden, notFound, Refusal } from './refusal.ts';

/** A personal API key of the sandbox; `*` stands for every scope. */
export type SandboxKey = { readonly key: string; readonly label: string; readonly scopes: readonly string[] };

type Known = { readonly keys: readonly SandboxKey[]; readonly dialect: Dialect };

/** Finds the key of an `Authorization` header. Throws a `Refusal` 401, or 403 where the live service gives that. */
export function findKey(header: string | undefined, row: Endpoint, { keys, dialect }: Known): SandboxKey {
  // Views of the live service that also take sharing tokens answer 403 where others answer 401.
  const isShared = /^\/(insights|query)\//.test(row.path);
  const status = dialect === 'live' && isShared ? 403 : 401;
  const [, given] = /^Bearer\s+(\S+)\s*$/i.exec(header ?? '') ?? [];
  if (given === undefined) {
    throw new Refusal(status, 'Authentication credentials were not provided.', {
      type: 'authentication_error',
      code: 'not_authenticated',
    });
  }
  const key = keys.find((candidate) => candidate.key === given);
  if (key !== undefined) return key;
  throw new Refusal(status, 'Personal API key found in request Authorization header is invalid.', {
    type: 'authentication_error',
    code: 'authentication_failed',
  });
}

/** Checks that a key may run a row. Throws a `Refusal` 403 or 404. */
export function checkAccess(key: SandboxKey, row: Endpoint, dialect: Dialect): void {
  if (dialect === 'live' && row.keyAccess === 'removed') throw notFound('Endpoint not found.');
  if (dialect === 'live' && row.keyAccess === 'refused') {
    throw forbidden('This action does not support personal API key access');
  }
  const scopes = (dialect === 'live' ? row.live?.scopes : undefined) ?? row.scopes;
  const missing = scopes.find((scope) => !holds(key.scopes, scope));
  if (missing !== undefined) throw forbidden(`API key missing required scope '${missing}'`);
}

function holds(scopes: readonly string[], wanted: string): boolean {
  const writing = wanted.replace(/:read$/, ':write');
  return scopes.includes('*') || scopes.includes(wanted) || scopes.includes(writing);
}
