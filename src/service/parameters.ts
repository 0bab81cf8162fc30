import type { Parameter } from './endpoint.ts';

/** Sets of parameters that several rows share, spread into them. */

/** Every operation takes it; the tool sends it for `--server-format` only, so no row lists it. */
export const formatParameter = {
  name: 'format',
  type: 'text',
  in: ['query'],
  choices: ['csv', 'json'],
  description: "The service's own output format",
} as const satisfies Parameter;

export const REFRESH_MODES = [
  'force_cache',
  'blocking',
  'async',
  'lazy_async',
  'force_blocking',
  'force_async',
  'async_except_on_cache_miss',
] as const;

export const personPath = [
  { name: 'id', type: 'person-id', required: true, description: 'Person id, an integer or a UUID' },
] as const satisfies readonly Parameter[];

export const insightPath = [
  { name: 'id', type: 'insight-id', required: true, description: 'Insight id' },
] as const satisfies readonly Parameter[];

export const offsetPaging = [
  { name: 'limit', type: 'integer', minimum: 1, description: 'Number of rows' },
  { name: 'offset', type: 'integer', minimum: 0, description: 'Number of rows to skip first' },
] as const satisfies readonly Parameter[];

/** The live service's paging where the specification shows no parameters. */
export const offsetPagingBeyond = [
  { name: 'limit', type: 'integer', minimum: 1, beyond: true, description: 'Number of rows' },
  { name: 'offset', type: 'integer', minimum: 0, beyond: true, description: 'Number of rows to skip first' },
] as const satisfies readonly Parameter[];

/** Activity lists count pages from 1. */
export const pagePaging = [
  { name: 'limit', type: 'integer', minimum: 1, beyond: true, description: 'Number of rows' },
  { name: 'page', type: 'integer', minimum: 1, beyond: true, description: 'Page number, from 1' },
] as const satisfies readonly Parameter[];

/** The flags of a deletion count by presence on the live service, so false is never sent. */
export const deletionFlagsBeyond = [
  {
    name: 'delete_recordings',
    type: 'flag',
    beyond: true,
    description: 'Also queue the deletion of their session recordings',
  },
  {
    name: 'keep_person',
    type: 'flag',
    beyond: true,
    description: 'Keep the person, and delete only what the other options name',
  },
] as const satisfies readonly Parameter[];

/** Insight input fields, with the forms that differ between the two services. */
export const insightFields = [
  { name: 'name', type: 'text', description: 'Name' },
  { name: 'derived_name', type: 'text', description: 'Name derived from the query' },
  { name: 'filters', type: 'json', description: 'Legacy filters as JSON' },
  {
    name: 'query',
    type: 'json',
    form: 'json-text',
    live: { form: 'value' },
    description: 'Query node as JSON',
  },
  { name: 'order', type: 'integer', description: 'Position on a dashboard' },
  { name: 'deleted', type: 'boolean', description: 'Soft-delete flag' },
  {
    name: 'dashboards',
    type: 'integers',
    deprecated: 'dashboard_tiles',
    description: 'Ids of the dashboards that show it',
  },
  { name: 'description', type: 'text', description: 'Description' },
  { name: 'tags', type: 'texts', description: 'Tags' },
  { name: 'favorited', type: 'boolean', description: 'Whether it is a favourite' },
  { name: 'saved', type: 'boolean', description: 'Whether it is listed among the saved insights' },
] as const satisfies readonly Parameter[];

/** What I14 takes. GET rows carry the same in the query, lists and JSON values as one JSON text. */
export const funnelFields = [
  { name: 'events', type: 'json', description: 'Events of the steps as JSON' },
  { name: 'actions', type: 'json', description: 'Actions of the steps as JSON' },
  { name: 'properties', type: 'json', description: 'Property filters as JSON' },
  { name: 'filter_test_accounts', type: 'boolean', description: 'Leave out internal and test accounts' },
  {
    name: 'date_from',
    type: 'date',
    default: '-7d',
    description: 'Start: YYYY-MM-DD or -7d, -1m, mStart, yStart',
  },
  { name: 'date_to', type: 'date', default: '-7d', description: 'End, in the same formats' },
  { name: 'breakdown', type: 'json', description: 'Property key or cohort ids to break down by' },
  {
    name: 'breakdown_type',
    type: 'text',
    choices: ['event', 'person', 'cohort', 'group', 'session', 'hogql'],
    default: 'event',
    description: 'Type of the breakdown',
  },
  {
    name: 'funnel_window_interval',
    type: 'integer',
    default: 14,
    description: 'Size of the conversion window',
  },
  {
    name: 'funnel_window_interval_type',
    type: 'text',
    choices: ['DAY', 'SECOND', 'MINUTE', 'HOUR', 'WEEK', 'MONTH'],
    default: 'days',
    description: 'Unit of the conversion window',
  },
  {
    name: 'funnel_viz_type',
    type: 'text',
    choices: ['steps', 'trends', 'time_to_convert'],
    default: 'steps',
    description: 'What to calculate',
  },
  {
    name: 'funnel_order_type',
    type: 'text',
    choices: ['ordered', 'strict', 'unordered'],
    default: 'ordered',
    description: 'Whether other events may come between the steps, and whether order counts',
  },
  { name: 'exclusions', type: 'json', description: 'Events between two steps that exclude a person' },
  {
    name: 'aggregation_group_type_index',
    type: 'integer',
    minimum: 0,
    default: 0,
    description: '0 counts persons, above 0 a group type',
  },
  {
    name: 'breakdown_limit',
    type: 'integer',
    minimum: 1,
    default: 10,
    description: 'Number of breakdown values',
  },
  {
    name: 'funnel_window_days',
    type: 'integer',
    default: 14,
    deprecated: 'funnel_window_interval and funnel_window_interval_type',
    description: 'Conversion window in days',
  },
] as const satisfies readonly Parameter[];

/** Which people of a funnel: 2 reached the second step, -2 dropped out before it. */
export const funnelStepBeyond = [
  {
    name: 'funnel_step',
    type: 'integer',
    beyond: true,
    description: 'Step from 1; negative for those who dropped out before it',
  },
  {
    name: 'entrance_period_start',
    type: 'date',
    beyond: true,
    description: 'Of a funnel over time: those who began in the period that starts here',
  },
  {
    name: 'drop_off',
    type: 'boolean',
    beyond: true,
    description: 'Of such a period: those who did not convert',
  },
] as const satisfies readonly Parameter[];

/** Which people of a correlation; the names are those of the service's legacy filter. */
export const correlationPersonBeyond = [
  {
    name: 'funnel_correlation_person_entity',
    type: 'json',
    beyond: true,
    description: 'The correlated event as JSON',
  },
  {
    name: 'funnel_correlation_person_converted',
    type: 'boolean',
    beyond: true,
    description: 'Those who converted, or those who did not',
  },
] as const satisfies readonly Parameter[];

/** Series and dates that the person lists by analysis need and the specification does not list. */
export const seriesBeyond = [
  { name: 'events', type: 'json', beyond: true, description: 'Events as JSON' },
  { name: 'actions', type: 'json', beyond: true, description: 'Actions as JSON' },
  { name: 'properties', type: 'json', beyond: true, description: 'Property filters as JSON' },
  {
    name: 'filter_test_accounts',
    type: 'boolean',
    beyond: true,
    description: 'Leave out internal and test accounts',
  },
  {
    name: 'date_from',
    type: 'date',
    beyond: true,
    description: 'Start: YYYY-MM-DD or -7d, -1m, mStart, yStart',
  },
  { name: 'date_to', type: 'date', beyond: true, description: 'End, in the same formats' },
  {
    name: 'interval',
    type: 'text',
    choices: ['hour', 'day', 'week', 'month'],
    beyond: true,
    description: 'Length of an interval',
  },
] as const satisfies readonly Parameter[];
