import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { onSandbox } from './on-sandbox.ts';

describe('a run whose record does not tell the persons', () => {
  it.each<Dialect>(['live', 'specification'])(
    'whose persons were not looked up holds once no event is left under the ids that were given (%s)',
    async (dialect) => {
      const { hogctl } = await onSandbox(dialect);
      await hogctl('persons bulk-delete --distinct-ids shopper-0001 --no-resolve --delete-events --yes');
      const early = await hogctl('runs verify last -o json');
      expect([early.code, JSON.parse(early.stdout).events]).toMatchObject([9, { unresolved: 0, partial: 1 }]);
      await hogctl('sandbox advance --to 2026-06-21T06:00:00Z');
      const late = await hogctl('runs verify last -o json');
      expect([late.code, JSON.parse(late.stdout)]).toMatchObject([
        0,
        { holds: true, events: { left: 0, later: 0, unresolved: 0, partial: 1 } },
      ]);
      expect((await hogctl('runs report last')).stdout).toMatch(
        /^\| ids with only their own events counted \| 1 \|$/m,
      );
    },
  );

  it('of integers that were not looked up cannot hold, which it says', async () => {
    const { hogctl } = await onSandbox();
    await hogctl('persons bulk-delete --ids 1 --no-resolve --delete-events --yes');
    await hogctl('sandbox advance --to 2026-06-21T06:00:00Z');
    const { code, stderr } = await hogctl('runs verify last');
    expect(code).toBe(9);
    expect(stderr).toContain('the record does not tell whose 1 id was');
    expect(stderr).toMatch(/hint: events cannot be found by an integer id; hogctl runs prune \S+ gives/);
  });
});
