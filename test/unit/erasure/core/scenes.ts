/** The small worlds, and where their explorations start: the later starts lead to what is many steps away. */
import { type Line, type Scene, uuidOf } from './world.ts';

const A = { ids: ['a1', 'a2'] };
const B = { ids: ['b1'] };
const C = { ids: ['c1'] };

type Words = Partial<Omit<Scene, 'named'>> & { readonly named?: readonly (string | Line)[] };

function scene(name: string, { named = ['a1'], ...more }: Words): Scene {
  const lines = named.map((one) => (typeof one === 'string' ? { line: one, ids: [one] } : one));
  return {
    name,
    people: [A, B],
    named: lines,
    batches: [[...new Set(lines.flatMap(({ ids }) => ids))]],
    odd: [],
    options: {},
    excepted: [],
    hasSql: true,
    isSqlLate: false,
    skew: 0,
    most: 9,
    unit: 1,
    isOneByOne: false,
    ...more,
  };
}

const events = { events: true };

export const scenes: readonly Scene[] = [
  scene('one of two people', {}),
  scene('the younger of two', { named: ['b1'] }),
  scene('one, by UUID', { named: [uuidOf('a1')] }),
  scene('one, by two ids', { named: ['a1', 'a2'] }),
  scene('both', { named: ['a1', 'b1'] }),
  scene('one, and the other is excepted', { excepted: ['b1'] }),
  scene('one, and somebody with two ids is excepted', { named: ['b1'], excepted: ['a1'] }),
  scene('one, and an id of nobody', { named: ['a1', 'x1'] }),
  scene('one of two, list only', { hasSql: false }),
  scene('both, list only', { named: ['a1', 'b1'], hasSql: false }),
  scene("one, the service's clock behind", { skew: -4 }),
  scene("one, the service's clock ahead", { skew: 4 }),
  scene('an address of both', { named: [{ line: 'mail', ids: [uuidOf('a1'), uuidOf('b1')] }] }),
  scene('one, and SQL answers later', { isSqlLate: true }),
  scene('one in two batches', { named: ['a1', 'a2'], batches: [['a1'], ['a2']] }),
  scene('an odd line', { odd: ['#N/A'] }),
  scene('one with events', { options: events }),
  scene('one with events, list only', { options: events, hasSql: false }),
  scene('events of one, who stays', { options: { events: true, keep: true } }),
  scene('one with recordings, list only', { options: { recordings: true }, hasSql: false }),
  scene("one with events, the service's clock behind", { options: events, skew: -4 }),
  scene('both, in two batches', { named: ['a1', 'b1'], batches: [['a1'], ['b1']] }),
  scene('an address of both, in two batches', {
    named: [{ line: 'mail', ids: ['a1', 'b1'] }],
    batches: [['a1'], ['b1']],
    hasSql: false,
  }),
  scene('one look-up for each person', { isOneByOne: true }),
  scene('one look-up for each person, list only', { isOneByOne: true, hasSql: false, named: ['a1', 'b1'] }),
  scene('more ids than the list shows', { most: 1 }),
  scene('more ids than the list shows, list only', { most: 1, hasSql: false }),
  scene('more ids than the list shows, and an exception', { most: 1, excepted: ['b1'] }),
  scene('more ids than the list shows, and an exception, list only', {
    most: 1,
    excepted: ['b1'],
    hasSql: false,
  }),
  scene('the id is not among those that the list shows', {
    people: [A, { ids: ['b1', 'b2'] }],
    named: ['a2'],
    most: 1,
  }),
  scene('the service tells no time', { skew: undefined }),
  scene('one with events, the service tells no time', { skew: undefined, options: events }),
  scene('whole seconds', { unit: 1000, named: ['b1'] }),
  scene('no dates of persons', { unit: undefined }),
  scene('an id of nobody', { named: ['x1'] }),
  scene('an id of nobody, ignored', { named: ['x1'], options: { ignoreMissing: true } }),
  scene('one with events, and an id of nobody', { named: ['a1', 'x1'], options: events }),
];

/** Only for walks: too many people to try all. */
export const larger: readonly Scene[] = [
  scene('two of three people', { people: [A, B, C], named: ['a1', 'c1'] }),
  scene('three people in two batches', {
    people: [A, B, C],
    named: ['a1', 'b1', 'c1'],
    batches: [['a1', 'b1'], ['c1']],
    options: events,
  }),
];

export type Start = {
  readonly name: string;
  readonly labels: readonly RegExp[];
  readonly isFor?: (one: Scene) => boolean;
};

const agreed = [/^plan: list answers, (sql answers|no sql)$/, /^agreed to [012]$/];
const is = (name: string) => (one: Scene) => one.name === name;
const hasKept = ({ options, hasSql }: Scene) => options.keep === true && hasSql;
/** The core refuses a person in two batches. */
const isAgreeable = ({ name }: Scene) => name !== 'one in two batches';

/** The list shows whoever is there with a date. */
export const isFindable = (one: Scene) => one.unit !== undefined && isAgreeable(one);

/** Somebody is there, and may be sent. */
export const isSendable = (one: Scene) => isFindable(one) && one.named.some(({ line }) => line !== 'x1');

/** And at once: the plan has shown all ids where some are excepted. */
const isSendableAtOnce = (one: Scene) =>
  isSendable(one) && (one.most > 1 || one.hasSql || one.excepted.length === 0);

export const starts: readonly Start[] = [
  { name: 'from the start', labels: [] },
  { name: 'agreed', labels: agreed, isFor: isAgreeable },
  {
    name: 'a call lost',
    labels: [...agreed, /call: lost on the way there$/],
    isFor: isSendableAtOnce,
  },
  {
    name: 'lost, merged and seen',
    labels: [
      ...agreed,
      /call: lost on the way there$/,
      /^U:a1 is merged into U:b1$/,
      /^list answers$/,
      /^sql answers$/,
    ],
    isFor: ({ name }) => name === 'one of two people' || name === "one, the service's clock behind",
  },
  {
    name: 'only SQL shows',
    labels: [/^plan: list leaves U:a1 out, sql answers$/, /^agreed/, /^U:a1 is deleted by others$/],
    isFor: is('one of two people'),
  },
  {
    name: 'queued, merged and split off',
    labels: [...agreed, /call: queued$/, /^U:b1 is merged into U:a1$/, /^b1 is split off U:a1$/],
    isFor: is('one, and somebody with two ids is excepted'),
  },
  {
    name: 'signed up again, and merged with somebody older',
    labels: [
      ...agreed,
      /^U:b1 is deleted by others$/,
      /^somebody signs up as b1$/,
      /^U:a1 is merged into U:b1$/,
      /^time passes$/,
      /^list answers$/,
    ],
    isFor: is('the younger of two'),
  },
  {
    name: 'the planned id left, and is free',
    labels: [
      ...agreed,
      /^U:a1 is merged into U:b1$/,
      /^b1 is split off U:b1$/,
      /^V:b1:\d+ is deleted by others$/,
    ],
    isFor: is('the younger of two'),
  },
  {
    name: 'merged, seen, and split off under another UUID',
    labels: [
      /^a1 is split off U:a1$/,
      ...agreed,
      /^U:a1 is merged into U:b1$/,
      /^list answers$/,
      /^sql answers$/,
      /^time passes$/,
      /^a2 is split off U:b1$/,
    ],
    isFor: is('one, by UUID'),
  },
  {
    name: 'an excepted id changed hands',
    labels: [
      ...agreed,
      /^a2 is split off U:a1$/,
      /^U:a2 is merged into U:b1$/,
      /^time passes$/,
      /^list answers$/,
    ],
    isFor: is('one, and somebody with two ids is excepted'),
  },
  {
    name: 'events worked off, looked at again',
    labels: [
      ...agreed,
      /call: no figures$/,
      /^events are worked off$/,
      /^a client sends as a1$/,
      /^list answers$/,
    ],
    isFor: hasKept,
  },
  {
    name: 'events worked off, in the midst of a second',
    labels: [
      ...agreed,
      /^a client sends as a1$/,
      /^a client sends as a1$/,
      /call: no figures$/,
      /^events are worked off$/,
      /^list answers$/,
    ],
    isFor: hasKept,
  },
  {
    name: 'events worked off, proven, looked at again',
    labels: [
      ...agreed,
      /call: no figures$/,
      /^events are worked off$/,
      /^status answers$/,
      /^time passes$/,
      /^a client sends as a1$/,
      /^time passes$/,
      /^list answers$/,
    ],
    isFor: hasKept,
  },
  {
    name: 'events of an id that had left',
    labels: [
      ...agreed,
      /^a2 is split off U:a1$/,
      /^time passes$/,
      /^list answers$/,
      /call: deleted$/,
      /^U:a2 is deleted by others$/,
      /^events are worked off$/,
    ],
    isFor: is('one with events'),
  },
  {
    name: 'split before the plan',
    labels: [/^a1 is split off U:a1$/],
    isFor: is('one of two people'),
  },
  {
    name: 'split off somebody excepted, whose ids are not all shown',
    labels: [/^U:a1 is merged into U:b1$/, /^a1 is split off U:b1$/],
    isFor: ({ name }) => name.includes('and an exception'),
  },
  {
    name: 'SQL does not know of one yet',
    labels: [/^somebody signs up as x1$/, /^plan: list answers, sql lags$/, /^agreed to 1$/],
    isFor: is('an id of nobody'),
  },
  {
    name: 'signed up again',
    labels: [...agreed, /^U:a1 is deleted by others$/, /^somebody signs up as a1$/],
    isFor: is('one of two people'),
  },
  {
    name: 'only SQL shows, and the id is free',
    labels: [
      /^plan: list leaves U:a1 out, sql answers$/,
      /^agreed/,
      /^a1 is split off U:a1$/,
      /^V:a1:\d+ is deleted by others$/,
    ],
    isFor: is('one of two people'),
  },
  {
    name: 'an excepted id that only SQL showed changed hands',
    labels: [
      /^plan: list leaves U:a1 out, sql answers$/,
      /^agreed/,
      /^a2 is split off U:a1$/,
      /^U:a2 is merged into U:b1$/,
      /^time passes$/,
      /^list answers$/,
    ],
    isFor: is('one, and somebody with two ids is excepted'),
  },
  {
    name: 'an excepted person is merged into the planned one, and time passes',
    labels: [...agreed, /^U:b1 is merged into U:a1$/, /^time passes$/],
    isFor: is('one, and the other is excepted'),
  },
  {
    name: 'queued, and a day has passed',
    labels: [...agreed, /call: (queued|taken without a word, to be done later)$/, /^a day passes$/],
    isFor: ({ name }) =>
      name === 'one of two people' ||
      name === 'one look-up for each person' ||
      name.includes('both, in two batches'),
  },
  {
    name: 'an excepted person is merged into the planned one',
    labels: [...agreed, /^U:b1 is merged into U:a1$/, /^time passes$/, /^list answers$/],
    isFor: ({ name, hasSql }) => name.includes('and an exception') && !hasSql,
  },
];
