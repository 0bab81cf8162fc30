import type { Options, OptionsInput } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { type FunnelParameters, funnelParameters } from '../../queries/funnel-parameters.ts';

/** The options that describe steps; their order on the command line counts. */
export const stepOptions = {
  event: {
    type: 'steps',
    placeholder: 'name',
    description: 'One event as the next step; its name may hold commas',
  },
  events: { type: 'steps', placeholder: 'a,b,c', description: 'Events as the next steps' },
  actions: { type: 'steps', placeholder: '1,2', description: 'Actions by id as the next steps' },
  where: {
    type: 'steps',
    placeholder: 'expr',
    description:
      'Condition on the event, action or exclusion before it: plan=pro, person.properties.age:gte=18',
  },
} as const satisfies Options;

/** What analyses filter by, beyond their steps. */
export const conditionOptions = {
  property: {
    type: 'properties',
    description: 'Condition on every event: plan=pro; person.properties.plan=pro is about its person',
  },
  filter_test_accounts: { type: 'boolean', description: 'Leave out internal and test accounts' },
  date_from: {
    type: 'date',
    description: 'Start: YYYY-MM-DD or -7d, -1m, mStart, yStart (service default -7d)',
  },
  date_to: { type: 'date', description: 'End, in the same formats' },
} as const satisfies Options;

/** Every option of a funnel. */
export const funnelOptions = {
  ...stepOptions,
  exclude: {
    type: 'steps',
    placeholder: 'event',
    description: 'Leave out whoever did this event between two steps',
  },
  excludeFrom: { type: 'steps', placeholder: 'n', description: 'Step after which it excludes (first step)' },
  excludeTo: { type: 'steps', placeholder: 'n', description: 'Step before which it excludes (last step)' },
  ...conditionOptions,
  breakdown: {
    type: 'repeated',
    placeholder: 'key',
    description: 'Property key, or cohort ids, to break down on',
  },
  breakdown_type: {
    type: 'text',
    placeholder: 'type',
    choices: ['event', 'person', 'cohort', 'group', 'session', 'hogql'],
    description: 'What the breakdown names',
  },
  breakdown_limit: {
    type: 'integer',
    minimum: 1,
    description: 'Number of breakdown values (service default 10)',
  },
  window: {
    type: 'duration',
    placeholder: 'time',
    description: 'Conversion window: 14d, 30min (service default 14d)',
  },
  windowDays: {
    type: 'integer',
    minimum: 1,
    deprecated: '--window',
    description: 'Conversion window in days',
  },
  orderType: {
    type: 'text',
    placeholder: 'order',
    choices: ['ordered', 'strict', 'unordered'],
    description: 'ordered, strict (nothing in between) or unordered',
  },
  viz: {
    type: 'text',
    placeholder: 'type',
    choices: ['steps', 'trends', 'time_to_convert'],
    description: 'What to calculate: steps, trends, time_to_convert',
  },
  groupTypeIndex: { type: 'integer', minimum: 0, description: '0 counts persons, above 0 a group type' },
  body: { type: 'object', description: 'The whole body instead: JSON, @file or -' },
} as const satisfies Options;

/** Fields of the row that the options above stand for. */
export const funnelFieldNames = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
  'breakdown',
  'breakdown_type',
  'breakdown_limit',
  'funnel_window_interval',
  'funnel_window_interval_type',
  'funnel_viz_type',
  'funnel_order_type',
  'exclusions',
  'aggregation_group_type_index',
  'funnel_window_days',
] as const;

export const getOption = {
  get: { type: 'flag', description: 'Ask with GET, the options in the address' },
} as const satisfies Options;

/** The fields of a funnel as the service names them, with a warning where one is deprecated. Throws a usage error. */
export function readFunnel(flags: OptionsInput<typeof funnelOptions>, context: Context): FunnelParameters {
  const parameters = funnelParameters(flags);
  if (flags.windowDays !== undefined)
    context.warn('warning: funnel_window_days is deprecated; --window does the same');
  return parameters;
}
