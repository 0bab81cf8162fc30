import type { Context } from '../../cli/context.ts';
import { asList, asObject, type Json } from '../../json/kinds.ts';

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
