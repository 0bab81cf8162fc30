import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { KEYS, openSandbox, sharedSandbox } from '../../support/open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const run = ({ post }: Open, query: string) => post('query/', { query: { kind: 'HogQLQuery', query } });

const doubled = (times: number) =>
  `with ${Array.from({ length: times }, (_, index) => `t${index + 1} as (select x || x as x from t${index})`)
    .toSpliced(0, 0, 't0 as (select event as x from events)')
    .join(', ')} select max(length(x)) from t${times}`;

const nested = (depth: number) => `select ${'('.repeat(depth)}1${')'.repeat(depth)}`;

const NOT_ALLOWED = [
  // Names of `with` hide no table of the catalog.
  'with a as (select * from sqlite_master), sqlite_master as (select 1) select * from a',
  'with a as (select * from pragma_database_list), pragma_database_list as (select 1) select * from a',
  'with a as (select * from duckdb_databases), duckdb_databases as (select 1) select * from a',
  'with a as (select * from duckdb_tables), duckdb_tables as (select 1) select * from a',
  'with sqlite_master as (select * from sqlite_master) select * from sqlite_master',
  'with sqlite_master as materialized (select * from sqlite_master) select * from sqlite_master',
  'with recursive sqlite_master as (select * from sqlite_master) select * from sqlite_master',
  'with recursive sqlite_master as (select name from sqlite_master union all select 1) select * from sqlite_master',
  'select * from sqlite_master, (with sqlite_master as (select 1) select 1) x',
  'select (select count(*) from sqlite_master) from (with sqlite_master as (select 1) select 1) x',
  'with a as (with b as (select 1) select 1) select * from b',
  'with a as (select 1) select * from a union all (with c as (select 2) select * from c) union all select * from c',
  'select * from store.persons',
  'select * from "store"."sandbox"',
  'with store as (select 1) select * from store.persons',
  'select * from main.persons',
  'select * from memory.store.persons',
  'select * from information_schema.tables',
  'select * from pg_catalog.pg_class',
  'select * from sqlite_master',
  'select * from pragma_database_list',
  "select * from 'file.csv'",
  'from store.events',
  'table store.events',
  'select 1 from persons where exists (select 1 from store.persons)',
  'select 1 from persons where 1 in (select id from store.persons)',
  'select 1 order by (select max(id) from store.persons)',
  'select 1 limit (select max(id) from store.persons)',
  'select count(*) filter (where exists (select 1 from store.persons)) from events',
  'select 1 from events group by all having exists (select 1 from store.persons)',
  'select sum(1) over (order by (select max(id) from store.persons)) from events',
  'select * from events join store.persons on true',
  'select * from events e, lateral (select e.event, s.seed from store.sandbox s) l',
  'values ((select max(id) from store.persons))',
  'select 1 intersect select id from store.persons',
  'select * replace ((select max(id) from store.persons) as event) from events',
  // Functions that tell about the computer or the database, or look beyond it.
  "select json_serialize_plan('select * from store.persons')",
  "select json_serialize_sql('select 1')",
  "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
  "select * from query('select * from store.persons')",
  "select * from query_table('sqlite_master')",
  "select getenv('HOME')",
  "select current_setting('memory_limit')",
  'select current_query()',
  'select current_database()',
  'select current_schema()',
  'select current_schemas(true)',
  'select version()',
  'select pg_typeof(1)',
  'select txid_current()',
  'select current_connection_id()',
  "select getvariable('a')",
  "select nextval('a')",
  "select has_table_privilege('a', 'b')",
  "select in_search_path('a', 'b')",
  "select write_log('a')",
  'select sleep_ms(100000)',
  "select error('a')",
  "select create_sort_key('a', 'asc')",
  'select stats(event) from events',
  'select inet_client_addr()',
  "select * from read_csv('/etc/passwd')",
  "select * from read_text('/etc/passwd')",
  "select * from read_blob('/etc/passwd')",
  "select * from read_json_auto('/proc/self/environ')",
  "select * from read_parquet('a')",
  "select * from glob('/*')",
  "select * from sniff_csv('/etc/passwd')",
  'select * from duckdb_settings()',
  'select * from duckdb_tables()',
  'select * from pragma_version()',
  "select * from pragma_table_info('persons')",
  'select * from test_all_types()',
  'select * from summary(table persons)',
  "select * from which_secret('a', 'b')",
  'select * from duckdb_logs()',
  "select * from sql_auto_complete('sel')",
  'select main.getenv(1)',
  'select system.main.version()',
  "select 'a'.getenv()",
  // Another clock, and chance.
  'select current_date',
  'select current_timestamp',
  'select current_time',
  'select localtime',
  'select localtimestamp',
  'select get_current_timestamp()',
  'select get_current_time()',
  'select transaction_timestamp()',
  'select current_localtime()',
  'select current_localtimestamp()',
  "select age(timestamp '2020-01-01')",
  'select age(created_at) from persons',
  'select ago(interval 1 day)',
  'select user',
  'select session_user',
  'select random()',
  'select * from events tablesample 10%',
  'select * from events using sample 5',
  'select * from (select * from events tablesample 3 rows) e',
  'select uuid()',
  'select uuidv7()',
  'select gen_random_uuid()',
  'select setseed(0.5)',
  // What costs or makes far more than goes in.
  'select count(*) from events a, events b where levenshtein(a.event, b.event) > 1',
  'select damerau_levenshtein(event, event) from events',
  'select jaro_winkler_similarity(event, event) from events',
  "select repeat(repeat('x', 1000), 1000) from events",
  "select repeat('x', 100000) from events",
  "select leftPad(event, 1000000000, 'x') from events",
  "select lpad(event, 1000000000, 'x') from events",
  "select rpad(event, 1000000000, 'x') from events",
  "select format('{:1000000000}', event) from events",
  "select printf('%1000000000s', event) from events",
  'select len(range(1000000000))',
  'select len(generate_series(1, 1000000000))',
  'select arrayMap(x -> range(1000), range(1000))',
  'select groupArray(range(1000)) from events',
  'select list_resize([1], 1000000000)',
  "select arrayMap(x -> repeat(x, 1000), splitByChar(' ', event)) from events",
  'select [x for x in [1, 2]]',
  "select bitstring('1', 1000000000)",
  'select bar(1, 0, 1, 1000000000)',
  doubled(12),
  `select event as a, ${Array.from(
    { length: 12 },
    (_, index) =>
      `${String.fromCharCode(97 + index)
        .repeat(2)
        .replace(/(.)(.)/, '$1 || $2')} as ${String.fromCharCode(98 + index)}`,
  ).join(', ')} from events`,
  "select replace(replace(replace(event, 'i', 'iiiiiiiiii'), 'i', 'iiiiiiiiiii'), 'i', 'iiiiiiiiiiii') from events",
  `select replace(event, 'i', '${'i'.repeat(2000)}') from events`,
  "select replaceRegexpAll(replaceRegexpAll(event, '.', event), '.', event) from events",
  "with recursive t as (select 'x' as x union all select x || x from t) select length(max(x)) from t",
  'with recursive t as (select [1] as x union all select arrayConcat(x, x) from t) select length(max(x)) from t',
  'with a as (select groupArray(event) as l from events) select arrayConcat(l, l, l) from a',
  // Everything but one SELECT.
  'select 1; select 2',
  'describe persons',
  'show tables',
  'summarize events',
  'pragma version',
  'explain select 1',
  'pivot events on event using count(*)',
  'unpivot events on event',
  'delete from persons',
  'drop view persons',
  "copy persons to 'a.csv'",
  "attach 'a.db'",
  'set threads = 1',
  'checkpoint',
  'prepare a as select 1',
  'create table a (b int)',
  'insert into store.persons values (1)',
  'begin',
  'select ?',
  // Beyond what can be read.
  `select ${'abs('.repeat(3000)}1${')'.repeat(3000)}`,
  `select ${'not '.repeat(3000)} true`,
  `${'select * from ('.repeat(150)}select 1${')'.repeat(150)}`,
];

const ALLOWED = [
  'with a as (select 1 as x), b as (select x + 1 as y from a) select x, y from a, b',
  'with persons as (select 7 as x) select x from persons',
  'with a as (with b as (select 1 as x) select x from b) select x from a',
  'with recursive t as (select 1 as x union all select x + 1 from t where x < 5) select sum(x) from t',
  'select * from (select event from events) e join persons p on true limit 3',
  'select event from events union distinct select event from events',
  'select event from events except all select event from events',
  'select arrayJoin([1, 2, 3]) as x',
  'select event, row_number() over (partition by event order by timestamp) from events',
  'select sum(1) over w, lag(event) over w from events window w as (order by timestamp)',
  'select count(), count(*), count(event), count(distinct event) from events',
  'select uniq(distinct_id), uniqIf(distinct_id, true), groupArray(event), groupUniqArray(event) from events',
  'select avg(length(event)), median(length(event)), quantile(0.9)(length(event)), stddevPop(length(event)) from events',
  "select groupArray(event order by timestamp), string_agg(event, ',') from events group by distinct_id",
  'select min(timestamp), max(timestamp), argMax(event, timestamp) from events',
  "select date_trunc('day', timestamp), toStartOfWeek(timestamp), toDate(timestamp) from events",
  "select dateDiff('day', timestamp, now()), date_diff('hour', timestamp, now()) from events",
  "select formatDateTime(timestamp, '%Y-%m'), toYear(timestamp), monthName(timestamp) from events",
  'select now(), today(), yesterday(), now() - interval 7 day, now() - toIntervalDay(3)',
  "select lower(event), upper(event), trim(event), substring(event, 1, 2), left(event, 1), split_part(event, 'i', 1) from events",
  "select event || ' ' || distinct_id || '!', concat(event, '-', distinct_id) from events",
  "select replace(event, 'i', 'ii'), replaceRegexpAll(event, '[aeiou]', '*'), reverse(event) from events",
  "select * from events where event like 'v%' or event ilike '%SIT' or event =~ 'v.*' or event not like 'x'",
  "select * from events where event in ('visit', 'order') and timestamp between '2020-01-01' and now()",
  `select * from events where event in (${Array.from({ length: 1000 }, (_, index) => `'e${index}'`).join(', ')})`,
  "select case when event = 'visit' then 1 else 0 end, if(event = 'visit', 1, 0), coalesce(event, 'x'), nullif(event, '') from events",
  "select cast(1 as varchar), 1::double, toString(1), toFloat('1.5'), toInt('5')",
  'select 1 + 2 * 3 - 4 / 5 % 6, -1, not true, 1 <> 2',
  "select [1, 2, 3][1], [1] = [2], length([1, 2]), has([1], 1), arraySort([2, 1]), tuple(1, 'a').1",
  "select splitByString(',', 'a,b'), arrayStringConcat(['a', 'b'], ';'), splitByChar(',', 'a,b')[1]",
  "select JSONExtractString('{\"a\": 1}', 'a')",
  'select properties.total + 1, properties.total * 1.19 from events where properties.total is not null',
  'select person.properties.plan, count() from events group by person.properties.plan order by 1',
  'select (select count() from persons) as people, exists (select 1 from events)',
  'select event from events where distinct_id in (select distinct_id from person_distinct_ids)',
  'select p.id, count(e.uuid) from persons p left join events e on e.person_id = p.id group by p.id',
  'select event as a, a || a as b, b || b as c from events',
  'select repeat(event, length(event)) from events',
  "select count() filter (where event = 'visit'), countIf(event = 'visit'), sumIf(1, true) from events",
  'select event, count() from events group by rollup (event)',
  "select arrayMap(word -> concat(word, '!'), splitByChar(' ', event)) from events",
  doubled(5),
  nested(10),
];

describe('the SQL that the sandbox runs', () => {
  const shared = sharedSandbox();
  it('refuses everything that is not on its list, and says so', async () => {
    const open = shared();
    expect(NOT_ALLOWED.length).toBeGreaterThan(100);
    for (const query of NOT_ALLOWED) {
      const { status, body } = await run(open, query);
      const about = `${query.slice(0, 200)}: ${JSON.stringify(body).slice(0, 300)}`;
      expect(status, about).toBe(400);
      expect(body.detail.replaceAll(/`.*`/g, ''), about).not.toMatch(/duckdb|\bBinder|\bCatalog|LINE 1/i);
    }
  });

  it('runs what analyses are made of', async () => {
    const open = shared();
    for (const query of ALLOWED) {
      const { status, body } = await run(open, query);
      expect(status, `${query.slice(0, 200)}: ${JSON.stringify(body).slice(0, 300)}`).toBe(200);
    }
  });
});

describe('a statement that asks for too much', { timeout: 120_000 }, () => {
  const pairs = 'from events a, events b';
  const shared = sharedSandbox();
  const sample = sharedSandbox({ data: 'sample', now: undefined });
  const hurried = sharedSandbox({ data: 'sample', now: undefined, longestQuery: 800 });

  it.each([
    [
      'a sort of a product',
      `select a.event ${pairs} order by md5(concat(a.event, b.event, a.uuid)) limit 10`,
    ],
    ['groups of a product', `select a.uuid, b.uuid, count() ${pairs} group by 1, 2`],
    [
      'a recursion without end',
      'with recursive t as (select 1 x union all select x + 1 from t) select count() from t',
    ],
    ['a row of numbers without end', 'select count() from numbers(100000000000) a, numbers(100000) b'],
  ])('is ended in time: %s', async (_, query) => {
    const open = hurried();
    const { status, body } = await run(open, query);
    expect({ status, type: body.type }).toEqual({ status: 504, type: 'server_error' });
    expect((await run(open, 'select 1')).body.results).toEqual([[1]]);
  });

  it('is ended when its text needs too much memory', async () => {
    const open = sample();
    const { status, body } = await run(open, `select length(string_agg(a.event, ',')) ${pairs}`);
    expect({ status, detail: body.detail }).toEqual({
      status: 504,
      detail: 'Query exceeds the max memory limit.',
    });
  });

  it.each([
    ['space at its end', `select 1${' ;'.repeat(500_000)}x`],
    ['comments within comments', `select ${'/* '.repeat(8000)}1${' */'.repeat(8000)}`],
    ['comments without an end', `select 1 ${'/*'.repeat(24_000)}`],
    ['quotes without an end', `select 1 ${'` " '.repeat(12_000)}'`],
    ['a text without an end', `select '${"''".repeat(24_000)}`],
    ['very many columns', `select ${'1,'.repeat(800)}1`],
  ])('is refused or answered at once: %s', async (_, query) => {
    const open = shared();
    expect([200, 400]).toContain((await run(open, query)).status);
  });

  it('is not read if it is longer than 50,000 characters', async () => {
    const ask = (length: number) => run(shared(), 'select 1 -- '.padEnd(length, '-'));
    expect(await ask(50_000)).toMatchObject({ status: 200 });
    expect(await ask(50_001)).toMatchObject({ status: 400, body: { code: 'too_long' } });
  });

  it('is left when its text takes too long to read', async () => {
    const open = await openSandbox({ longestQuery: 5 });
    const { status, body } = await run(open, `select ${'1 + '.repeat(12_000)}1`);
    expect([status, body.detail]).toEqual([504, 'Query has hit the max execution time before completing.']);
  });

  it('is refused when its answer gets too large', async () => {
    const open = sample();
    const wide = `concat(${Array.from({ length: 200 }, () => 'a.event').join(', ')})`;
    const { status, body } = await run(open, `select ${wide} from events a, numbers(2) limit 50000`);
    expect(status).toBe(400);
    expect(body.detail).toContain('larger than 100 million characters');
  });

  it.each(['groupArray(a.uuid)', 'tuple([groupArray(a.uuid)])'])(
    'is refused when its lists get too long: %s',
    async (lists) => {
      const open = sample();
      const { status, body } = await run(open, `select ${lists} from events a, numbers(30)`);
      expect([status, body.detail]).toEqual([400, 'The answer has lists of more than a million entries']);
    },
  );

  it('does not keep the sandbox from stopping', async () => {
    const sandbox = await startSandbox({ dialect: 'specification', keys: KEYS, longestQuery: 600_000 });
    const ask = (query: string, mode: string) =>
      fetch(`${sandbox.origin}/api/projects/1/query/`, {
        method: 'POST',
        headers: { authorization: 'Bearer phx_everything', 'content-type': 'application/json' },
        body: JSON.stringify({ query: { kind: 'HogQLQuery', query }, refresh: mode }),
      });
    const endless = `select count() ${pairs}, events c where concat(a.uuid, b.uuid, c.uuid) = ''`;
    expect((await ask(endless, 'force_async')).status).toBe(202);
    const answers = [ask(endless, 'blocking'), ask(`${endless} limit 1`, 'blocking')];
    const [stopped] = await Promise.all([sandbox.stop(), ...answers.map((answer) => answer.catch(() => {}))]);
    expect(stopped).toBeUndefined();
    // Left alone, the statements would run for ten minutes each.
  });
});
