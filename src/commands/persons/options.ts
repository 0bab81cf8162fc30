import type { Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { viaOption } from '../../cli/fallback.ts';
import { conditionOptions, stepOptions } from '../../insights/funnel.ts';
import { asList, asObject, type Column, type Json } from '../../json/kinds.ts';
import { operatorNames } from '../../service/person-conditions.ts';

/** How lists of people are read, whatever they are behind. */
export const peopleOptions = {
  all: { type: 'flag', description: 'Every page; --limit is then the page size' },
  via: viaOption,
} as const satisfies Options;

/** The options of the analyses that people are behind. */
export const seriesOptions = {
  ...stepOptions,
  ...conditionOptions,
  ...peopleOptions,
} as const satisfies Options;

/** Fields of the row that these options stand for. */
export const seriesFieldNames = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
] as const;

/** Conditions that every command which selects persons takes alike. */
export const filterOptions = {
  property: {
    type: 'properties',
    offers: 'property',
    description: 'Condition on a property: plan=pro, age:gte=18, email:is_set',
  },
  properties: { type: 'json', description: 'Property filters as the service takes them, a JSON list' },
  cohort: {
    type: 'integer',
    once: true,
    placeholder: 'id',
    description: 'Everybody in this cohort (live service only)',
  },
} as const satisfies Options;

/** Every condition of a list of persons. */
export const listConditions = {
  distinct_id: { type: 'text', once: true, description: 'Only the person with this distinct id' },
  email: { type: 'text', once: true, description: 'Only persons with exactly this email' },
  search: { type: 'text', once: true, description: 'Part of an email, or a whole distinct id' },
  ...filterOptions,
} as const satisfies Options;

/** For the help of commands that take conditions. */
export const operatorsText = `Operators of --property: ${operatorNames.slice(0, 12).join(', ')},\n${operatorNames.slice(12).join(', ')}.`;

export const personColumns: readonly Column[] = [
  { key: 'id', kind: 'id' },
  { key: 'name' },
  { key: 'distinct_ids' },
  { key: 'created_at' },
];

const activityColumns: readonly Column[] = [
  { key: 'created_at' },
  { key: 'user.email', title: 'user' },
  { key: 'activity' },
  { key: 'item_id' },
  { key: 'detail.changes', title: 'changes', prominent: true },
];

/** Prints an activity log, in which a table for people says of each change what became of what. */
export function printActivity(pages: AsyncIterable<Page>, context: Context): Promise<void> {
  const isTable = context.outputFormat().format === 'table';
  return context.print(isTable ? worded(pages) : pages, activityColumns);
}

type Page = { readonly rows: readonly Json[] };

async function* worded(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, rows: page.rows.map(wordChanges) };
}

function wordChanges(row: Json): Json {
  const entry = asObject(row);
  const detail = asObject(entry?.detail);
  const changes = asList(detail?.changes);
  if (entry === undefined || changes === undefined) return row;
  return { ...entry, detail: { ...detail, changes: changes.map(changeText).join('; ') } };
}

function changeText(change: Json): string {
  const { field, action, before, after } = asObject(change) ?? {};
  if (typeof field !== 'string') return [action, after ?? before].map(valueText).join(' ');
  const [from, to] = [valueText(before), valueText(after)];
  // Where only the kind differs, as of true and "true", the quotes tell.
  if (from === to) return `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  return `${field}: ${from} → ${to}`;
}

function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
