import type { Context } from '../cli/context.ts';
import { usageError } from '../errors.ts';
import { asList, asObject, type Json } from '../json/kinds.ts';
import { persons } from '../service/persons.ts';
import { platform } from '../service/platform.ts';

/** A timeline as it came where JSON is asked for, else its points; what replaced it is one record. */
export async function printTimeline(
  answer: Json | undefined,
  { replaced }: { readonly replaced: boolean },
  context: Context,
): Promise<void> {
  const points = replaced ? undefined : asList(asObject(answer)?.points);
  const whole = context.options.output === 'json' || context.options.output === 'ndjson';
  if (points === undefined || whole) return context.print(answer ?? null);
  await context.print(points, [
    { key: 'timestamp' },
    { key: 'relevant_event_count', title: 'events', kind: 'number' },
    { key: 'properties' },
  ]);
}

type Client = Awaited<ReturnType<Context['client']>>;

type Moment = {
  readonly id: string;
  /** Where the range ends, as it was typed. */
  readonly end: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The properties of a person when a range ended. Throws a usage error for an end that is no date. */
export async function propertiesAtEnd({ id, end, now }: Moment, client: Client): Promise<Json> {
  const timestamp = end === undefined ? new Date(now).toISOString() : endOf(end);
  // The operation takes only UUIDs.
  const person_id = /^\d+$/.test(id) ? ((await client.call(persons.get, { id })).uuid ?? id) : id;
  return client.call(platform.propertiesAtTime, { person_id, timestamp });
}

/** A day counts whole, as everywhere in the service. */
function endOf(end: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(end)) return `${end}T23:59:59Z`;
  if (/^\d{4}/.test(end)) return end;
  throw usageError(`the properties of one moment need a date, not "${end}"`, 'write --date-to YYYY-MM-DD');
}
