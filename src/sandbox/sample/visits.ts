import type { Moment } from '../clock.ts';
import type { NewEvent } from '../content.ts';
import type { Shopper } from './people.ts';
import type { Draw } from './random.ts';

const DAYS = 60;
const DAY = 86_400_000_000n;
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

/** The visits of all shoppers in the sixty days before `now`, oldest event first. */
export function makeVisits(draw: Draw, shoppers: readonly Shopper[], now: Moment): readonly NewEvent[] {
  const events = shoppers.flatMap((shopper) => visitsOf(draw, shopper, now));
  return events.sort((one, other) =>
    one.timestamp < other.timestamp ? -1 : Number(one.timestamp > other.timestamp),
  );
}

function visitsOf(draw: Draw, shopper: Shopper, now: Moment): readonly NewEvent[] {
  const events: NewEvent[] = [];
  const begin = now - BigInt(DAYS) * DAY;
  const isNew = shopper.createdAt > begin;
  if (isNew) events.push(...signUp(draw, shopper, now));
  const first = isNew ? shopper.createdAt : begin;
  const span = Number((now - first) / SECOND);
  // Some come once and never again, some nearly every day.
  const keenness = draw.number() ** 2;
  const visits = 1 + Math.floor((span / 86_400) * keenness * 0.62);
  for (let visit = 0; visit < visits; visit += 1) {
    const start = first + BigInt(draw.below(Math.max(1, span))) * SECOND;
    events.push(...makeVisit(draw, shopper, start).filter(({ timestamp }) => timestamp <= now));
  }
  return events;
}

function signUp(draw: Draw, shopper: Shopper, now: Moment): readonly NewEvent[] {
  const source = draw.from(['search', 'friend', 'advertisement', 'newsletter']);
  if (shopper.createdAt > now) return [];
  return [eventOf(shopper, 'signed_up', shopper.createdAt, `"source":"${source}"`)];
}

/** One way through the shop: pages, products, the basket, the checkout, an order; most end before the order. */
function makeVisit(draw: Draw, shopper: Shopper, start: Moment): readonly NewEvent[] {
  const events: NewEvent[] = [];
  let time = start;
  const add = (event: string, fields: string) => {
    events.push(eventOf(shopper, event, time, fields));
    time += BigInt(5 + draw.below(180)) * SECOND;
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
  if (!draw.percent(isPaying ? 55 : 38)) return events;
  const quantity = 1 + draw.below(3);
  add('added_to_basket', `${item},"quantity":${quantity}`);
  if (!draw.percent(isPaying ? 70 : 52)) return events;
  add('checkout_started', `"quantity":${quantity}`);
  if (!draw.percent(shopper.browser === 'Safari' ? 60 : 78)) return events;
  const revenue = (Number(product.price) * quantity).toFixed(2);
  const coupon = draw.percent(15) ? `,"coupon":"${draw.from(['SPRING', 'WELCOME'])}"` : '';
  add(
    'order_completed',
    `"revenue":${revenue},"quantity":${quantity},"category":"${product.category}"${coupon}`,
  );
  return events;
}

function eventOf(shopper: Shopper, event: string, timestamp: Moment, fields: string): NewEvent {
  return {
    event,
    distinctId: shopper.distinctIds[0] ?? '',
    timestamp,
    properties: `{${fields},"$browser":"${shopper.browser}","country":"${shopper.country}"}`,
  };
}
