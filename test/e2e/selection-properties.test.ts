import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCondition, anyPeople } from '../support/any-selection.ts';
import { covers } from '../support/model-of-conditions.ts';
import { runProgram } from '../support/run-program.ts';
import { type Condition, deletedIn, type Somebody, selectingService } from '../support/selecting-service.ts';
import { KEY, temporaryDirectory } from '../support/service.ts';
import { startStub } from '../support/stub-server.ts';

/** `HOGCTL_FUZZ=1000 HOGCTL_SEED=4` tries more and others, and shows its figures. */
const RUNS = Number(process.env.HOGCTL_FUZZ ?? 100);

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
    { weight: 1, arbitrary: fc.constant<readonly Flaw[]>(['none', 'none', 'none']) },
    { weight: 2, arbitrary: fc.array(fc.constantFrom(...flaws), { minLength: 3, maxLength: 3 }) },
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
    const seen = { selections: 0, conditions: 0, wrong: 0, deleted: 0, refused: 0 };
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
          const allowed = covered.map(({ id, uuid }) => (dialect === 'live' ? uuid : String(id)));
          const deleted = deletedIn(stub.log);
          const isRight = one.flaws.slice(0, conditions.length).every((flaw) => flaw === 'none');
          seen.selections += 1;
          seen.conditions += conditions.length;
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
      { numRuns: RUNS, seed: Number(process.env.HOGCTL_SEED ?? 17) },
    );
    if (process.env.HOGCTL_FUZZ) process.stdout.write(`Selections: ${JSON.stringify(seen)}\n`);
    // A test in which nobody is ever deleted would hold whatever the program did.
    expect(seen.deleted).toBeGreaterThan(RUNS / 10);
    expect(seen.refused).toBeGreaterThan(RUNS / 10);
    expect(seen.wrong).toBeGreaterThan(RUNS / 4);
  });
});
