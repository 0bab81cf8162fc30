/**
 * Functions of the service's SQL that the database spells otherwise. The clock is the sandbox's own; weeks start on
 * Sunday.
 */
const MACROS = [
  'now() as (select make_timestamp(s.now) from store.sandbox s)',
  'today() as (select make_timestamp(s.now)::date from store.sandbox s)',
  'yesterday() as (select make_timestamp(s.now)::date - 1 from store.sandbox s)',
  'uniq(x) as count(distinct x)',
  'uniqExact(x) as count(distinct x)',
  'countIf(condition) as count(*) filter (where condition)',
  'uniqIf(x, condition) as count(distinct x) filter (where condition)',
  'sumIf(x, condition) as sum(x) filter (where condition)',
  'avgIf(x, condition) as avg(x) filter (where condition)',
  'minIf(x, condition) as min(x) filter (where condition)',
  'maxIf(x, condition) as max(x) filter (where condition)',
  'groupArray(x) as list(x)',
  'groupUniqArray(x) as list(distinct x)',
  'arrayJoin(x) as unnest(x)',
  "toStartOfMinute(t) as date_trunc('minute', t)",
  "toStartOfHour(t) as date_trunc('hour', t)",
  "toStartOfDay(t) as date_trunc('day', t)",
  "toStartOfWeek(t) as date_trunc('week', t + interval 1 day) - interval 1 day",
  "toStartOfMonth(t) as date_trunc('month', t)",
  "toStartOfQuarter(t) as date_trunc('quarter', t)",
  "toStartOfYear(t) as date_trunc('year', t)",
  'toHour(t) as hour(t)',
  'toDayOfWeek(t) as isodow(t)',
  'toDayOfMonth(t) as day(t)',
  'toMonth(t) as month(t)',
  'toYear(t) as year(t)',
  'toDate(x) as cast(x as date)',
  'toDateTime(x) as cast(x as timestamp)',
  'toString(x) as cast(x as varchar)',
  'lowerUTF8(x) as lower(x)',
  "replaceRegexpAll(x, pattern, other) as regexp_replace(x, pattern, other, 'g')",
  'toInt(x) as try_cast(x as bigint)',
  'toFloat(x) as try_cast(x as double)',
  'toIntervalSecond(n) as to_seconds(n)',
  'toIntervalMinute(n) as to_minutes(n)',
  'toIntervalHour(n) as to_hours(n)',
  'toIntervalDay(n) as to_days(n)',
  'toIntervalWeek(n) as to_weeks(n)',
  'toIntervalMonth(n) as to_months(n)',
  'notEmpty(x) as coalesce(len(cast(x as varchar)) > 0, false)',
  'empty(x) as coalesce(len(cast(x as varchar)) = 0, true)',
].map((macro) => `create or replace macro ${macro}`);

/**
 * The tables. Properties are kept as the JSON text that came in, so that every number keeps its digits; the views
 * show them as VARIANT, so that SQL can write `properties.plan = 'pro'`.
 */
export const SCHEMA_VERSION = 4;

export const SCHEMA = [
  'create schema store',
  `create table store.sandbox (version integer, seed varchar, first_now bigint, now bigint, project json)`,
  `create table store.counters (name varchar, value bigint)`,
  `create table store.persons (id bigint, uuid varchar, properties json, created_at timestamp,
     is_identified boolean)`,
  `create table store.removed_persons (id bigint, uuid varchar)`,
  `create table store.distinct_ids (distinct_id varchar, person_id bigint, place bigint)`,
  `create table store.events (id bigint, event varchar, distinct_id varchar, person_id bigint,
     timestamp timestamp, properties json)`,
  `create table store.property_history (person_id bigint, changed_at timestamp, properties json)`,
  `create table store.cohorts (id bigint, name varchar, filters json)`,
  `create table store.cohort_persons (cohort_id bigint, person_id bigint)`,
  `create table store.activity (id bigint, scope varchar, item_id varchar, created_at timestamp, entry json)`,
  `create table store.event_deletions (id bigint, person_id bigint, person_uuid varchar, created_at timestamp,
     due_at timestamp, last_event_id bigint, completed_at timestamp)`,
  `create table store.insights (id bigint, short_id varchar, document json)`,
  `create table store.results (key varchar, calculated_at timestamp, is_outdated boolean, document json)`,
  `create table store.insight_views (insight_id bigint, user_id bigint, viewed_at timestamp)`,
  `create table store.dashboards (id bigint, document json)`,
  `create table store.dashboard_tiles (id bigint, dashboard_id bigint, insight_id bigint)`,
] as const;

/** All that `reset` empties. */
export const TABLES = [
  'sandbox',
  'counters',
  'persons',
  'removed_persons',
  'distinct_ids',
  'events',
  'property_history',
  'cohorts',
  'cohort_persons',
  'activity',
  'event_deletions',
  'insights',
  'results',
  'insight_views',
  'dashboards',
  'dashboard_tiles',
] as const;

/** What SQL sees, made anew each time a file is opened. Events keep the id of a person who was deleted. */
export const VIEWS = [
  `create or replace view persons as select uuid::uuid as id, properties::variant as properties, created_at,
     is_identified from store.persons`,
  `create or replace view person_distinct_ids as select d.distinct_id, p.uuid::uuid as person_id
     from store.distinct_ids d join store.persons p on p.id = d.person_id`,
  `create or replace view events as select md5('event ' || e.id)::uuid as uuid, e.event, e.distinct_id, e.timestamp,
     e.properties::variant as properties, coalesce(p.uuid, r.uuid)::uuid as person_id,
     {'id': coalesce(p.uuid, r.uuid)::uuid, 'properties': p.properties::variant} as person
     from store.events e left join store.persons p on p.id = e.person_id
     left join store.removed_persons r on r.id = e.person_id`,
  ...MACROS,
];
