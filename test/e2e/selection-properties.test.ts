import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers } from '../support/model-of-conditions.ts';
import { runProgram } from '../support/run-program.ts';
import {
  type Condition,
  deletedIn,
  type Somebody,
  selectingService,
  somebody,
} from '../support/selecting-service.ts';
import { startStub } from '../support/stub-server.ts';
import { KEY, temporaryDirectory } from './service.ts';

/** `HOGCTL_FUZZ=1000` tries more. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 100);

const texts = ['trial', 'Trial', 'pro', '', 'a b', 'user1@example.org', 'null', 'true'];
const dates = ['2020-01-01', '2020-01-02', '2019-12-31T23:30:00Z', '2020-01-01T12:00:00Z', '2020-01-03'];
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(...texts, ...dates),
  fc.integer({ min: -3, max: 30 }),
  fc.constantFrom<unknown>(true, null, '18', [1, 'a'], { a: 1 }, 1.5),
);
const keys = ['plan', 'age', 'seen', 'email', 'name', 'utm:source'] as const;

const anyPeople = fc
  .array(
    fc.record({
      properties: fc.dictionary(fc.constantFrom(...keys), anyValue, { minKeys: 2, maxKeys: 6 }),
      distinct_ids: fc.uniqueArray(fc.constantFrom('d1', 'D1', 'd2', 'trial', 'x9'), {
        minLength: 1,
        maxLength: 3,
      }),
      cohorts: fc.subarray([12, 13]),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map((fields, index) => somebody(index + 1, fields)));

const filter = (operators: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> =>
  fc.record({
    type: fc.constant('person' as const),
    key: fc.constantFrom(...keys),
    operator: fc.constantFrom(...operators),
    value,
  });
const bounds = fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 5, max: 30 }));
const wanted = anyValue.filter((value) => value !== '' && value !== null && typeof value !== 'object');
const own = (type: 'search' | 'email' | 'distinct_id', ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value): Condition => ({ type, key: type, operator: 'exact', value }));
const anyCondition = fc.oneof(
  { weight: 3, arbitrary: filter(['exact', 'is_not', 'icontains', 'not_icontains'], wanted) },
  { weight: 2, arbitrary: filter(['gt', 'gte', 'lt', 'lte', 'min', 'max'], wanted) },
  { weight: 2, arbitrary: filter(['in', 'not_in'], fc.array(wanted, { minLength: 1, maxLength: 3 })) },
  { weight: 1, arbitrary: filter(['between', 'not_between'], bounds) },
  { weight: 1, arbitrary: filter(['is_set'], fc.constant('is_set')) },
  { weight: 1, arbitrary: filter(['is_not_set'], fc.constant('is_not_set')) },
  {
    weight: 2,
    arbitrary: filter(['is_date_exact', 'is_date_before', 'is_date_after'], fc.constantFrom(...dates)),
  },
  {
    weight: 2,
    arbitrary: filter(
      ['regex', 'not_regex'],
      fc.constantFrom('^tr', '[0-9]+', 'T|o$', '^(a|t).*l$', '(?=t)', '\\d{2}'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(12, 13)
      .map((value): Condition => ({ type: 'cohort', key: 'id', operator: 'in', value })),
  },
  { weight: 2, arbitrary: own('search', 'user1', 'TRIAL', 'd1', 'example') },
  { weight: 1, arbitrary: own('email', 'user1@example.org', 'trial') },
  { weight: 1, arbitrary: own('distinct_id', 'd1', 'trial') },
);

/** What a service makes of one condition. */
const flaws = ['none', 'none', 'ignores', 'inverts', 'absent fits', 'any case', 'at random'] as const;
type Flaw = (typeof flaws)[number];

const anyCase = fc.record({
  people: anyPeople,
  conditions: fc.uniqueArray(anyCondition, {
    minLength: 1,
    maxLength: 3,
    selector: ({ type, key }) => (type === 'person' ? key : type),
  }),
  flaws: fc.oneof(
    fc.constant<readonly Flaw[]>(['none', 'none', 'none']),
    fc.array(fc.constantFrom(...flaws), { minLength: 3, maxLength: 3 }),
  ),
  dialect: fc.constantFrom('live', 'live', 'live', 'specification'),
  sql: fc.boolean(),
  ownCohorts: fc.boolean(),
  counts: fc.boolean(),
  asJson: fc.boolean(),
});
type Case = typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never;

const lower = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toLowerCase());

function selectsWith({ flaws: all, conditions, dialect }: Case) {
  return (one: Somebody, condition: Condition): boolean => {
    const at = conditions.findIndex(({ type, key }) => type === condition.type && key === condition.key);
    const right = covers(one, condition, dialect);
    switch (all[at]) {
      case 'ignores':
        return true;
      case 'inverts':
        return !right;
      case 'absent fits':
        return right || one.properties[condition.key] === undefined;
      case 'any case':
        return covers(
          { ...one, properties: lower(one.properties) as Somebody['properties'] },
          { ...condition, value: lower(condition.value) },
          dialect,
        );
      case 'at random':
        return (one.id * 7 + condition.key.length) % 3 === 0;
      default:
        return right;
    }
  };
}

function wordsFor({ conditions, asJson }: Case): readonly string[] {
  const filters = conditions.filter(({ type }) => type === 'person');
  const others = conditions.filter(({ type }) => type !== 'person');
  const named = others.map(({ type, value }) => `--${type.replace('_', '-')}=${value}`);
  if (asJson) return filters.length > 0 ? [...named, `--properties=${JSON.stringify(filters)}`] : named;
  const one = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value));
  const typed = filters.map(({ key, operator, value }) => {
    if (operator === 'is_set' || operator === 'is_not_set') return `--property=${key}:${operator}`;
    return `--property=${key}:${operator}=${Array.isArray(value) ? value.map(one).join(',') : one(value)}`;
  });
  return [...named, ...typed];
}

describe('a selection, whatever the service makes of its conditions', () => {
  it('deletes nobody whom a condition does not cover', { timeout: 60_000 + RUNS * 1000 }, async () => {
    const seen = { deleted: 0, refused: 0, wrong: 0 };
    const state = temporaryDirectory();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(anyCase, async (one) => {
        const { people, conditions, dialect } = one;
        const stub = await startStub(selectingService({ ...one, selects: selectsWith(one) }));
        try {
          number += 1;
          const words = [
            'persons',
            'bulk-delete',
            ...wordsFor(one),
            '--max',
            '99',
            '--yes',
            '--confirm',
            '1',
          ];
          const { code, stderr } = await runProgram([...words, '--project', '1'], {
            now: () => Date.UTC(2026, 2, 2, 12, number),
            environment: {
              HOGCTL_HOST: stub.origin,
              HOGCTL_API_KEY: KEY,
              HOGCTL_DIALECT: dialect,
              HOGCTL_CONFIG_DIR: state,
              HOGCTL_STATE_DIR: state,
            },
          });
          const covered = people.filter((person) =>
            conditions.every((condition) => covers(person, condition, dialect)),
          );
          const allowed = covered.map(({ uuid }) => uuid);
          const deleted = deletedIn(stub.log);
          const isRight = one.flaws.slice(0, conditions.length).every((flaw) => flaw === 'none');
          seen.wrong += Number(!isRight);
          if (deleted.length > 0) seen.deleted += 1;
          if (code === 5) seen.refused += 1;
          expect({ stderr, foreign: deleted.filter((id) => !allowed.includes(id)) }).toEqual({
            stderr,
            foreign: [],
          });
          expect([0, 2, 3, 5], stderr).toContain(code);
          if (code !== 0) expect(deleted).toEqual([]);
          else if (isRight) expect([...deleted].sort()).toEqual([...allowed].sort());
        } finally {
          await stub.close();
        }
      }),
      { numRuns: RUNS, seed: 17 },
    );
    // A test in which nobody is ever deleted would hold whatever the program did.
    expect(seen.deleted).toBeGreaterThan(RUNS / 10);
    expect(seen.refused).toBeGreaterThan(RUNS / 10);
    expect(seen.wrong).toBeGreaterThan(RUNS / 4);
  });
});
