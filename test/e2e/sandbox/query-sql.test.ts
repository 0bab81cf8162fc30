import { describe, expect, it } from 'vitest';
import { NOW, openSandbox, PEOPLE, sharedSandbox } from '../../support/open-sandbox.ts';

type Open = Awaited<ReturnType<typeof openSandbox>>;

const run = ({ post }: Open, query: string, values?: Record<string, unknown>) =>
  post('query/', { query: { kind: 'HogQLQuery', query, ...(values === undefined ? {} : { values }) } });

describe.each(['specification', 'live'] as const)('SQL, %s dialect', (dialect) => {
  it('answers with rows, columns and types', async () => {
    const { status, body } = await run(
      await openSandbox({ dialect }),
      'select properties.plan, count() as people from persons group by properties.plan order by people desc',
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      results: [
        ['free', 2],
        ['pro', 1],
      ],
      columns: ['plan', 'people'],
      types: [
        ['plan', 'String'],
        ['people', 'Int64'],
      ],
      hasMore: false,
      limit: 100,
      offset: 0,
      error: null,
      is_cached: false,
      last_refresh: NOW,
      query_status: null,
      timezone: 'UTC',
    });
  });
});

describe('SQL over persons and events', () => {
  const shared = sharedSandbox();
  it.each<[string, unknown]>([
    ["select count() from events where person.properties.plan = 'pro'", 3],
    ['select sum(properties.seats) from persons', 15],
    ["select properties.seats + 1 from persons where properties.plan = 'pro'", 13],
    ['select uniq(person_id) from events', 2],
    ["select countIf(event = 'visit') from events", 3],
    ["select countIf(true) from events where event = 'none'", 0],
    ['select max(toStartOfDay(timestamp)) from events', '2026-05-03T00:00:00Z'],
    ['select toDate(max(timestamp)) from events', '2026-05-03'],
    ["select dateDiff('day', min(timestamp), max(timestamp)) from events", 2],
    ['select now()', NOW],
    ['select today()', '2026-06-17'],
    ['select count() from events where timestamp > now() - interval 47 day', 2],
    ["select toString(properties.seats) from persons where properties.plan = 'pro'", '12'],
    ["with pro as (select id from persons where properties.plan = 'pro') select count() from pro", 1],
    ['select count() from (select distinct distinct_id from events) e', 3],
    ['select count(*) from events e join persons p on p.id = e.person_id', 4],
    ['select properties from persons where properties.seats = 3', '{"name":"Carla","plan":"free","seats":3}'],
    ["select `event` from events where `event` = 'order'", 'order'],
    ["select 'it''s -- no comment' -- a comment\n;", "it's -- no comment"],
  ])('runs %s', async (query, expected) => {
    expect((await run(shared(), query)).body.results).toEqual([[expected]]);
  });

  const cohorts = [
    { id: 7, name: "Anas'", distinct_ids: ['ana'] },
    { id: 8, name: 'Free', filters: [{ key: 'plan', value: 'free', type: 'person' }] },
  ];

  it.each<[string, unknown]>([
    ['select count() from events where person_id in cohort 7', 3],
    ["select count() from persons where id IN COHORT 'Anas'''", 1],
    ["select count() from events where person_id not in cohort 'Free'", 3],
    ["select count() from events where event = 'visit' and person_id in cohort 7 limit 5", 2],
  ])('knows who is in a cohort: %s', async (query, expected) => {
    const open = await openSandbox({ data: { ...PEOPLE, project: { cohorts } } });
    expect((await run(open, query)).body.results).toEqual([[expected]]);
  });

  it('narrows by the members of a cohort in filters', async () => {
    const open = await openSandbox({ data: { ...PEOPLE, project: { cohorts } } });
    const filters = { properties: [{ key: 'id', value: 7, type: 'cohort' }] };
    const query = { kind: 'HogQLQuery', query: 'select count() from events where {filters}', filters };
    expect((await open.post('query/', { query })).body.results).toEqual([[3]]);
  });

  it('names a cohort that does not exist', async () => {
    const { status, body } = await run(shared(), 'select 1 from events where person_id in cohort 7');
    expect([status, body.detail]).toEqual([400, 'Could not find cohort with ID or name 7 (at character 48)']);
  });

  it('takes variables, filters and what overrides them', async () => {
    const { post } = shared();
    const query = {
      kind: 'HogQLQuery',
      query: 'select count() from events where event = {variables.event} and {filters}',
      variables: { v: { code_name: 'event', variableId: 'v', value: 'visit' } },
    };
    const count = async (overrides: object) =>
      (await post('query/', { query, ...overrides })).body.results[0][0];
    expect(await count({})).toBe(3);
    const variables_override = { v: { code_name: 'event', variableId: 'v', value: 'order' } };
    expect(await count({ variables_override })).toBe(1);
    expect(await count({ filters_override: { date_from: '2026-05-02' } })).toBe(1);
    expect(await count({ filters_override: { date_from: 'all', date_to: '2026-05-02' } })).toBe(2);
    const narrowed = (...properties: readonly object[]) => count({ filters_override: { properties } });
    expect(await narrowed({ key: 'plan', value: 'pro', type: 'person' })).toBe(2);
    expect(await narrowed({ key: 'email', value: "o'", operator: 'not_icontains', type: 'person' })).toBe(3);
    expect(await narrowed({ key: 'total', operator: 'is_not_set' })).toBe(3);
    const orders = {
      variables_override,
      filters_override: { properties: [{ key: 'total', value: 4, operator: 'gt' }] },
    };
    expect(await count(orders)).toBe(1);
    const free = { key: 'plan', operator: 'exact', value: 'free', type: 'person' };
    const both = { ...query, filters: { properties: [free] } };
    const filters_override = {
      date_from: '2026-05-01',
      properties: [{ key: 'seats', operator: 'is_set', type: 'person' }],
    };
    expect((await post('query/', { query: both, filters_override })).body.results).toEqual([[0]]);
    const wrong = await post('query/', {
      query,
      filters_override: { properties: [{ key: 'x', value: 1, type: 'hogql' }] },
    });
    const detail = 'Filters of the type "hogql" are not supported here.';
    expect([wrong.status, wrong.body.detail]).toEqual([400, detail]);
    const unknown = { ...query, query: 'select {variables.plan}' };
    expect((await post('query/', { query: unknown })).body.detail).toContain('{variables.plan}');
  });

  it('keeps the person id of events whose person was deleted, without a person behind it', async () => {
    const open = await openSandbox();
    const query =
      "select toString(person_id), toString(person.id), person.properties.email from events where distinct_id = 'ben'";
    const before = (await run(open, query)).body.results;
    const [ben] = (await open.get('persons/?distinct_id=ben')).body.results;
    expect(before).toEqual([[ben.uuid, ben.uuid, 'ben@example.org']]);
    await open.del(`persons/${ben.id}/`);
    expect((await run(open, query)).body.results).toEqual([[ben.uuid, ben.uuid, null]]);
  });

  it('does not show persons who are dated more than a day ahead, as the list does', async () => {
    const at = (created_at: string) => ({ distinct_ids: [created_at], created_at, properties: {} });
    const persons = [at('2026-06-18T11:00:00Z'), at('2026-06-18T13:00:00Z')];
    const open = await openSandbox({ data: { persons, events: [] } });
    expect((await run(open, 'select count() from persons')).body.results).toEqual([[1]]);
    expect((await open.get('persons/')).body.results).toHaveLength(2);
  });

  it('quotes names with a dollar sign itself, and knows decimals from whole numbers', async () => {
    const open = await openSandbox({
      data: {
        persons: [
          { distinct_ids: ['a'], properties: { $browser: 'Edge', price: 39.9, big: 1, 'a b': true } },
        ],
        events: [
          { distinct_id: 'a', event: 'x', timestamp: NOW, properties: { $browser: 'Edge', sum: 0.25 } },
        ],
      },
    });
    const { body } = await run(
      open,
      'select properties.$browser, properties.price * 2 as twice, properties.price > 39.95 as more, properties."a b", sum(properties.price) from persons group by all',
    );
    expect(body.results).toEqual([['Edge', 79.8, 0, true, 39.9]]);
    expect(body.columns).toEqual(['$browser', 'twice', 'more', 'a b', 'sum(properties.price)']);
    const events = await run(open, 'select person.properties.$browser, properties.sum + 1 as s from events');
    expect(events.body.results).toEqual([['Edge', 1.25]]);
  });

  it('keeps the digits of long numbers', async () => {
    const { text } = await run(
      await openSandbox({ data: 'sample', now: undefined }),
      "select properties.customer_number from persons where properties.email = 'ana.berg@example.org'",
    );
    expect(text).toContain('"results":[[1524831183200260097]]');
  });

  it('puts values in place of names, whatever they hold', async () => {
    const open = shared();
    const count = async (condition: string, values: Record<string, unknown>) =>
      (await run(open, `select count() from persons where ${condition}`, values)).body.results[0][0];
    expect(await count('properties.plan = {plan}', { plan: 'free' })).toBe(2);
    expect(await count('properties.plan in {plans}', { plans: ['free', 'pro'] })).toBe(3);
    expect(await count('properties.plan = {plan}', { plan: "' or 1=1 --" })).toBe(0);
    expect(await count('properties.seats > {n}', { n: 3.5 })).toBe(1);
    expect((await run(open, 'select {gone}')).body).toMatchObject({
      attr: 'query',
      type: 'validation_error',
    });
  });

  it('says whether there are more rows if the query has no limit, and gives 50,000 at most', async () => {
    const open = shared();
    const shape = ({ body }: Awaited<ReturnType<typeof run>>) => [
      body.results.length,
      body.hasMore,
      body.limit,
    ];
    expect(shape(await run(open, 'select * from numbers(101)'))).toEqual([100, true, 100]);
    expect(shape(await run(open, 'select * from numbers(100)'))).toEqual([100, false, 100]);
    expect(shape(await run(open, 'select * from numbers(10) limit 3'))).toEqual([3, null, null]);
    const inner = 'select * from (select * from numbers(9) limit 4)';
    expect(shape(await run(open, inner))).toEqual([4, false, 100]);
    expect(shape(await run(open, 'select * from numbers(60000) limit 60000'))).toEqual([50_000, null, null]);
    const both = 'select number from numbers(150) union all select number from numbers(150)';
    expect(shape(await run(open, both))).toEqual([200, null, null]);
    expect(shape(await run(open, 'select * from numbers(10) limit 3 offset 8'))).toEqual([2, null, null]);
  });

  it.each([
    'delete from persons',
    'insert into persons values (1)',
    'update events set event = 1',
    'drop view persons',
    'create table t as select 1',
    'select 1; delete from persons',
    'select 1; select 2',
    'begin',
    'set threads = 1',
    'pragma version',
    'call pragma_version()',
    "attach ':memory:' as other",
    "copy (select 1) to '/tmp/x.csv'",
    'install httpfs',
    'explain select 1',
    'show tables',
    'describe persons',
    'select * from store.persons',
    'select * from store.sandbox',
    'select * from memory.store.persons',
    'select * from persons, store.results',
    'select (select count(*) from store.insights)',
    'select * from events where event in (select key from store.results)',
    'with persons as (select * from store.persons) select * from persons',
    'select * from (with t as (select 1) select * from t), t',
    'select * from information_schema.tables',
    'select * from duckdb_tables',
    'select * from duckdb_settings()',
    'select * from sqlite_master',
    "select * from '/etc/passwd'",
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from glob('/*')",
    "select * from query('select 1')",
    "select * from query_table('store.persons')",
    "select getenv('HOME')",
    "select current_setting('home_directory')",
    'select current_date',
    'select version()',
    'select $1',
    'select ?',
    '',
  ])('refuses %s', async (query) => {
    const open = shared();
    const { status, body } = await run(open, query);
    expect([status, body.type]).toEqual([400, 'validation_error']);
    expect(body.detail).not.toBe('');
    expect((await open.get('persons/')).body.count).toBe(3);
  });

  it('says where a statement is wrong', async () => {
    const open = shared();
    expect((await run(open, 'select properties.plan frm persons x')).body).toMatchObject({
      code: 'syntax_error',
      detail: "no viable alternative at input 'select properties.plan frm persons' (at character 28)",
    });
    const { detail } = (await run(open, 'select nobody from persons')).body;
    expect(detail).toBe('Unable to resolve field: nobody (at character 8)');
    expect(
      (await run(open, 'select {a}, * from store.persons', { a: 'a long value' })).body.detail,
    ).toContain('(at character 20)');
  });

  it('ends a statement that takes too long', async () => {
    const open = await openSandbox({ longestQuery: 1000 });
    const { status, body } = await run(
      open,
      'select count() from numbers(10000000) a, numbers(100000) b where a.number + b.number = 7',
    );
    expect(status).toBe(504);
    expect(body).toMatchObject({
      type: 'server_error',
      detail: expect.stringContaining('max execution time'),
    });
    expect((await run(open, 'select 1')).body.results).toEqual([[1]]);
  });
});
