import type { Context } from '../../cli/context.ts';
import { counted, usageError } from '../../errors.ts';
import { asList, asObject, type Column, type Json, type JsonObject } from '../../json/kinds.ts';
import { toJsonText } from '../../json/text.ts';
import { persons } from '../../service/persons.ts';
import { platform } from '../../service/platform.ts';

const activityColumns: readonly Column[] = [
  { key: 'created_at' },
  { key: 'user.email', title: 'user' },
  { key: 'activity' },
  { key: 'item_id' },
  { key: 'detail.changes', title: 'changes', prominent: true },
];

type Page = { readonly rows: readonly Json[] };

/** Prints an activity log. A table for people has a line for each change, and says what became of what. */
export function printActivity(pages: AsyncIterable<Page>, context: Context): Promise<void> {
  return context.print(isInWords('detail.changes', context) ? byChange(pages) : pages, activityColumns);
}

/** Whether a table for people shows this column, which is put into words. */
export function isInWords(column: string, context: Context): boolean {
  const { format, columns } = context.output.format();
  return format === 'table' && (columns === undefined || columns.includes(column));
}

async function* byChange(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, rows: page.rows.flatMap(changesOf) };
}

function changesOf(row: Json): readonly Json[] {
  const entry = asObject(row);
  const detail = asObject(entry?.detail);
  const changes = asList(detail?.changes);
  if (entry === undefined || changes === undefined) return [row];
  const texts = changes.length === 0 ? [''] : changes.map(changeText);
  return texts.map((text) => ({ ...entry, detail: { ...detail, changes: text } }));
}

function changeText(change: Json): string {
  const { field, action, before, after } = asObject(change) ?? {};
  if (typeof field !== 'string') return [action, after ?? before].map(valueText).join(' ');
  const [from, to] = [valueText(before), valueText(after)];
  // If only the kind differs, as of true and "true", the quotes tell.
  if (from === to) return `${field}: ${toJsonText(before ?? null)} → ${toJsonText(after ?? null)}`;
  return `${field}: ${from} → ${to}`;
}

function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return '(none)';
  return typeof value === 'string' ? value : toJsonText(value);
}

const pointColumns: readonly Column[] = [
  { key: 'timestamp' },
  { key: 'relevant_event_count', title: 'events', kind: 'number' },
];

/** JSON is the answer as it came; a table says what changed, and CSV has the whole properties of each point. */
export async function printTimeline(
  answer: Json | undefined,
  { replaced }: { readonly replaced: boolean },
  context: Context,
): Promise<void> {
  const points = replaced ? undefined : asList(asObject(answer)?.points);
  const whole = context.options.output === 'json' || context.options.output === 'ndjson';
  if (points === undefined || whole) return context.print(answer ?? null);
  if (!isInWords('changes', context)) return context.print(points, [...pointColumns, { key: 'properties' }]);
  const steps = points.map((point) => asObject(point) ?? {});
  await context.print(steps.flatMap(stepsOf), [...pointColumns, { key: 'changes', prominent: true }]);
  if (steps.length === 1) context.note('Nothing changed; -o json shows the properties.');
}

/** A line for each change since the point before, the first of which counts the events. */
function stepsOf({ timestamp = null, ...point }: JsonObject, index: number, all: readonly JsonObject[]) {
  const now = asObject(point.properties) ?? {};
  const before = asObject(all[index - 1]?.properties);
  const changes =
    before === undefined
      ? [`(start, ${counted(Object.keys(now).length, 'property', 'properties')})`]
      : [...new Set([...Object.keys(before), ...Object.keys(now)])]
          .filter((key) => toJsonText(before[key] ?? null) !== toJsonText(now[key] ?? null))
          .map((key) => changeText({ field: key, before: before[key] ?? null, after: now[key] ?? null }));
  return (changes.length === 0 ? [''] : changes).map((text, line) => ({
    timestamp,
    relevant_event_count: line === 0 ? (point.relevant_event_count ?? null) : null,
    changes: text,
  }));
}

type Client = Awaited<ReturnType<Context['client']>>;

type Moment = { readonly id: string; readonly end: string | undefined; readonly now: number };

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
  throw usageError(`--date-to must be a date here, not "${end}"`, 'write --date-to YYYY-MM-DD');
}
