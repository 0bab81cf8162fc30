import type { Dialect, Endpoint } from '../api/endpoint.ts';

/** `yes`, `no`, or `by query`: the service refuses the operation to keys, and a query does its job. */
export type Right = 'yes' | 'no' | 'by query';

/** Whether a key with these scopes may run an operation. `:write` includes `:read`, `*` everything. */
export function keyRight(row: Endpoint, scopes: readonly string[], dialect: Dialect): Right {
  if (dialect === 'live' && row.keyAccess !== 'accepted')
    return hasScopes(['query:read'], scopes) ? 'by query' : 'no';
  return hasScopes(neededScopes(row, dialect), scopes) ? 'yes' : 'no';
}

/** The scopes an operation needs, as the specification or the live service has it. */
export function neededScopes(row: Endpoint, dialect: Dialect): readonly string[] {
  return (dialect === 'live' ? row.live?.scopes : undefined) ?? row.scopes;
}

function hasScopes(needed: readonly string[], scopes: readonly string[]): boolean {
  return needed.every(
    (scope) =>
      scopes.includes('*') || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write')),
  );
}
