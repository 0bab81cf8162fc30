// Writes src/service/queries.json: the fields and words of query nodes, from the types that PostHog publishes; and for tests
// what its answers to them are.
// usage: node scripts/query-schema.mjs    (needs npm's registry; installs into a temporary folder)
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = '@posthog/agent-toolkit@0.2.4';
const GENERATOR = 'ts-json-schema-generator@2.10.0';
const target = join(import.meta.dirname, '../src/service/queries.json');
const answersTarget = join(import.meta.dirname, '../test/fixtures/openapi/query-answers.json');

/** The kinds that hogctl builds and the sandbox calculates, and what they are made of. */
const KINDS = [
  ...['ActionsNode', 'ActorsQuery', 'DataTableNode', 'DataVisualizationNode', 'DataWarehouseNode'],
  ...['DatabaseSchemaQuery', 'EventsNode', 'FunnelCorrelationActorsQuery', 'FunnelCorrelationQuery'],
  ...['FunnelsActorsQuery', 'FunnelsQuery', 'HogQLQuery', 'InsightActorsQuery', 'InsightVizNode'],
  ...['LifecycleQuery', 'RetentionQuery', 'StickinessActorsQuery', 'StickinessQuery', 'TrendsQuery'],
];

/** What a query does not say itself, what only changes how it is calculated, and how a chart looks: any value passes. */
const UNDESCRIBED_FIELDS = [
  'response',
  'modifiers',
  'tags',
  'chartSettings',
  'tableSettings',
  'vizSpecificOptions',
];

/** The type of the answer to each kind. */
const ANSWERS = {
  ActorsQuery: 'ActorsQueryResponse',
  DatabaseSchemaQuery: 'DatabaseSchemaQueryResponse',
  FunnelCorrelationQuery: 'FunnelCorrelationResponse',
  FunnelsQuery: 'FunnelsQueryResponse',
  HogQLQuery: 'HogQLQueryResponse',
  LifecycleQuery: 'LifecycleQueryResponse',
  RetentionQuery: 'RetentionQueryResponse',
  StickinessQuery: 'StickinessQueryResponse',
  TrendsQuery: 'TrendsQueryResponse',
};

const FLAG = { type: ['boolean', 'null'] };
const TEXT = { type: ['string', 'null'] };
const NUMBER = { type: ['number', 'null'] };
const LEGEND = { legendPosition: TEXT };
const anyOf = (...names) => ({ anyOf: names.map((name) => ({ $ref: `#/definitions/${name}` })) });
const orNull = (...names) => ({ anyOf: [...anyOf(...names).anyOf, { type: 'null' }] });

/** Fields that PostHog's source (frontend/src/queries/schema) has beyond the published types, as of autumn 2026. */
const NEWER_FIELDS = {
  EventsNode: { optionalInFunnel: FLAG },
  ActionsNode: { optionalInFunnel: FLAG },
  DataWarehouseNode: { optionalInFunnel: FLAG },
  FunnelExclusionEventsNode: { optionalInFunnel: FLAG },
  FunnelExclusionActionsNode: { optionalInFunnel: FLAG },
  DataVisualizationNode: { full: FLAG },
  TrendsQuery: { calendarHeatmapFilter: {} },
  FunnelsQuery: { compareFilter: orNull('CompareFilter') },
  LifecycleQuery: { customAggregationTarget: FLAG },
  TrendsFilter: {
    ...LEGEND,
    detailedResultsAggregationType: { enum: ['total', 'average', 'median', null] },
    excludeBoxPlotOutliers: FLAG,
    hideWeekends: FLAG,
    metricChangeDecreaseColor: TEXT,
    metricChangeIncreaseColor: TEXT,
    metricColorByDirection: FLAG,
    metricLineDecreaseColor: TEXT,
    metricLineIncreaseColor: TEXT,
    metricShowChange: FLAG,
    metricSummary: TEXT,
    showAnnotations: FLAG,
    stackBreakdownValues: FLAG,
    xAxisLabel: TEXT,
    yAxisLabel: TEXT,
  },
  FunnelsFilter: {
    ...LEGEND,
    breakdownSorting: TEXT,
    customAggregationTarget: FLAG,
    hideIncompleteConversionWindowPeriods: FLAG,
    showAnnotations: FLAG,
    showLegend: FLAG,
    showTrendLines: FLAG,
  },
  RetentionFilter: {
    aggregationProperty: TEXT,
    aggregationPropertyType: { enum: ['event', 'person', 'data_warehouse', null] },
    aggregationType: { enum: ['count', 'sum', 'avg', null] },
    cohortLabelStartIndex: NUMBER,
    customAggregationTarget: FLAG,
    goalLines: { anyOf: [{ type: 'array', items: { $ref: '#/definitions/GoalLine' } }, { type: 'null' }] },
    retentionCustomBrackets: { anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'null' }] },
    selectedInterval: NUMBER,
    timeWindowMode: { enum: ['strict_calendar_dates', '24_hour_windows', null] },
  },
  RetentionEntity: { aggregation_target_field: TEXT, table_name: TEXT, timestamp_field: TEXT },
  StickinessFilter: LEGEND,
  LifecycleFilter: { ...LEGEND, showPercentagesOnSeries: FLAG },
  GroupPropertyFilter: { group_key_names: { type: ['object', 'null'] } },
  EmptyPropertyFilter: { type: { const: 'empty' } },
};

/** The same for words. */
const NEWER_WORDS = {
  AggregationAxisFormat: ['currency', 'short'],
  ChartDisplayType: [
    ...['Auto', 'ActionsUnstackedBar', 'Metric', 'TwoDimensionalHeatmap', 'BoxPlot', 'SlopeGraph'],
  ],
  EntityType: ['groups'],
  FunnelVizType: ['flow'],
  PropertyOperator: [
    ...['starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'],
    ...['icontains_multi', 'not_icontains_multi', 'semver_eq', 'semver_neq', 'semver_gt', 'semver_gte'],
    ...['semver_lt', 'semver_lte', 'semver_tilde', 'semver_caret', 'semver_wildcard'],
  ],
};

/** The same for filters, each with the fields of a person's, and for kinds of series. */
const NEWER_FILTERS = [
  ...['person_metadata', 'log_attribute', 'log_resource_attribute', 'metric_attribute', 'span'],
  ...['span_attribute', 'span_resource_attribute', 'account_custom_property', 'workflow_variable'],
];
const NEWER_SERIES = {
  TrendsQuery: ['GroupNode'],
  FunnelsQuery: ['GroupNode', 'FunnelsDataWarehouseNode'],
  LifecycleQuery: ['LifecycleDataWarehouseNode'],
};
const NEWER_KINDS = [
  ...['AccountsQuery', 'DocumentSimilarityQuery', 'EndpointsUsageOverviewQuery', 'EndpointsUsageTableQuery'],
  ...['EndpointsUsageTrendsQuery', 'ErrorTrackingBreakdownsQuery', 'ErrorTrackingSimilarIssuesQuery'],
  ...['ExperimentActorsQuery', 'FunnelsDataWarehouseNode', 'GroupNode', 'LifecycleDataWarehouseNode'],
  ...['LogAttributesQuery', 'LogValuesQuery', 'MCPHarnessBreakdownQuery', 'MCPToolDailyStatsQuery'],
  ...[
    'MCPToolDescriptionsQuery',
    'MCPToolFailuresQuery',
    'MCPToolNeighborsQuery',
    'MCPToolSampleIntentsQuery',
  ],
  ...['MCPToolStatsQuery', 'MCPToolTopUsersQuery', 'MarketingAnalyticsAggregatedQuery'],
  ...[
    'NonIntegratedConversionsTableQuery',
    'PropertyValuesQuery',
    'SessionBatchEventsQuery',
    'SessionsQuery',
  ],
  ...['TraceNeighborsQuery', 'TraceQuery', 'TraceSpansAggregationQuery', 'TraceSpansAttributeBreakdownQuery'],
  ...['TraceSpansQuery', 'TraceSpansSymbolStatsQuery', 'TraceSpansTreeQuery', 'UsageMetricsQuery'],
  'WebNotableChangesQuery',
];

/** The types have plain text for a single word: what is written for a kind of filter, by PostHog's PropertyFilterType. */
const FILTER_TYPES = {
  EventPropertyFilter: 'event',
  PersonPropertyFilter: 'person',
  ElementPropertyFilter: 'element',
  EventMetadataPropertyFilter: 'event_metadata',
  SessionPropertyFilter: 'session',
  CohortPropertyFilter: 'cohort',
  RecordingPropertyFilter: 'recording',
  LogEntryPropertyFilter: 'log_entry',
  GroupPropertyFilter: 'group',
  FeaturePropertyFilter: 'feature',
  FlagPropertyFilter: 'flag',
  HogQLPropertyFilter: 'hogql',
  DataWarehousePropertyFilter: 'data_warehouse',
  DataWarehousePersonPropertyFilter: 'data_warehouse_person_property',
  ErrorTrackingIssueFilter: 'error_tracking_issue',
  LogPropertyFilter: 'log',
  RevenueAnalyticsPropertyFilter: 'revenue_analytics',
};

/** The same for nodes that are called otherwise than their kind. */
const KIND_OF = { FunnelExclusionEventsNode: 'EventsNode', FunnelExclusionActionsNode: 'ActionsNode' };

const folder = mkdtempSync(join(tmpdir(), 'query-schema-'));
try {
  const { types, generated } = generate();
  const others = [...new Set([...otherKinds(types), ...NEWER_KINDS])].sort();
  const definitions = collect(generated, others);
  const published = JSON.parse(run('npm', ['view', SOURCE, 'time', '--json']))[SOURCE.split('@').at(-1)];
  const head = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    origin: `the types of ${SOURCE}, published ${published.slice(0, 10)}, by ${GENERATOR}`,
    kinds: KINDS,
    otherKinds: others,
  };
  writeFileSync(target, `${textOf(head, definitions)}\n`);
  const { $schema, origin } = head;
  writeFileSync(answersTarget, `${textOf({ $schema, origin, kinds: ANSWERS }, collectAnswers(generated))}\n`);
} finally {
  rmSync(folder, { recursive: true });
}

function run(program, words) {
  return execFileSync(program, words, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** JSON Schema of the types as they are published. */
function generate() {
  writeFileSync(join(folder, 'package.json'), '{}');
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', SOURCE, GENERATOR]);
  const dist = join(folder, 'node_modules/@posthog/agent-toolkit/dist');
  const name = readdirSync(dist).find((file) => /^types-\w+\.d\.ts$/.test(file));
  const [types] = readFileSync(join(dist, name), 'utf8').split('declare namespace Endpoints');
  const open = types.replace('declare namespace', 'export declare namespace');
  writeFileSync(join(folder, 'posthog.d.ts'), open.replace(/^ {4}type /gm, '    export type '));
  const names = [...KINDS, ...Object.values(ANSWERS)];
  const wanted = names.map((name) => `export type Wanted${name} = Schemas.${name};\n`).join('');
  writeFileSync(join(folder, 'wanted.ts'), `import type { Schemas } from './posthog';\n${wanted}`);
  const words = ['ts-json-schema-generator', '--path', 'wanted.ts', '--type', '*', '--no-type-check'];
  const { definitions } = JSON.parse(run('npx', words).replaceAll('Schemas.', ''));
  return { types, generated: definitions };
}

/** Nodes that the service has and that are not described here: their names alone. */
function otherKinds(types) {
  return types
    .split(/^ {4}type /m)
    .map((text) => [/^\w+(?:Query|Node|Metadata|Autocomplete|Options)(?= = )/.exec(text)?.[0], text])
    .filter(([name, text]) => name !== undefined && /^ {8}kind\??: string/m.test(text))
    .map(([name]) => name)
    .filter((name) => !KINDS.includes(name) && KIND_OF[name] === undefined);
}

/** The definitions that the kinds need; the union of all filters, which stands in many places, becomes one. */
function collect(generated, others) {
  const found = new Map();
  const visit = (name) => {
    if (found.has(name)) return;
    const described = others.includes(name) ? named('kind', name) : describe(name, generated[name]);
    found.set(name, described);
    walk(described);
  };
  const walk = (schema) => {
    if (schema === null || typeof schema !== 'object') return;
    if (typeof schema.$ref === 'string') visit(decodeURIComponent(schema.$ref.split('/').at(-1)));
    for (const part of Object.values(schema)) walk(part);
  };
  for (const kind of KINDS) visit(kind);
  const { anyOf: filters } = found.get('ActionsNode').properties.properties.anyOf[0].items;
  const inGroups = [{ $ref: '#/definitions/PropertyGroupFilterValue' }, ...filters];
  const text = JSON.stringify(Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))))
    .replaceAll(JSON.stringify(filters), JSON.stringify(anyOf('PropertyFilter').anyOf))
    .replaceAll(
      JSON.stringify(inGroups),
      JSON.stringify(anyOf('PropertyGroupFilterValue', 'PropertyFilter').anyOf),
    );
  const { key, label, operator, value } = found.get('PersonPropertyFilter').properties;
  const newer = NEWER_FILTERS.map((type) => ({
    ...{ type: 'object', additionalProperties: false, required: ['key', 'operator', 'type'] },
    properties: { key, label, operator, type: { const: type }, value },
  }));
  return { ...JSON.parse(text), PropertyFilter: { anyOf: [...filters, ...newer] } };
}

/** The definitions of answers, which have fields of the cache beside those of their types. */
function collectAnswers(generated) {
  const found = {};
  const visit = (name) => {
    if (found[name] !== undefined) return;
    const { additionalProperties, ...schema } = generated[name];
    found[name] = Object.values(ANSWERS).includes(name) ? schema : generated[name];
    const references = JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g);
    for (const [, reference] of references) visit(decodeURIComponent(reference));
  };
  for (const name of Object.values(ANSWERS)) visit(name);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A node of which nothing is known but its kind. */
function named(key, word) {
  return { type: 'object', properties: { [key]: { const: word } }, required: [key] };
}

function describe(name, { properties, ...schema }) {
  if (schema.enum !== undefined) return { ...schema, enum: [...schema.enum, ...(NEWER_WORDS[name] ?? [])] };
  if (properties === undefined && NEWER_FIELDS[name] === undefined) return schema;
  const word = KINDS.includes(name) ? name : KIND_OF[name];
  const fields = Object.entries(properties ?? {}).map(([key, field]) => {
    if (UNDESCRIBED_FIELDS.includes(key)) return [key, {}];
    if (key === 'kind' && word !== undefined) return [key, { const: word }];
    if (key === 'type' && FILTER_TYPES[name] !== undefined) return [key, { const: FILTER_TYPES[name] }];
    if (key === 'math') return [key, { anyOf: withMathWords(field.anyOf) }];
    if (key === 'series' && NEWER_SERIES[name] !== undefined)
      return [
        key,
        { ...field, items: { anyOf: [...field.items.anyOf, ...anyOf(...NEWER_SERIES[name]).anyOf] } },
      ];
    return [key, field];
  });
  return { ...schema, properties: { ...Object.fromEntries(fields), ...NEWER_FIELDS[name] } };
}

/** The words of kinds of math that the types have as plain text. */
function withMathWords(kinds) {
  const known = kinds.filter(({ $ref }) => $ref !== undefined);
  const groups = ['unique_group', 'first_time_for_group', 'first_matching_event_for_group'];
  return [...known, { enum: [...groups, 'hogql', null] }];
}

/** One definition a line, so that a difference can be read. */
function textOf(head, definitions) {
  const lines = Object.entries(head).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`,
  );
  const described = Object.entries(definitions).map(
    ([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return `{\n${lines.join('\n')}\n  "definitions": {\n${described.join(',\n')}\n  }\n}`;
}
