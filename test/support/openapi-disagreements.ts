import type { Disagreement } from './disagreements.ts';

const funnelWords = [
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'date_from',
  'date_to',
  'breakdown',
  'breakdown_type',
  'funnel_window_interval',
  'funnel_window_interval_type',
  'funnel_viz_type',
  'funnel_order_type',
  'exclusions',
  'aggregation_group_type_index',
  'breakdown_limit',
  'funnel_window_days',
];
const insightWords = [
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
];
const seriesWords = ['events', 'actions', 'properties', 'filter_test_accounts', 'interval'];
const has = (names: readonly string[]): string[] => names.map((name) => `has ${name}`);
const lacks = (names: readonly string[]): string[] => names.map((name) => `lacks ${name}`);

/** Where the rows and the document of the live service differ on purpose. */
export const meant: readonly Disagreement[] = [
  {
    operations: ['P13', 'P14', 'P15', 'P16', 'I13', 'I15'],
    words: has(funnelWords),
    reason: 'the document leaves legacy filters open; the specification names their fields for I14',
  },
  {
    operations: ['I14'],
    words: has(funnelWords.filter((name) => !['events', 'actions', 'date_from', 'date_to'].includes(name))),
    reason: 'the document names only the commonest; the specification names them all',
  },
  {
    operations: ['P13', 'P14'],
    words: has(['funnel_step', 'entrance_period_start', 'drop_off']),
    reason:
      'the step or the day whose people are asked for, fields of the legacy filter that the document leaves open',
  },
  {
    operations: ['P15', 'P16'],
    words: ['has funnel_correlation_person_entity', 'has funnel_correlation_person_converted'],
    reason: 'the people who are asked for, fields of the legacy filter that the document leaves open',
  },
  {
    operations: ['P14', 'P16', 'P18'],
    words: ['has limit', 'has offset'],
    reason: 'every list of people is paged so; the document shows it for the lists it describes',
  },
  {
    operations: ['P17', 'P18', 'P19'],
    words: has(seriesWords),
    reason:
      'the analysis that the people come from, fields of the legacy filter that the document leaves open',
  },
  {
    operations: ['P17', 'P18'],
    words: has(['date_from', 'date_to']),
    reason: 'the dates of that analysis, which the document shows for P19 only',
  },
  {
    operations: ['P17'],
    words: ['lifecycle_type choices'],
    reason: 'the four statuses of a lifecycle; the document says text',
  },
  {
    operations: ['P18'],
    words: ['has stickiness_days'],
    reason: 'the number of days that is asked for; the operation is gone, so the document describes nothing',
  },
  {
    operations: ['P19'],
    words: has(['entity_math', 'breakdown', 'breakdown_type', 'breakdown_value', 'display']),
    reason: 'the point that is asked for, fields of the legacy filter that the document leaves open',
  },
  {
    operations: ['I2', 'I5'],
    words: ['has filters'],
    reason: 'specified; the live service keeps legacy filters but may refuse new ones',
  },
  {
    operations: ['I10', 'I12', 'I16'],
    words: has(insightWords),
    reason: 'specified; the live service ignores them or has no such operation',
  },
  {
    operations: ['I2', 'I5'],
    words: ['lacks _create_in_folder'],
    reason: 'a convenience of the web application, reached through --body',
  },
  {
    operations: ['I1'],
    words: lacks([
      'user',
      'insight',
      'tags',
      'dashboards',
      'events',
      'date_from',
      'date_to',
      'created_date_from',
      'created_date_to',
      'last_viewed_date_from',
      'last_viewed_date_to',
    ]),
    reason: 'filters beyond the specification, reached through the api command',
  },
  {
    operations: ['I4'],
    words: lacks(['basic']),
    reason: 'a shorter answer beyond the specification, reached through the api command',
  },
  {
    operations: ['query'],
    words: lacks(['variables_override']),
    reason: 'an SQL query holds the values of its variables',
  },
  {
    operations: ['I13'],
    words: ['lacks refresh'],
    reason: 'the specification gives a funnel no refresh mode, and the query that replaces it has its own',
  },
  {
    operations: ['propertiesAtTime'],
    words: ['lacks include_set_once'],
    reason: 'the replacement of P7 shows the properties alone',
  },
];
