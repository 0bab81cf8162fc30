import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { onSandbox } from './on-sandbox.ts';

describe('a run whose record does not tell the persons', () => {
  it('that lost its ids says that only events under those given again were counted, and then holds', async () => {
    const { hogctl } = await onSandbox();
    await hogctl('persons bulk-delete --distinct-ids shopper-0001 --delete-events --yes --drop-ids');
    const { code, stderr } = await hogctl('runs verify last --distinct-ids shopper-0001');
    expect(code).toBe(9);
    const partly = 'for 1 distinct id only their own events were counted, since the record does not tell';
    expect(stderr).toContain(partly);
    expect(stderr).toMatch(/^error: \d+ events from before the deletion still there, pending until Sunday/m);
    await hogctl('sandbox advance --to 2026-06-21T06:00:00Z');
    const late = await hogctl('runs verify last --distinct-ids shopper-0001');
    expect([late.code, late.stderr]).toEqual([0, expect.stringContaining(partly)]);
    expect((await hogctl('runs list')).stdout).toMatch(/done +true +gone$/m);
  });

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
