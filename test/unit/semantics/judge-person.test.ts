import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import type { Json } from '../../../src/json/kinds.ts';
import { createJudge } from '../../../src/semantics/judge-person.ts';
import { operatorNames } from '../../../src/semantics/person-conditions.ts';
import type { Person } from '../../../src/service/schemas.ts';
import { anyCondition, anyPeople } from '../../support/any-selection.ts';
import { covers } from '../../support/model-of-conditions.ts';

async function holds(have: Json | undefined, operator: string, value: Json): Promise<boolean> {
  const unmet = await createJudge({ filters: [{ key: 'k', operator, value }] }, { withNames: true });
  return unmet({ id: 1, properties: have === undefined ? {} : { k: have } }) === undefined;
}

describe('a condition that is judged here', () => {
  it.each<[Json | undefined, string, Json, boolean]>([
    [5, 'exact', '5', true],
    ['a', 'exact', ['b', 'a'], true],
    [undefined, 'is_not', 'a', true],
    [null, 'exact', 'null', false],
    ['9', 'gt', 10, false],
    ['abc', 'gte', 18, false],
    [undefined, 'lt', 18, false],
    [undefined, 'not_between', [1, 2], false],
    ['2019-12-31', 'is_date_before', '2020-01-01', true],
    ['2020-01-01T05:00:00', 'is_date_exact', '2020-01-01', true],
    ['2020-01-02T00:00:00+02:00', 'is_date_exact', '2020-01-01T22:00:00Z', true],
    [1_577_836_800, 'is_date_exact', '2020-01-01T00:00:00Z', true],
    ['2020-02-31', 'is_date_after', '2020-01-01', false],
    ['soon', 'is_date_before', '2030-01-01', false],
    ['a\nb', 'not_regex', 'a.b', false],
    ['a\nb', 'not_regex', 'c.d', true],
    ['Ana', 'regex', '^\\p{Lu}', true],
  ])('%j %s %j is %s', async (have, operator, value, expected) => {
    expect(await holds(have, operator, value)).toBe(expected);
  });

  it('on a day holds only if it does in every zone', async () => {
    expect(await holds('2019-12-31T09:00:00Z', 'is_date_before', '2020-01-01')).toBe(true);
    expect(await holds('2019-12-31T20:00:00Z', 'is_date_before', '2020-01-01')).toBe(false);
    expect(await holds('2020-01-01T12:00:00Z', 'is_date_exact', '2020-01-01')).toBe(false);
  });

  it.each<[string, Json]>([
    ['regex', 'a(?=b)'],
    ['is_date_before', '-7d'],
    ['between', [1]],
    ['gt', [1]],
  ])('is refused if it cannot be judged: %s %j', async (operator, value) => {
    await expect(holds('a', operator, value)).rejects.toThrow('cannot be checked here');
  });

  it.each(['group', 'event', 'hogql'])('is refused if it is not about a property: %s', async (type) => {
    const filters = [{ key: 'k', operator: 'exact', value: 1, type }];
    await expect(createJudge({ filters }, { withNames: true })).rejects.toThrow('cannot be checked here');
    await expect(
      createJudge({ filters: [{ key: 'k', value: 1, negation: true }] }, { withNames: true }),
    ).rejects.toThrow('cannot be checked here');
  });

  it('holds for nobody whom it does not cover, by a model', async () => {
    const seen = new Map<string, Set<boolean>>();
    await fc.assert(
      fc.asyncProperty(anyPeople, anyCondition, async (people, condition) => {
        const { type, value } = condition;
        if (type === 'cohort') return;
        // The model and the program read the same wire, in types of their own.
        const filters = type === 'person' ? [condition as unknown as Json] : [];
        const own = {
          search: { search: value },
          email: { email: value },
          distinct_id: { distinctId: value },
        };
        const given = type === 'person' ? {} : own[type];
        const judge = await judgeOf({ filters, ...given } as Parameters<typeof createJudge>[0]);
        for (const one of people) {
          const isMet = judge?.(one as unknown as Person) === undefined;
          if (judge === undefined) continue;
          const name = type === 'person' ? condition.operator : type;
          seen.set(name, (seen.get(name) ?? new Set()).add(isMet));
          if (isMet) expect([condition, one.properties, covers(one, condition, 'live')]).toContain(true);
        }
      }),
      { numRuns: 3000, seed: 17 },
    );
    const both = [...seen].filter(([, results]) => results.size === 2).map(([name]) => name);
    expect(both.sort()).toEqual([...operatorNames, 'distinct_id', 'email', 'search'].sort());
  });
});

/** Undefined for a condition that is refused. */
async function judgeOf(conditions: Parameters<typeof createJudge>[0]) {
  try {
    return await createJudge(conditions, { withNames: true });
  } catch (failure) {
    if (failure instanceof CliError) return undefined;
    throw failure;
  }
}
