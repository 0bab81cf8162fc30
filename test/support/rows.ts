import type { Endpoint, Parameter, Place } from '../../src/service/endpoint.ts';
import { insights } from '../../src/service/insights.ts';
import { persons } from '../../src/service/persons.ts';

/** The 36 rows of the specification by id. */
export const specifiedRows: ReadonlyMap<string, Endpoint> = new Map(
  [...Object.values(persons), ...Object.values(insights)].map((row: Endpoint) => [row.id, row]),
);

/** Where a parameter goes in the specification's form, by the rule that `Parameter` states. */
export function placesOf(row: Endpoint, parameter: Parameter): readonly Place[] {
  if (parameter.in !== undefined) {
    return parameter.in;
  }
  if (row.path.split('/').includes(`:${parameter.name}`)) {
    return ['path'];
  }
  return row.method === 'GET' || row.method === 'DELETE' ? ['query'] : ['body'];
}
