import fc from 'fast-check';
import { type Condition, somebody } from './selecting-service.ts';

const texts = ['trial', 'Trial', 'pro', '', 'a b', 'user1@example.org', 'null', 'true'];
const dates = ['2020-01-01', '2020-01-02', '2019-12-31T23:30:00Z', '2020-01-01T12:00:00Z', '2020-01-03'];
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(...texts, ...dates),
  fc.integer({ min: -3, max: 30 }),
  fc.constantFrom<unknown>(true, null, '18', [1, 'a'], { a: 1 }, 1.5),
);
const keys = ['plan', 'age', 'seen', 'email', 'name', 'utm:source'] as const;

export const anyPeople = fc
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
export const anyCondition = fc.oneof(
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
