import type { Context } from '../cli/context.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import type { GivenLine } from './collect-ids.ts';
import { normalizeId } from './ids.ts';
import { inPages } from './report.ts';
import type { People } from './resolve.ts';

const columns = ['line', 'given', 'kind', 'outcome', 'person', 'name'].map((key) => ({ key }));

/**
 * What a plan makes of each line of its input: whom the id belongs to, or nobody. Ids that look damaged are `odd`, and
 * the outcome of those that no one looked up is null.
 */
function* planRows(people: readonly People[]): Generator<JsonObject> {
  for (const { list, resolution } of people) {
    const positions = new Map(list.ids.map((id, position) => [id, position]));
    // A selection has no lines: each of its people is one.
    const lines =
      list.lines ?? list.ids.map((id): GivenLine => ({ id, line: null, kind: list.kind, suspicious: false }));
    for (const { line, id, kind, suspicious, address } of lines) {
      const person = resolution?.at(positions.get(normalizeId(kind, id)) ?? -1);
      const found = person === undefined ? null : outcomeOf(person);
      const told = address?.outcome ?? found;
      const outcome = suspicious && (list.refusal ?? list.skipped) !== undefined ? 'odd' : told;
      const given = address === undefined ? { given: id, kind } : { given: address.given, kind: 'emails' };
      const uuid = person?.uuid ?? (address && id !== '' ? id : null);
      yield { line, ...given, outcome, person: uuid, name: person?.name ?? null };
    }
  }
}

function outcomeOf(person: object | null): Json {
  return person === null ? 'nobody' : 'found';
}

/** Prints them, and throws then if some of the ids must not be sent. */
export async function printPlanRows(people: readonly People[], context: Context): Promise<void> {
  await context.print(inPages(planRows(people)), columns);
  const refused = people.find(({ list }) => list.refusal !== undefined);
  if (refused?.list.refusal !== undefined) throw refused.list.refusal;
}
