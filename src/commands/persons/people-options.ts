import type { Options } from '../../cli/command/options.ts';
import { viaOption } from '../../cli/fallback.ts';
import { conditionOptions, stepOptions } from '../../insights/funnel.ts';

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
