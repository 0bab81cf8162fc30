import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summary } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import {
  type Condition,
  deletedIn,
  type Selecting,
  type Somebody,
  selectingService,
  somebody,
} from '../support/selecting-service.ts';
import { startService } from '../support/service.ts';

const trial = (id: number, more = {}) =>
  somebody(id, {
    properties: { email: `user${id}@example.org`, plan: 'trial', ...more },
    cohorts: id === 1 ? [12] : [],
  });

const people = [
  trial(1, { last_seen: '2019-05-01' }),
  trial(2, { last_seen: '2026-11-01' }),
  trial(3),
  somebody(4),
  somebody(5, { cohorts: [12] }),
];

/** Honours exact conditions on properties, and nothing else. */
const onlyExact = ({ properties }: Somebody, { type, key, operator, value }: Condition) =>
  type !== 'person' || operator !== 'exact' || properties[key] === value;

/** Honours exact conditions and cohorts. */
const withCohorts = (one: Somebody, condition: Condition) =>
  condition.type === 'cohort' ? one.cohorts.includes(Number(condition.value)) : onlyExact(one, condition);

const start = async (selecting: Partial<Selecting> = {}) => {
  const service = await startService(selectingService({ people, selects: onlyExact, ...selecting }));
  const run = (line: string) => service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
  return {
    log: service.log,
    runs: () => runsOf(service),
    run,
    erase: (words: string) => run(`persons bulk-delete ${words} --max 100 --project 1 --yes`),
  };
};

const TRIAL = '--property plan:exact=trial';

describe('a condition that the service ignores decides nothing about who is deleted', () => {
  it.each([
    [`${TRIAL} --cohort 12`, 'who is not in cohort 12 according to SQL'],
    [`${TRIAL} --search user1@example.org`, 'who does not show "user1@example.org"'],
    [
      `${TRIAL} --property last_seen:is_date_before=2020-01-01`,
      'does not satisfy the condition on "last_seen"',
    ],
    [`${TRIAL} --property email:regex=^user1@`, 'the condition on "email"'],
    [`${TRIAL} --property plan:in=gone`, 'the condition on "plan"'],
    [`${TRIAL} --property plan:not_in=trial`, 'the condition on "plan"'],
    [
      `--properties '[{"key":"plan","value":"trial"},{"key":"last_seen","operator":"is_set"}]'`,
      '"last_seen"',
    ],
    ['--cohort 12', 'according to SQL; the cohort 12 changes nothing: 5 match without it too'],
    ['--search user1@example.org', '--search "user1@example.org" changes nothing: 5 match without it too'],
  ])('%s', async (words, message) => {
    const { log, erase } = await start();
    const { code, stderr } = await erase(words);
    expect([code, stderr]).toEqual([5, expect.stringContaining(message)]);
    expect(deletedIn(log)).toEqual([]);
  });

  it.each([
    ['email:regex=^(?=user1)', 'the condition on "email" cannot be checked here'],
    ['last_seen:is_date_before=-7d', 'write the date as 2026-01-31T00:00:00Z'],
  ])('is refused before anything is sent where nothing can judge it: %s', async (expression, message) => {
    const { log, erase } = await start();
    const { code, stderr } = await erase(`--property ${expression}`);
    expect([code, stderr, log]).toEqual([5, expect.stringContaining(message), []]);
    expect(stderr).toContain('give it with --from');
  });
});

describe('a selection', () => {
  it('is planned from its rows, with all their distinct ids and the clock of the service', async () => {
    const distinctIds = Array.from({ length: 12 }, (_, at) => `d${at}`);
    const { log, run, runs } = await start({ people: [{ ...trial(1), distinct_ids: distinctIds }] });
    const { code } = await run(`persons bulk-delete ${TRIAL} --plan-only --project 1`);
    const [folder = ''] = runs();
    expect(code).toBe(0);
    expect(log.filter(({ url }) => url.includes('/batch_by_uuids/'))).toEqual([]);
    expect(readFileSync(join(folder, 'ids'), 'utf8')).toContain(JSON.stringify(distinctIds));
    const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
    expect(plan).toMatchObject({
      resolved: { found: 1, nobody: 0 },
      serviceTime: '2026-03-02T11:00:00.000Z',
    });
  });
});

describe('a selection without an answer that was asked for', () => {
  it('takes a person who is listed twice once', async () => {
    const { log, erase } = await start({
      people: [trial(1), trial(1), trial(2)],
      bulk: ({ length }) => ({ status: 202, json: summary({ found: length, deleted: length }) }),
    });
    expect((await erase(TRIAL)).code).toBe(0);
    expect(deletedIn(log)).toEqual([1, 2].map((id) => somebody(id).uuid));
  });

  it('looks up persons whose UUID the list of a live service lacks', async () => {
    const bare = { results: [{ id: 1, distinct_ids: ['d1'], properties: { plan: 'trial' } }], next: null };
    const service = await startService([
      { on: /\/persons\/\?/, times: 9, json: bare },
      { on: /\/persons\/1\//, json: somebody(1) },
      ...selectingService({ people, selects: onlyExact }),
    ]);
    const line = `persons bulk-delete ${TRIAL} --max 9 --project 1 --confirm 1 --yes`;
    const { code, stderr } = await service.hogctl(line, { environment: { HOGCTL_DIALECT: 'live' } });
    expect([code, deletedIn(service.log)], stderr).toEqual([0, [somebody(1).uuid]]);
  });
});

describe('a cohort is checked a second way', () => {
  it.each([
    ['through SQL', true],
    ['person by person if the key may not query', false],
  ])('%s', async (_, sql) => {
    const { log, erase } = await start({ selects: withCohorts, sql });
    expect((await erase('--cohort 12')).code).toBe(0);
    expect(deletedIn(log)).toEqual([1, 5].map((id) => somebody(id).uuid));
    const asked = log.filter(({ url, body }) => (sql ? /IN COHORT/.test(body) : /persons.cohorts/.test(url)));
    expect(asked).toHaveLength(sql ? 1 : 2);
  });

  it('is refused for more than 500 people if the key may not query', async () => {
    const many = Array.from({ length: 501 }, (_, index) => somebody(index + 1, { cohorts: [12] }));
    const { log, run } = await start({ people: many, selects: withCohorts, sql: false });
    const { code, stderr } = await run('persons bulk-delete --cohort 12 --max 1000 --project 1 --yes');
    expect([code, stderr]).toEqual([5, expect.stringContaining('error: the cohort 12 cannot be checked: ')]);
    expect(deletedIn(log)).toEqual([]);
  });

  it('deletes nobody if the cohort itself cannot be asked about', async () => {
    const { log, erase } = await start({ selects: withCohorts, cohort: { status: 400 } });
    expect((await erase('--cohort 12')).code).toBe(5);
    expect(deletedIn(log)).toEqual([]);
  });

  it.each([
    ['503', { status: 503 }],
    [
      'a query that failed',
      { json: { results: null, query_status: { error: true, error_message: 'too slow' } } },
    ],
    ['no rows', { json: {} }],
  ])('deletes nobody if SQL answers %s, and asks no other way', async (_, answer) => {
    const failing = { on: /\/query\//, times: 9, ...answer };
    const service = await startService([failing, ...selectingService({ people, selects: withCohorts })]);
    const words = 'persons bulk-delete --cohort 12 --max 100 --project 1 --yes --retries 0';
    const { code } = await service.hogctl(words, { environment: { HOGCTL_DIALECT: 'live' } });
    expect(code).toBe(6);
    expect(deletedIn(service.log)).toEqual([]);
    expect(service.log.filter(({ url }) => url.includes('/persons/cohorts/'))).toEqual([]);
  });

  it('is refused if the answer is about the cohorts of another project', async () => {
    const { log, erase } = await start({ selects: withCohorts, sql: false, ownCohorts: false });
    const { code, stderr } = await erase('--cohort 12');
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('who is not in cohort 12 according to persons/cohorts'),
    ]);
    expect(deletedIn(log)).toEqual([]);
  });

  it('belongs to the live service', async () => {
    const service = await startService([]);
    for (const command of ['list', 'export', 'bulk-delete --max 9 --yes']) {
      const { code, stderr } = await service.hogctl(`persons ${command} --cohort 12 --project 1`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('may not support selecting by cohort')]);
    }
    expect(service.log).toEqual([]);
  });
});

describe('conditions beside --yes', () => {
  it.each([TRIAL, '--search user1', '--cohort 12', `--properties '[{"key":"plan","value":"trial"}]'`])(
    'need a bound before anything is asked: %s',
    async (words) => {
      const { run, log } = await start();
      for (const more of ['', ' --plan-only', ' --confirm 1']) {
        const { code, stderr } = await run(`persons bulk-delete ${words} --project 1 --yes${more}`);
        expect([code, stderr]).toEqual([2, expect.stringContaining('conditions need --max with --yes')]);
      }
      expect(log).toEqual([]);
    },
  );

  it('delete nobody where more match than the bound', async () => {
    const { run, log } = await start();
    const { code, stderr } = await run(`persons bulk-delete ${TRIAL} --project 1 --yes --max 2`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the plan holds 3 ids, more than --max 2')]);
    expect(deletedIn(log)).toEqual([]);
  });

  it('need none in a dry run, which tells how many match', async () => {
    const { run } = await start();
    const { code, stdout } = await run(`persons bulk-delete ${TRIAL} --project 1 --yes --dry-run`);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 ')]);
  });
});

describe('list, export and bulk-delete take the same conditions', () => {
  it.each([
    ['--property plan:foo=3', 2, 'unknown operator "foo": the operators are exact, '],
    [`--properties '[{"key":"plan","operator":"exat","value":"x"}]'`, 2, 'unknown operator "exat"'],
    [`--properties '[{"key":"plan","value":""}]'`, 2, 'the condition on "plan" has an empty value'],
    [`--properties '{"key":"plan"}'`, 2, '--properties takes a JSON list'],
    ['--property plan=', 2, 'the condition on "plan" has an empty value'],
    ['--search ""', 2, '--search is empty'],
    ['--search " "', 2, '--search has an empty value'],
    [`${TRIAL} --properties '[]'`, 2, '--property and --properties cannot be used together'],
  ])('%s', async (words, expected, message) => {
    const { log, run, erase } = await start();
    const ended = [
      await run(`persons list ${words}`),
      await run(`persons export ${words}`),
      await erase(words),
    ];
    for (const { code, stderr } of ended)
      expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
    expect(new Set(ended.map(({ stderr }) => stderr)).size).toBe(1);
    expect(log).toEqual([]);
  });

  it('and send the same', async () => {
    const { log, run, erase } = await start({ selects: withCohorts });
    const words = `${TRIAL} --cohort 12 --search user`;
    await run(`persons list ${words} -o json`);
    const exported = await run(`persons export ${words} -o json`);
    expect((await erase(words)).code).toBe(0);
    expect(JSON.parse(exported.stdout).map(({ id }: Somebody) => id)).toEqual([somebody(1).uuid]);
    const conditions = log
      .filter(({ url }) => url.includes('search=user'))
      .map(({ url }) => {
        const { searchParams } = new URL(url, 'http://127.0.0.1');
        return [searchParams.get('search'), searchParams.get('properties')];
      });
    expect(conditions.length).toBeGreaterThanOrEqual(3);
    expect(new Set(conditions.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('and warn of a cohort that is being calculated, unless the key may not ask', async () => {
    const calculating = { json: { id: 12, is_calculating: true } };
    for (const cohort of [calculating, { status: 403, json: { code: 'permission_denied', detail: 'no' } }]) {
      const { run, erase } = await start({ selects: withCohorts, cohort });
      const lines = [await run('persons list --cohort 12 -q'), await run('persons export --cohort 12 -q')];
      const refused = await erase('--cohort 12');
      expect(refused.code).toBe(cohort === calculating ? 2 : 0);
      const ended = [...lines, cohort === calculating ? await erase('--cohort 12 --allow-stale') : refused];
      expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
      for (const { stderr } of ended)
        expect(stderr.includes('warning: cohort 12 is not final: it is being calculated')).toBe(
          cohort === calculating,
        );
    }
  });

  it.each([
    ['deleted', { deleted: true }, 'it is deleted'],
    ['failing', { errors_calculating: 3, last_calculation: '2026-03-02T11:00:00Z' }, '3 calculations failed'],
    ['old', { last_calculation: '2026-02-28T11:00:00Z' }, 'its persons are those of 2026-02-28T11:00:00Z'],
  ])('a deletion with --yes refuses a cohort that is %s, unless it is meant', async (_, fields, state) => {
    const cohort = { json: { id: 12, ...fields } };
    const { log, erase } = await start({ selects: withCohorts, cohort });
    const { code, stderr } = await erase('--cohort 12');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: cohort 12 is not final: ${state}`)]);
    expect(stderr).toContain('--allow-stale');
    expect(log.every(({ url }) => !url.includes('bulk_delete'))).toBe(true);
    expect(await erase('--cohort 12 --allow-stale')).toMatchObject({ code: 0 });
  });

  it.each(['list', 'export'])('%s warns of people who do not satisfy them', async (command) => {
    const { run } = await start();
    const { code, stderr } = await run(`persons ${command} ${TRIAL} --property email:regex=^user1@ -o json`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('2 of these persons do not satisfy every condition'),
    ]);
    expect(stderr).toContain(`person 2, who does not satisfy the condition on "email"`);
  });

  it.each([
    ['--via query', '--via query cannot be used with conditions'],
    ['4', 'a person and conditions cannot be used together'],
  ])('export refuses a selection with %s', async (words, message) => {
    const { log, run } = await start();
    const { code, stderr } = await run(
      `persons export ${words} ${TRIAL} -o csv`.replace(' -o csv -o csv', ' -o csv'),
    );
    expect([code, stderr, log]).toEqual([2, expect.stringContaining(message), []]);
  });
});
