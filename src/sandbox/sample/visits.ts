import type { Moment } from '../clock.ts';
import type { NewEvent } from '../content.ts';
import type { Shopper } from './people.ts';
import type { Draw } from './random.ts';

const DAYS = 60;
const DAY = 86_400;
const SECOND = 1_000_000n;

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
export function makeVisits(draw: Draw, shoppers: readonly Shopper[], now: Moment): readonly NewEvent[] {
  const begin = now - BigInt(DAYS * DAY) * SECOND;
  const drafts: Draft[] = [];
  for (const shopper of shoppers) addVisits(drafts, draw, { shopper, begin });
  const past = drafts.filter(({ second }) => second <= DAYS * DAY);
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
  const span = DAYS * DAY - first;
  // Some come once and never again, some nearly every day.
  const keenness = draw.number() ** 2;
  const visits = 1 + Math.floor((span / DAY) * keenness * 0.62);
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
