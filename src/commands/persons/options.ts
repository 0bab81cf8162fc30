import type { Options } from '../../cli/command/options.ts';
import { allOption, viaOption } from '../../cli/requests.ts';
import { conditionOptions, stepOptions } from '../../insights/analyses/steps.ts';
import type { Column } from '../../json/kinds.ts';
import { operatorNames } from '../../semantics/person-conditions.ts';

/** How every list of people is read. */
export const peopleOptions = {
  all: allOption,
  via: viaOption,
} as const satisfies Options;

/** The options of the analyses that people are behind. */
export const seriesOptions = {
  ...stepOptions,
  ...conditionOptions,
  ...peopleOptions,
} as const satisfies Options;

/** Conditions that every command which selects persons takes alike. */
export const filterOptions = {
  property: {
    type: 'properties',
    offers: 'property',
    description: 'Condition: plan=pro, age:gte=18, email:is_set',
  },
  properties: { type: 'json', description: 'Property filters of the service, a JSON list' },
  cohort: {
    type: 'integer',
    once: true,
    placeholder: 'id',
    description: 'Only persons in this cohort (live service only)',
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
