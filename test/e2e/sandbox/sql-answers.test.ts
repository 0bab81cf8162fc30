import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedSandbox } from '../../support/open-sandbox.ts';

type Query = { readonly title: string; readonly query: string; readonly results: unknown };

const path = join(import.meta.dirname, '../../golden/sql/queries.json');
const queries: readonly Query[] = JSON.parse(readFileSync(path, 'utf8'));

const sample = sharedSandbox({ data: 'sample', now: undefined, dialect: 'live' });

const ask = (node: object) => sample().post('query/', { query: { kind: 'HogQLQuery', ...node } });

const answer = async (query: string) => {
  const { status, body } = await ask({ query });
  return status === 200 ? body.results : body.detail;
};

describe('SQL as people write it for the service', { timeout: 60_000 }, () => {
  it.each(queries.map(({ title, results, ...node }) => [title, node, results] as const))(
    'answers %s',
    async (_, node, results) => {
      const { status, body } = await ask(node);
      expect({ status, results: body.results ?? body.detail }).toEqual({ status: 200, results });
    },
  );
});

describe('SQL that the service refuses with a key', () => {
  it.each([
    ["select strftime(now(), '%Y')", "Unsupported function call 'strftime(...)'. (at character 8)"],
    ['select len([1])', "Unsupported function call 'len(...)'. (at character 8)"],
    [
      'select TOSTRING(event) from events',
      "Unsupported function call 'TOSTRING(...)'. Perhaps you meant 'toString(...)'? (at character 8)",
    ],
    ['from events select event', /^mismatched input 'from'/],
    ['select unnest([1])', /^Unsupported function call 'unnest/],
    ['select extract(year from now())', /^no viable alternative/],
    ['select 1 as team_id', /^"team_id" cannot be an alias/],
    ["select regexp_matches('a', 'a')", /^Unsupported function call 'regexp_matches/],
    ['select first(event) from events', /^Unsupported function call 'first/],
    ["select e'x'", /^no viable alternative/],
    ["select glob('a', 'b')", /^Unsupported function call 'glob/],
    ['select hour(now())', /^Unsupported function call 'hour/],
    ['select age(now(), now())', "Function 'age' expects 3 arguments, found 2 (at character 8)"],
    ['select quantile(properties.total) from events', /^Aggregation 'quantile' requires parameters/],
    [
      'select countIf() from events',
      "Aggregation 'countIf' expects at least 1 argument, found 0 (at character 8)",
    ],
    ['select 1 ;;', /^extraneous input ';'/],
    ['select 1; select 2', /^mismatched input 'select'/],
    ['select [1, 2][0]', /^SQL indexes start from one, not from zero/],
    ['select intDiv(1, 0)', 'Division by zero'],
    ['select session.nope from events', 'Unable to resolve field: session.nope (at character 8)'],
    ["select toHour('x')", /^Illegal types of arguments/],
    ['select * except (event) from events', /^mismatched input/],
    ['select distinct on (event) event from events', /^Unsupported function call 'on/],
    ['select count(distinct event, uuid) from events', /^Aggregation 'count' expects at most 1 argument/],
    ['select evnt from events', 'Unable to resolve field: evnt (at character 8)'],
    ['select 1 from nowhere', 'Unknown table `nowhere`. (at character 15)'],
    ['select event from events limit 2 offset 1', /^OFFSET is not supported on queries made with a personal/],
    [
      'select * from (select event from events limit 2 offset 1)',
      /^OFFSET is not supported .*\(at character \d+\)$/s,
    ],
    ['select 1 union all (select 2 limit 1 offset 1)', /^OFFSET is not supported/],
    ['select event from events limit 1 offset 2 by event', /^OFFSET is not supported/],
    ['select count() from persons where {filters}', /^Cannot use 'filters' placeholder/],
    ['select properties.plan + {gone} from persons', 'Unresolved placeholder: {gone} (at character 26)'],
    [
      'select distinct_id from events e join person_distinct_ids d on e.person_id = d.person_id',
      /^Ambiguous/,
    ],
  ])('refuses %s', async (query, detail) => {
    expect(await answer(query)).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  });

  it.each([
    ['select windowFunnel(10)(timestamp, 1) from events', 'the function windowFunnel'],
    ['select * from groups', 'the table groups'],
    ['select session_id, $channel_type from sessions', 'the column $channel_type'],
    ['select session.$entry_pathname from events', 'the column session.$entry_pathname'],
    ['select e.group_0.key from events e', 'the column group_0.key'],
    ["select splitByChar(',', 'a,b', 1)", 'so many arguments of splitByChar'],
    ["select formatDateTime(now(), '%Q')", '%Q in formatDateTime'],
    ['select event from events order by event limit 2 with ties', 'WITH TIES'],
    ['select event from events sample 0.1', 'SAMPLE, which is random'],
  ])('says what only the sandbox lacks: %s', async (query, what) => {
    expect(await answer(query)).toContain(
      `The sandbox does not know ${what}; the service has it (at character `,
    );
  });

  it('takes OFFSET in the dialect of the specification, which says nothing of keys', async () => {
    expect(await answer('select 1 limit 1 offset 0')).toContain('OFFSET');
    const query = { kind: 'HogQLQuery', query: 'select number from numbers(3) limit 1 offset 2' };
    expect((await specification().post('query/', { query })).body.results).toEqual([[2]]);
  });
});

const specification = sharedSandbox();

describe('SQL of values that may be missing', () => {
  it.each([
    ["properties.coupon = 'SPRING'", 119],
    ["properties.coupon != 'SPRING'", 1571],
    ["properties.coupon not in ('SPRING')", 1571],
    ["properties.coupon not like 'SPRING'", 1571],
    ["properties.coupon not ilike 'spring'", 1571],
    ["properties.coupon !~ 'SPRING'", 1571],
    ["not properties.coupon = 'SPRING'", 1571],
    ["not match(properties.coupon, 'SPRING')", 116],
    ["properties.coupon in ('SPRING')", 119],
    ['properties.coupon is null', 1455],
    ["properties.nope != 'x'", 1690],
  ])('counts orders where %s', async (condition, count) => {
    const query = `select count() from events where event = 'order_completed' and ${condition}`;
    expect(await answer(query)).toEqual([[count]]);
  });

  it('finds the same persons as the list', async () => {
    const filters = [{ key: 'plan', value: 'pro', operator: 'is_not', type: 'person' }];
    const list = await sample().get(
      `persons/?properties=${encodeURIComponent(JSON.stringify(filters))}&limit=1`,
    );
    expect(await answer("select count() from persons where properties.plan != 'pro'")).toEqual([
      [list.body.count ?? 710],
    ]);
  });
});
