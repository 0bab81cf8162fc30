import type { Content, NewChange, NewCohort, NewEvent, NewPerson } from '../content.ts';
import { type Moment, uuidOf } from '../operator.ts';
import { makeInsights, SHOP_DASHBOARD } from './insights.ts';

const SEED = 20_260_617;

const BETA_TESTERS = 25;

const CHANGES = 3;

const DAY = 86_400_000_000n;

/** A small online shop: about a thousand people and forty thousand events in the sixty days before `now`. */
export function makeSample(now: Moment): Content {
  const draw = startDraw(SEED);
  const persons = makePeople(draw, now);
  return {
    project: { name: 'Sandbox shop', timezone: 'UTC', variables: [COUNTRY] },
    persons,
    events: makeVisits(draw, persons, now),
    cohorts: makeCohorts(persons),
    changes: makeChanges(persons, now),
    insights: makeInsights(now),
    dashboards: [{ id: SHOP_DASHBOARD, name: 'Shop', filters: { date_from: '-14d' } }],
  };
}

/** A variable that SQL of the project can name. */
const COUNTRY = {
  id: uuidOf('variable', 1n),
  name: 'Country',
  code_name: 'country',
  type: 'String',
  default_value: 'DE',
};

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

const PEOPLE = 1000;

const SECOND = 1_000_000n;

const FIRST =
  `Ana Ben Carla David Elif Farid Greta Hugo Ines Jonas Kira Luis Mara Nils Olga Pablo Qiu Rosa Samir Tara
  Umar Vera Wim Xenia Yara Zoe Amir Bella Chen Dina Emil Fatima Goran Hana Ivan Jana Karim Lena Milan Nora`.split(
    /\s+/,
  );

const LAST =
  `Berg Costa Dahl Evans Fischer Garcia Haddad Ito Jansen Kowalski Larsen Meyer Novak Olsen Petrov Quist
  Rossi Silva Tanaka Ueda Vargas Weber Xu Yilmaz Zimmer Adler Brandt Cohen Diaz Eriksen Fontana Gruber Hansen Ivanov
  Jovic Klein Lopez Moreau Nguyen Okafor Park Ramos Santos Torres Urban Vogel Wagner Yamada Zhang Abebe`.split(
    /\s+/,
  );

/** One shopper, with what the sample's events need to know. */
export type Shopper = NewPerson & {
  readonly plan: string;
  readonly browser: string;
  readonly country: string;
};

/** The shop's customers; the first is Ana Berg. */
function makePeople(draw: Draw, now: Moment): readonly Shopper[] {
  return Array.from({ length: PEOPLE }, (_, index) => makeShopper(draw, index, now));
}

function makeShopper(draw: Draw, index: number, now: Moment): Shopper {
  const first = FIRST[index % FIRST.length] ?? '';
  // With 40 first and 50 last names, this pairs each first name with each last name once before any repeats.
  const last = LAST[(index * 7 + Math.floor(index / FIRST.length)) % LAST.length] ?? '';
  const plan = draw.from(['free', 'free', 'free', 'free', 'free', 'free', 'pro', 'pro', 'pro', 'enterprise']);
  const country = draw.from(['DE', 'DE', 'DE', 'FR', 'FR', 'PL', 'ES', 'IT', 'NL', 'US']);
  const browser = draw.from(['Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox', 'Edge']);
  const isOld = draw.percent(30);
  const age =
    BigInt(isOld ? 60 + draw.below(340) : draw.below(60)) * DAY + BigInt(draw.below(86_400)) * SECOND;
  const properties = [
    `"name":"${first} ${last}"`,
    `"email":"${first}.${last}@example.org"`.toLowerCase(),
    `"plan":"${plan}"`,
    `"country":"${country}"`,
    `"$browser":"${browser}"`,
    `"$os":"${draw.from(['Windows', 'Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'])}"`,
    `"newsletter":${draw.percent(40)}`,
    // One decimal and nineteen digits: figures that a careless reader would change.
    `"rating":${(1 + draw.below(9) / 2).toFixed(1)}`,
    ...(plan === 'enterprise' || index === 0
      ? [`"customer_number":${1_524_831_183_200_260_097n + BigInt(index)}`]
      : []),
  ];
  const name = `shopper-${String(index + 1).padStart(4, '0')}`;
  return {
    distinctIds: draw.percent(60) ? [name, uuidOf('device', BigInt(index))] : [name],
    properties: `{${properties.join(',')}}`,
    createdAt: now - age,
    isIdentified: true,
    plan,
    browser,
    country,
  };
}

const DAYS = 60;

const SECONDS_PER_DAY = 86_400;

const PRODUCTS = [
  { name: 'Linen shirt', category: 'clothing', price: '39.90' },
  { name: 'Wool scarf', category: 'clothing', price: '24.50' },
  { name: 'Rain jacket', category: 'clothing', price: '89.00' },
  { name: 'Espresso cups', category: 'kitchen', price: '18.00' },
  { name: 'Cast iron pan', category: 'kitchen', price: '64.90' },
  { name: 'Bread knife', category: 'kitchen', price: '32.00' },
  { name: 'Desk lamp', category: 'home', price: '49.00' },
  { name: 'Cork board', category: 'home', price: '15.90' },
  { name: 'Notebook', category: 'paper', price: '7.50' },
] as const;

/** An event with its time in seconds since the beginning of the sixty days: plain numbers sort much faster. */
type Draft = {
  readonly shopper: Shopper;
  readonly event: string;
  readonly second: number;
  /** The event's own properties, as JSON without its braces. */
  readonly fields: string;
};

/** The visits of all shoppers in the sixty days before `now`, oldest event first. */
function makeVisits(draw: Draw, shoppers: readonly Shopper[], now: Moment): readonly NewEvent[] {
  const begin = now - BigInt(DAYS * SECONDS_PER_DAY) * SECOND;
  const drafts: Draft[] = [];
  for (const shopper of shoppers) addVisits(drafts, draw, { shopper, begin });
  const past = drafts.filter(({ second }) => second <= DAYS * SECONDS_PER_DAY);
  return past.sort((one, other) => one.second - other.second).map((draft) => toEvent(draft, begin));
}

function toEvent({ shopper, event, second, fields }: Draft, begin: Moment): NewEvent {
  return {
    event,
    distinctId: shopper.distinctIds[0] ?? '',
    timestamp: begin + BigInt(second) * SECOND,
    properties: `{${fields},"$browser":"${shopper.browser}","country":"${shopper.country}"}`,
  };
}

function addVisits(
  drafts: Draft[],
  draw: Draw,
  { shopper, begin }: { readonly shopper: Shopper; readonly begin: Moment },
): void {
  const created = Number((shopper.createdAt - begin) / SECOND);
  const first = Math.max(0, created);
  if (created > 0) {
    const source = draw.from(['search', 'friend', 'advertisement', 'newsletter']);
    drafts.push({ shopper, event: 'signed_up', second: created, fields: `"source":"${source}"` });
  }
  const span = DAYS * SECONDS_PER_DAY - first;
  // Some come once and never again, some nearly every day.
  const keenness = draw.number() ** 2;
  const visits = 1 + Math.floor((span / SECONDS_PER_DAY) * keenness * 0.62);
  for (let visit = 0; visit < visits; visit += 1) {
    addVisit(drafts, draw, { shopper, start: first + draw.below(Math.max(1, span)) });
  }
}

/** One way through the shop: pages, products, the basket, the checkout, an order; most end before the order. */
function addVisit(
  drafts: Draft[],
  draw: Draw,
  { shopper, start }: { readonly shopper: Shopper; readonly start: number },
): void {
  let second = start;
  const add = (event: string, fields: string) => {
    drafts.push({ shopper, event, second, fields });
    second += 5 + draw.below(180);
  };
  const product = draw.from(PRODUCTS);
  const item = `"product":"${product.name}","category":"${product.category}","price":${product.price}`;
  const isPaying = shopper.plan !== 'free';
  add('$pageview', '"$current_url":"https://shop.example.org/"');
  for (let seen = draw.below(3); seen >= 0; seen -= 1) {
    add('$pageview', `"$current_url":"https://shop.example.org/${product.category}"`);
  }
  add('product_viewed', item);
  if (draw.percent(4)) add('support_contacted', `"channel":"${draw.from(['chat', 'mail', 'phone'])}"`);
  if (!draw.percent(isPaying ? 55 : 38)) return;
  const quantity = 1 + draw.below(3);
  add('added_to_basket', `${item},"quantity":${quantity}`);
  if (!draw.percent(isPaying ? 70 : 52)) return;
  add('checkout_started', `"quantity":${quantity}`);
  if (!draw.percent(shopper.browser === 'Safari' ? 60 : 78)) return;
  const revenue = (Number(product.price) * quantity).toFixed(2);
  const coupon = draw.percent(15) ? `,"coupon":"${draw.from(['SPRING', 'WELCOME'])}"` : '';
  add(
    'order_completed',
    `"revenue":${revenue},"quantity":${quantity},"category":"${product.category}"${coupon}`,
  );
}

/** Numbers that look random and are the same each time: what the sample is drawn from. */
export type Draw = {
  /** From 0 to below 1. */
  readonly number: () => number;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  /** True in so many of a hundred cases. */
  readonly percent: (chance: number) => boolean;
  readonly from: <const List extends readonly [unknown, ...unknown[]]>(list: List) => List[number];
};

/** Starts a sequence; the same seed gives the same numbers. */
function startDraw(seed: number): Draw {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(number() * limit);
  return {
    number,
    below,
    percent: (chance) => number() * 100 < chance,
    from: (list) => list[below(list.length)] ?? list[0],
  };
}
