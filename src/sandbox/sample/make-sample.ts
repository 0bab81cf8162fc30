import { asObject, type Json } from '../../json/kinds.ts';
import { parseJson, writeJson } from '../../json/text.ts';
import { setProperties } from '../handlers/change-persons.ts';
import { type Moment, uuidOf } from '../operator.ts';
import { insertDashboard } from '../store/insights.ts';
import type { Store } from '../store/open-store.ts';
import type { StoredPerson } from '../store/persons.ts';
import { takeNumbers, writeState } from '../store/state.ts';
import { insertSampleInsights, SHOP_DASHBOARD } from './insights.ts';

const SEED = 20_260_617;

const CHANGES = 3;

const DAY = 86_400_000_000n;

export type Sample = Readonly<ReturnType<typeof makeSample>>;

/** A small online shop: a thousand people and about forty thousand events in sixty days. */
export function makeSample(now: Moment) {
  const draw = startDraw(SEED);
  const shoppers = Array.from({ length: PEOPLE }, (_, index) => makeShopper(draw, index, now));
  return { now, shoppers, visits: makeVisits(draw, shoppers, now) };
}

/** Fills an empty store. In it no number, UUID or distinct id is taken, so nothing is looked up. */
export async function insertSample(store: Store, { now, shoppers, visits }: Sample): Promise<void> {
  const project = { name: 'Sandbox shop', timezone: 'UTC', variables: [COUNTRY], actions: ACTIONS };
  await writeState(store, { seed: 'sample', now, firstNow: now, project });
  await takeNumbers(store, 'person', PEOPLE);
  await store.append(
    'persons',
    shoppers.map(({ id, uuid, text, createdAt }) => [id, uuid, text, createdAt, true]),
  );
  await store.append(
    'distinct_ids',
    shoppers.flatMap(({ id, distinctIds }) =>
      distinctIds.map((distinctId, place) => [distinctId, id, place]),
    ),
  );
  await insertCohorts(store, shoppers);
  await insertDashboard(store, SHOP_DASHBOARD, { name: 'Shop', filters: { date_from: '-14d' } });
  await insertVisits(store, visits, now);
  await changePlans(store, shoppers, now);
  await insertSampleInsights(store, now);
}

/** A variable that SQL of the project can name. */
const COUNTRY = {
  id: uuidOf('variable', 1n),
  name: 'Country',
  code_name: 'country',
  type: 'String',
  default_value: 'DE',
};

const ACTIONS = [
  { id: 1, name: 'Bought something', steps: [{ event: 'order_completed' }] },
  { id: 2, name: 'Asked for help', steps: [{ event: 'support_contacted' }] },
];

/** A few shoppers changed their plan in the last days, one a day. */
async function changePlans(store: Store, shoppers: readonly Shopper[], now: Moment): Promise<void> {
  const customers = shoppers.filter(({ plan, createdAt }) => plan === 'pro' && createdAt < now - 30n * DAY);
  const set = { plan: 'enterprise' };
  await setProperties(
    store,
    customers.slice(0, CHANGES).map((shopper, index) => ({
      person: { ...shopper, properties: asObject(parseJson(shopper.text)) ?? {} },
      set,
      now: now - BigInt(CHANGES - index) * DAY,
    })),
  );
}

async function insertCohorts(store: Store, shoppers: readonly Shopper[]): Promise<void> {
  const filter = (key: string, value: Json) => writeJson([{ key, value, operator: 'exact', type: 'person' }]);
  await store.append('cohorts', [
    [1, 'Paying customers', filter('plan', ['pro', 'enterprise'])],
    [2, 'Newsletter readers', filter('newsletter', 'true')],
    [3, 'Beta testers', null],
  ]);
  const everyFortieth = shoppers.filter((_, index) => index % 40 === 0);
  await store.append(
    'cohort_persons',
    everyFortieth.map(({ id }) => [3, id]),
  );
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

/** One shopper, with what the visits depend on. */
type Shopper = Omit<StoredPerson, 'properties'> & {
  /** The properties. */
  readonly text: string;
  readonly plan: string;
  readonly browser: string;
};

/** The first is Ana Berg. */
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
  const id = BigInt(index + 1);
  return {
    id,
    uuid: uuidOf('person', id),
    distinctIds: draw.percent(60) ? [name, uuidOf('device', BigInt(index))] : [name],
    text: `{${properties.join(',')}}`,
    createdAt: now - age,
    isIdentified: true,
    plan,
    browser,
  };
}

const DAYS = 60;

const SECONDS_PER_DAY = 86_400;

/**
 * What can happen in a visit: an event and its own properties, as JSON without braces. A visit names them by their place
 * here, since the same few things happen forty thousand times.
 */
const KINDS: { readonly event: string; readonly fields: string }[] = [];

const kind = (event: string, fields: string) => KINDS.push({ event, fields }) - 1;

const signUp = (source: string) => kind('signed_up', `"source":"${source}"`);

const pageview = (path: string) => kind('$pageview', `"$current_url":"https://shop.example.org/${path}"`);

const question = (channel: string) => kind('support_contacted', `"channel":"${channel}"`);

const product = (name: string, category: string, price: string) => {
  const item = `"product":"${name}","category":"${category}","price":${price}`;
  const order = (quantity: number, coupon = '') => {
    const revenue = (Number(price) * quantity).toFixed(2);
    const fields = `"revenue":${revenue},"quantity":${quantity},"category":"${category}"${coupon}`;
    return kind('order_completed', fields);
  };
  const basket = (quantity: number) => ({
    added: kind('added_to_basket', `${item},"quantity":${quantity}`),
    checkout: kind('checkout_started', `"quantity":${quantity}`),
    order: order(quantity),
    cheaper: [order(quantity, ',"coupon":"SPRING"'), order(quantity, ',"coupon":"WELCOME"')] as const,
  });
  const baskets = [basket(1), basket(2), basket(3)] as const;
  return { page: pageview(category), view: kind('product_viewed', item), baskets };
};

const SIGN_UPS = [signUp('search'), signUp('friend'), signUp('advertisement'), signUp('newsletter')] as const;

const HOME_PAGE = pageview('');

const QUESTIONS = [question('chat'), question('mail'), question('phone')] as const;

const PRODUCTS = [
  product('Linen shirt', 'clothing', '39.90'),
  product('Wool scarf', 'clothing', '24.50'),
  product('Rain jacket', 'clothing', '89.00'),
  product('Espresso cups', 'kitchen', '18.00'),
  product('Cast iron pan', 'kitchen', '64.90'),
  product('Bread knife', 'kitchen', '32.00'),
  product('Desk lamp', 'home', '49.00'),
  product('Cork board', 'home', '15.90'),
  product('Notebook', 'paper', '7.50'),
] as const;

/** The events of all visits, each as one number of its second, shopper and kind: numbers load much faster than texts. */
function makeVisits(draw: Draw, shoppers: readonly Shopper[], now: Moment): readonly number[] {
  const begin = now - BigInt(DAYS * SECONDS_PER_DAY) * SECOND;
  const visits: number[] = [];
  for (const [index, shopper] of shoppers.entries()) {
    const add = (kindNumber: number, second: number) => {
      if (second > DAYS * SECONDS_PER_DAY) return;
      visits.push((second * PEOPLE + index) * KINDS.length + kindNumber);
    };
    addVisits(add, draw, { shopper, created: Number((shopper.createdAt - begin) / SECOND) });
  }
  return visits;
}

/** The first shopper has the number 1. A place in a list is found faster than a row of a join. */
async function insertVisits(store: Store, visits: readonly number[], now: Moment): Promise<void> {
  const first = await takeNumbers(store, 'event', visits.length);
  const kinds = { event: KINDS.map(({ event }) => event), fields: KINDS.map(({ fields }) => fields) };
  await store.run('create temp table visits (visit double)');
  await store.appendNumbers('visits', visits);
  await store.run(
    `insert into store.events
     select $1 - 1 + v.place, k.kinds.event[v.kind], p.distinct_id[v.shopper], v.shopper,
       make_timestamp($2::bigint) - to_seconds($3 - v.second),
       make_timestamp($2::bigint) - to_seconds($3 - v.second),
       '{' || k.kinds.fields[v.kind] || p.fields[v.shopper] || '}'
     from (select row_number() over (order by moment, rowid) as place, kind, moment % $5 + 1 as shopper,
       moment // $5 as second from (select rowid, visit::bigint // $4 as moment, visit::bigint % $4 + 1 as kind
       from visits)) v,
     (select from_json($6, '{"event":["VARCHAR"],"fields":["VARCHAR"]}') as kinds) k,
     (select list(d.distinct_id order by p.id) as distinct_id, list(concat(',"$browser":',
       json_extract(properties, '/$browser'), ',"country":', json_extract(properties, '/country')) order by p.id) as fields
       from store.persons p join store.distinct_ids d on d.person_id = p.id and d.place = 0) p`,
    [first, now, DAYS * SECONDS_PER_DAY, KINDS.length, PEOPLE, writeJson(kinds)],
  );
  await store.run('drop table visits');
}

type Add = (kindNumber: number, second: number) => void;

function addVisits(
  add: Add,
  draw: Draw,
  { shopper, created }: { readonly shopper: Shopper; readonly created: number },
): void {
  const first = Math.max(0, created);
  if (created > 0) add(draw.from(SIGN_UPS), created);
  const span = DAYS * SECONDS_PER_DAY - first;
  // Some come once and never again, some nearly every day.
  const keenness = draw.number() ** 2;
  const visits = 1 + Math.floor((span / SECONDS_PER_DAY) * keenness * 0.62);
  for (let visit = 0; visit < visits; visit += 1) {
    let second = first + draw.below(Math.max(1, span));
    addVisit(draw, shopper, (kindNumber) => {
      add(kindNumber, second);
      second += 5 + draw.below(180);
    });
  }
}

/** One way through the shop: pages, products, the basket, the checkout, an order; most end before the order. */
function addVisit(draw: Draw, { plan, browser }: Shopper, add: (kindNumber: number) => void): void {
  const { page, view, baskets } = draw.from(PRODUCTS);
  const isPaying = plan !== 'free';
  add(HOME_PAGE);
  for (let seen = draw.below(3); seen >= 0; seen -= 1) add(page);
  add(view);
  if (draw.percent(4)) add(draw.from(QUESTIONS));
  if (!draw.percent(isPaying ? 55 : 38)) return;
  const basket = draw.from(baskets);
  add(basket.added);
  if (!draw.percent(isPaying ? 70 : 52)) return;
  add(basket.checkout);
  if (!draw.percent(browser === 'Safari' ? 60 : 78)) return;
  add(draw.percent(15) ? draw.from(basket.cheaper) : basket.order);
}

/** Numbers that look random and are the same each time: what the sample is drawn from. */
type Draw = {
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
