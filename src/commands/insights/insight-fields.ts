import type { Option } from '../../cli/command/options.ts';
import { usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';
import { readDefinition } from '../../queries/definition.ts';

/** Every field of an insight, for commands that take none of them as options. */
export const insightFieldNames = [
  'name',
  'derived_name',
  'filters',
  'query',
  'order',
  'deleted',
  'dashboards',
  'description',
  'tags',
  'favorited',
  'saved',
] as const;

export const tagsOption = {
  type: 'texts',
  description: 'Tags, in place of those it has',
  empty: '--clear-tags takes all tags away',
} as const satisfies Option;

type Fields = { readonly query?: Json | undefined; readonly filters?: Json | undefined };

/** The fields that were given, with a query that is sure to be one. Throws a usage error for what would wipe it. */
export function givenFields<Given extends Fields>(fields: Given): Given {
  const { query, ...others } = fields;
  if (others.filters === null)
    throw usageError('--filters null would clear the filters', 'write {} if that is meant');
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  const definition = query === undefined ? {} : { query: readDefinition(query) };
  // Entries that are undefined are gone, which the type of the fields allows.
  return { ...Object.fromEntries(given), ...definition } as Given;
}

/** What is said when somebody asks for the deprecated field. */
export const DASHBOARDS_WARNING =
  'warning: dashboards is deprecated and replaces the list of dashboards; add tiles to a dashboard instead';
