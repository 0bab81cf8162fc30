import type { Dialect, Endpoint, Form, Parameter, Place, PlacedParameter } from './endpoint.ts';

/** Where each parameter of a row travels in one dialect, under which name and in which shape. Pure, throws nothing. */
export function formOf(row: Endpoint, dialect: Dialect): Form {
  const path = dialect === 'live' ? (row.live?.path ?? row.path) : row.path;
  const named = new Set(path.split('/').filter((segment) => segment.startsWith(':')));
  const rest: Place = row.method === 'GET' || row.method === 'DELETE' ? 'query' : 'body';
  return {
    path,
    parameters: row.parameters.map((parameter) => place({ parameter, dialect, named, rest })),
  };
}

type Placing = {
  readonly parameter: Parameter;
  readonly dialect: Dialect;
  readonly named: ReadonlySet<string>;
  readonly rest: Place;
};

function place({ parameter, dialect, named, rest }: Placing): PlacedParameter {
  const live = dialect === 'live' ? parameter.live : undefined;
  const name = live?.name ?? parameter.name;
  const usual: Place = named.has(`:${name}`) ? 'path' : rest;
  return {
    parameter,
    name,
    places: live?.in ?? parameter.in ?? [usual],
    form: live?.form ?? parameter.form ?? 'value',
  };
}
