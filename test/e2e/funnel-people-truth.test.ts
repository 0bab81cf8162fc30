import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json/kinds.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { readTruth } from '../support/truth.ts';

type People = {
  readonly funnel_step?: number;
  readonly distinct_ids?: readonly string[];
  readonly breakdown?: unknown;
};
type Case = {
  readonly id: string;
  readonly title: string;
  readonly now: string | null;
  readonly project: { readonly [name: string]: Json };
  readonly request: { readonly [name: string]: Json };
  readonly data: { readonly persons: Json; readonly events: Json };
  readonly expect: { readonly persons?: readonly People[] };
};

const cases = readTruth<Case>('funnels');
/** Steps alone: people of a breakdown value or of a day are asked for by what a funnel step has no option for. */
const told = cases.flatMap((one) => {
  const lists = one.expect.persons?.filter(
    (people) => people.funnel_step && people.distinct_ids && people.breakdown === undefined,
  );
  return lists?.length ? [{ ...one, lists }] : [];
});

describe('people of a funnel through the query that replaces the operation', () => {
  it.each(told)('$id $title', async ({ now, project, request, data, lists }) => {
    const sandbox = await borrowSandbox({
      dialect: 'live',
      now: now ?? '2024-05-15T12:00:00Z',
      data: { project, ...data },
    });
    const environment = sandboxEnvironment(sandbox, 'live');
    try {
      for (const { funnel_step: step = 0, distinct_ids: expected = [] } of lists) {
        const words = [
          'persons',
          'funnel',
          '--body',
          JSON.stringify(request),
          '--step',
          String(Math.abs(step)),
        ];
        const { code, stdout, stderr } = await runProgram(
          [...words, ...(step < 0 ? ['--dropped'] : []), '--all', '--debug', '-o', 'json'],
          { environment },
        );
        expect(stderr).toContain('ActorsQuery over FunnelsActorsQuery');
        expect(code).toBe(0);
        expect(personsAmong(JSON.parse(stdout), expected)).toEqual([...expected].sort());
      }
    } finally {
      await sandbox.stop();
    }
  });
});

/** The id by which the case knows each person; one that it does not expect keeps its own. */
function personsAmong(rows: readonly { distinct_ids: readonly string[] }[], expected: readonly string[]) {
  return rows.map(({ distinct_ids: ids }) => ids.find((id) => expected.includes(id)) ?? ids[0]).sort();
}
