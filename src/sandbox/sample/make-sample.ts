import type { Moment } from '../clock.ts';
import type { Content, NewChange, NewCohort } from '../content.ts';
import { makeInsights, SHOP_DASHBOARD } from './insights.ts';
import { makePeople, type Shopper } from './people.ts';
import { startDraw } from './random.ts';
import { makeVisits } from './visits.ts';

const SEED = 20_260_617;
const BETA_TESTERS = 25;
const CHANGES = 3;
const DAY = 86_400_000_000n;

/** A small online shop: about a thousand people and forty thousand events in the sixty days before `now`. */
export function makeSample(now: Moment): Content {
  const draw = startDraw(SEED);
  const persons = makePeople(draw, now);
  return {
    project: { name: 'Sandbox shop', timezone: 'UTC' },
    persons,
    events: makeVisits(draw, persons, now),
    cohorts: makeCohorts(persons),
    changes: makeChanges(persons, now),
    insights: makeInsights(now),
    dashboards: [{ id: SHOP_DASHBOARD, name: 'Shop', filters: { date_from: '-14d' } }],
  };
}

/** A few shoppers changed their plan in the last days, one a day. */
function makeChanges(persons: readonly Shopper[], now: Moment): readonly NewChange[] {
  const customers = persons.filter(({ plan, createdAt }) => plan === 'pro' && createdAt < now - 30n * DAY);
  return customers.slice(0, CHANGES).map(({ distinctIds }, index) => ({
    distinctId: distinctIds[0] ?? '',
    set: { plan: 'enterprise' },
    at: now - BigInt(CHANGES - index) * DAY,
  }));
}

function makeCohorts(persons: readonly Shopper[]): readonly NewCohort[] {
  const everyFortieth = persons.filter((_, index) => index % 40 === 0).slice(0, BETA_TESTERS);
  return [
    {
      id: 1n,
      name: 'Paying customers',
      definition: [{ key: 'plan', value: ['pro', 'enterprise'], operator: 'exact', type: 'person' }],
      distinctIds: [],
    },
    {
      id: 2n,
      name: 'Newsletter readers',
      definition: [{ key: 'newsletter', value: 'true', operator: 'exact', type: 'person' }],
      distinctIds: [],
    },
    {
      id: 3n,
      name: 'Beta testers',
      definition: null,
      distinctIds: everyFortieth.map(({ distinctIds }) => distinctIds[0] ?? ''),
    },
  ];
}
