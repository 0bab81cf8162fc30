import type { Moment } from '../clock.ts';
import type { NewPerson } from '../content.ts';
import { uuidOf } from '../identifiers.ts';
import type { Draw } from './random.ts';

const PEOPLE = 1000;

const DAY = 86_400_000_000n;
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
export function makePeople(draw: Draw, now: Moment): readonly Shopper[] {
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
