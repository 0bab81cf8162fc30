import { describe, expect, it } from 'vitest';
import { readMoment } from '../../../src/sandbox/operator.ts';
import { fillStore } from '../../../src/sandbox/store/load-content.ts';
import { openStore } from '../../../src/sandbox/store/open-store.ts';
import { NOW, openSandbox } from '../../support/open-sandbox.ts';

const now = readMoment(NOW) ?? 0n;

async function readSample() {
  const store = await openStore(undefined);
  try {
    await fillStore(store, 'sample', now);
    const persons = await store.rows('select * exclude (created_at) from store.persons order by id');
    const events = await store.rows(
      'select event, person_id, epoch_us(timestamp) as time, properties::varchar as properties from store.events order by id',
    );
    return { persons, events };
  } finally {
    await store.close();
  }
}

describe('the sample', () => {
  it('is a shop of a thousand people and about forty thousand events in sixty days, the same each time', async () => {
    const [{ persons, events }, again] = [await readSample(), await readSample()];
    expect(again).toEqual({ persons, events });
    expect(persons).toHaveLength(1000);
    expect(events.length).toBeGreaterThan(35_000);
    expect(events.length).toBeLessThan(45_000);
    const visits = events.filter(({ event }) => event !== '$set');
    const times = visits.map(({ time }) => BigInt(time ?? 0));
    expect(
      times.every((time, index) => time <= now && time >= (times[index - 1] ?? now - 60n * 86_400_000_000n)),
    ).toBe(true);
    const emails = persons.map(({ properties }) => JSON.parse(String(properties)).email);
    expect(new Set(emails).size).toBe(1000);
    expect(emails[0]).toBe('ana.berg@example.org');
    for (const { properties } of events) JSON.parse(String(properties));
    const names = new Set(visits.map(({ event }) => event));
    expect([...names].sort()).toEqual([
      '$pageview',
      'added_to_basket',
      'checkout_started',
      'order_completed',
      'product_viewed',
      'signed_up',
      'support_contacted',
    ]);
  });

  it('fills cohorts, insights of every kind, a dashboard and the activity log', async () => {
    const { get } = await openSandbox({ data: 'sample' });
    expect((await get('persons/?email=ana.berg%40example.org')).text).toContain(
      '"customer_number":1524831183200260097',
    );
    const cohorts = (await get('persons/cohorts/')).body.results;
    expect(cohorts.map(({ name }: { name: string }) => name)).toEqual([
      'Paying customers',
      'Newsletter readers',
      'Beta testers',
    ]);
    expect(cohorts[2].count).toBe(25);
    const insights = (await get('insights/')).body;
    expect(insights.count).toBe(12);
    const kinds = new Set(
      insights.results.map(({ query }: { query: { source: { kind: string } } }) => query.source.kind),
    );
    expect([...kinds].sort()).toEqual([
      'FunnelsQuery',
      'HogQLQuery',
      'LifecycleQuery',
      'RetentionQuery',
      'StickinessQuery',
      'TrendsQuery',
    ]);
    expect((await get('insights/?created_by=2')).body.count).toBe(5);
    expect((await get('insights/activity/')).body.total_count).toBe(12);
    expect((await get('persons/activity/')).body).toMatchObject({ total_count: 3 });
    expect((await get('/api/projects/1/')).body.name).toBe('Sandbox shop');
  });

  it.each(['specification', 'live'] as const)(
    'has a result for every insight, %s dialect',
    async (dialect) => {
      const { get } = await openSandbox({ data: 'sample', now: undefined, dialect });
      const { results } = (await get('insights/?refresh=blocking')).body;
      for (const { name, result, query_status } of results) {
        expect(query_status, name).toBeNull();
        const figures = JSON.stringify(result).match(/"(?:count|data|aggregated_value|bins)":[^"]*[1-9]/g);
        expect(name === 'Best sellers' ? result : figures, name).not.toHaveLength(0);
        expect(figures === null && name !== 'Best sellers', name).toBe(false);
      }
      expect(results).toHaveLength(12);
    },
  );
});
