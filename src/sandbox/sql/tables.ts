import translations from './translations.json' with { type: 'json' };

/**
 * What a value is. `flag` is what a comparison answers, a number to the service; `json` is an object of properties as
 * text. An interval consists of `days`, is a longer `period`, or has hours and less.
 */
export type Kind =
  | 'text'
  | 'integer'
  | 'number'
  | 'flag'
  | 'boolean'
  | 'time'
  | 'day'
  | 'interval'
  | 'days'
  | 'period'
  | 'uuid'
  | 'list'
  | 'json'
  | 'other';

/** Values of these kinds do not grow with what they are made of. */
export const SMALL_KINDS: ReadonlySet<Kind> = new Set([
  'integer',
  'number',
  'flag',
  'boolean',
  'time',
  'day',
  'interval',
  'days',
  'period',
  'uuid',
]);

/** What the service's database has for a value of a column that is never missing, where there is none. */
export const DEFAULTS: Partial<Record<Kind, string>> = {
  text: "''",
  integer: '0',
  number: '0',
  flag: '0',
  boolean: 'false',
  time: "timestamp '1970-01-01'",
  day: "date '1970-01-01'",
  uuid: "'00000000-0000-0000-0000-000000000000'::uuid",
  list: '[]',
};

export type TableColumn = {
  readonly kind: Kind;
  /** In the database's SQL, over the tables that `joins` names. */
  readonly sql: string;
  readonly isMissing?: boolean;
  /** The table that has it, if it is not the first one. */
  readonly from?: string;
  /** Left out of `select *`. */
  readonly isHidden?: boolean;
};

export type Table = {
  readonly from: string;
  /** Further tables, each joined if one of its columns is named. */
  readonly joins: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, TableColumn>>;
};

const property = (name: string) => `json_extract_string(e.properties, '/${name}')`;

const text = (sql: string): TableColumn => ({ kind: 'text', sql });
const ofPerson = (kind: Kind, sql: string): TableColumn => ({
  kind,
  sql,
  from: 'person',
  isMissing: kind !== 'uuid',
  isHidden: true,
});
const ofSession = (kind: Kind, name: string): readonly [string, TableColumn] => [
  `session.${name}`,
  { kind, sql: `s."${name}"`, from: 'session', isMissing: true, isHidden: true },
];

/** The number of the only project. */
const TEAM: TableColumn = { kind: 'integer', sql: '1', isHidden: true };

/** Events keep the id of a deleted person. */
const PERSON = 'coalesce(p.uuid, r.uuid)::uuid';

const SESSIONS = `(
  select ${property('$session_id')} as session_id, any_value(distinct_id) as distinct_id, min(timestamp) as "$start_timestamp",
    max(timestamp) as "$end_timestamp", date_diff('second', min(timestamp), max(timestamp)) as "$session_duration",
    arg_min(${property('$current_url')}, timestamp) as "$entry_current_url",
    arg_max(${property('$current_url')}, timestamp) as "$end_current_url",
    count(*) filter (where event = '$pageview') as "$pageview_count"
  from store.events e where ${property('$session_id')} <> '' group by 1
)`;

const SESSION_COLUMNS = [
  ['session_id', 'text'],
  ['distinct_id', 'text'],
  ['$start_timestamp', 'time'],
  ['$end_timestamp', 'time'],
  ['$session_duration', 'integer'],
  ['$entry_current_url', 'text'],
  ['$end_current_url', 'text'],
  ['$pageview_count', 'integer'],
] as const;

/** What SQL sees, by the names of the service. */
export const TABLES: Readonly<Record<string, Table>> = {
  events: {
    from: 'store.events e',
    joins: {
      person:
        'left join store.persons p on p.id = e.person_id left join store.removed_persons r on r.id = e.person_id',
      session: `left join ${SESSIONS} s on s.session_id = ${property('$session_id')}`,
    },
    columns: {
      uuid: { kind: 'uuid', sql: "md5('event ' || e.id)::uuid" },
      event: text('e.event'),
      properties: { kind: 'json', sql: 'e.properties' },
      timestamp: { kind: 'time', sql: 'e.timestamp' },
      team_id: TEAM,
      distinct_id: text('e.distinct_id'),
      elements_chain: text("''"),
      created_at: { kind: 'time', sql: 'e.created_at' },
      person_id: { kind: 'uuid', sql: PERSON, from: 'person' },
      $session_id: { ...text(property('$session_id')), isMissing: true },
      $window_id: { ...text(property('$window_id')), isMissing: true },
      person_mode: text("case when e.person_id is null then 'propertyless' else 'full' end"),
      ...Object.fromEntries(
        [0, 1, 2, 3, 4].map((index) => [
          `$group_${index}`,
          text(`coalesce(${property(`$group_${index}`)}, '')`),
        ]),
      ),
      'person.id': ofPerson('uuid', PERSON),
      'person.properties': ofPerson('json', 'p.properties'),
      'person.created_at': ofPerson('time', 'p.created_at'),
      'person.is_identified': ofPerson('boolean', 'p.is_identified'),
      'pdi.distinct_id': { ...text('e.distinct_id'), isHidden: true },
      'pdi.person_id': ofPerson('uuid', PERSON),
      ...Object.fromEntries(SESSION_COLUMNS.map(([name, kind]) => ofSession(kind, name))),
    },
  },
  persons: {
    // As in the service, whoever is dated more than a day ahead is not shown.
    from: `(select * from store.persons where created_at < (select make_timestamp(now) + interval 1 day from store.sandbox)) p`,
    joins: { pdi: 'left join store.distinct_ids d on d.person_id = p.id' },
    columns: {
      id: { kind: 'uuid', sql: 'p.uuid::uuid' },
      team_id: TEAM,
      properties: { kind: 'json', sql: 'p.properties' },
      created_at: { kind: 'time', sql: 'p.created_at' },
      is_identified: { kind: 'boolean', sql: 'p.is_identified' },
      'pdi.distinct_id': { ...text('d.distinct_id'), from: 'pdi', isHidden: true },
      'pdi.person_id': { kind: 'uuid', sql: 'p.uuid::uuid', isHidden: true },
    },
  },
  person_distinct_ids: {
    from: 'store.distinct_ids d join store.persons p on p.id = d.person_id',
    joins: {},
    columns: {
      team_id: TEAM,
      distinct_id: text('d.distinct_id'),
      person_id: { kind: 'uuid', sql: 'p.uuid::uuid' },
      'person.id': { kind: 'uuid', sql: 'p.uuid::uuid', isHidden: true },
      'person.properties': { kind: 'json', sql: 'p.properties', isHidden: true },
      'person.created_at': { kind: 'time', sql: 'p.created_at', isHidden: true },
    },
  },
  raw_person_distinct_ids: {
    from: 'store.distinct_ids d join store.persons p on p.id = d.person_id',
    joins: {},
    columns: {
      team_id: TEAM,
      distinct_id: text('d.distinct_id'),
      person_id: { kind: 'uuid', sql: 'p.uuid::uuid' },
      is_deleted: { kind: 'flag', sql: '0' },
      version: { kind: 'integer', sql: '0' },
    },
  },
  sessions: {
    from: `${SESSIONS} s`,
    joins: {},
    columns: Object.fromEntries(
      SESSION_COLUMNS.map(([name, kind]) => [
        name,
        { kind, sql: `s."${name}"`, isMissing: name.endsWith('_url') },
      ]),
    ),
  },
};

/** Tables and columns of the service that the sandbox has no data for. */
export const LACKING: {
  readonly tables: readonly string[];
  readonly columns: Readonly<Record<string, readonly string[]>>;
} = translations.lacking;
