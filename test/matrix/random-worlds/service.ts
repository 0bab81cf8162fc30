import { idsOf } from '../../support/bulk-deletions.ts';
import type { Received, StubAnswer } from '../../support/stub-server.ts';
import { conditionOf } from '../../support/two-stores.ts';
import { BYSTANDER, type Chance, type Profile, type World } from './world.ts';

/** A person as the service last showed one truly in this session, and as it was then. */
type Look = { readonly serial: number; readonly created: number; readonly ids: readonly string[] };

/** What the service did and said, by which the program is judged. */
export type Ledger = {
  /** Persons who were in a call that was carried out, with the last true look at them in that session. */
  readonly hit: { readonly profile: Profile; readonly look: Look | undefined }[];
  /** The ids of whom an answer said that they are done, or whose call was taken without a word. */
  readonly claimed: Set<string>;
  /** Whom true answers showed behind an id that was asked about, until the first call. */
  readonly shown: {
    readonly id: string;
    readonly profile: Profile;
    readonly created: number;
    readonly data: Profile['data'];
  }[];
  calls: number;
};

export type Setting = {
  readonly isLive: boolean;
  readonly hasSql: boolean;
  readonly hasDate: boolean;
  /** By how much a proxy's clock is off, which sets the `Date`. */
  readonly skew: number;
  /** Whether their events are to go, too. */
  readonly withEvents: boolean;
  /** Whether the persons themselves stay. */
  readonly keeps: boolean;
  /** Whether people change while the program is at work. */
  readonly isMoving: boolean;
};

const ADDRESSED = /\/persons\/\?.*(?:email|search|properties)=/;

/** The service of a world, which fails in every way there is as long as it is not honest. */
export function createService(world: World, setting: Setting, chance: Chance) {
  const ledger: Ledger = { hit: [], claimed: new Set(), shown: [], calls: 0 };
  const session = new Map<string, Look>();
  const state = { isHonest: false, isPlanned: false, kill: () => {} };
  const clock = () => world.now() + setting.skew;
  const headers = () => (setting.hasDate ? { date: new Date(clock()).toUTCString() } : {});
  const toPerson = (profile: Profile, most = Number.POSITIVE_INFINITY) => ({
    id: profile.serial,
    uuid: profile.uuid,
    created_at: new Date(profile.created).toISOString(),
    distinct_ids: [...profile.data.keys()].slice(0, most),
    properties: { email: profile.email },
  });
  const see = (id: string, profile: Profile | undefined) => {
    if (profile === undefined) return undefined;
    session.set(profile.uuid, {
      serial: profile.serial,
      created: profile.created,
      ids: [...profile.data.keys()],
    });
    if (ledger.calls === 0 && !state.isPlanned)
      ledger.shown.push({ id, profile, created: profile.created, data: new Map(profile.data) });
    return profile;
  };
  const find = (id: string) =>
    world.people().find(({ uuid, serial }) => uuid === id || String(serial) === id) ?? world.holder(id);
  /** One row is left out, of which only SQL tells. */
  const isCut = () => !state.isHonest && setting.hasSql && world.isSynced() && chance.happens(0.01);

  const answers: readonly (readonly [RegExp, (received: Received) => StubAnswer])[] = [
    [
      /\/batch_by_/,
      ({ json }) => {
        // As the program sends it.
        const { distinct_ids: ids = [], uuids = [] } = json as Record<string, readonly string[]>;
        if (!state.isHonest && chance.happens(0.05)) return { json: { results: {} } };
        const results = [...ids, ...uuids].flatMap((id) => {
          const one = isCut() ? undefined : see(id, find(id));
          return one === undefined ? [] : [[id, toPerson(one, 10)] as const];
        });
        return { json: { results: Object.fromEntries(results) } };
      },
    ],
    [
      ADDRESSED,
      (received) => {
        const isMeant = conditionOf(received);
        const results = world.people().filter((one) => isMeant(toPerson(one)) && !isCut());
        const isBlind = !state.isHonest && chance.happens(0.02);
        return {
          json: {
            next: null,
            results: isBlind ? [] : results.map((one) => toPerson(see(one.email, one) ?? one)),
          },
        };
      },
    ],
    [
      /\/persons\/\?limit=10$/,
      () => ({
        json: {
          next: null,
          results: world
            .people()
            .slice(0, 10)
            .map((one) => toPerson(one)),
        },
      }),
    ],
    [
      /\/persons\/\?distinct_id=/,
      ({ url }) => {
        const id = new URL(url, 'http://127.0.0.1').searchParams.get('distinct_id') ?? '';
        const one = id !== BYSTANDER && isCut() ? undefined : see(id, world.holder(id));
        return { json: { next: null, results: one === undefined ? [] : [toPerson(one)] } };
      },
    ],
    [
      /\/persons\/[^/?]+\/$/,
      ({ url }) => {
        const [, id = ''] = /\/persons\/([^/?]+)\/$/.exec(url) ?? [];
        const found = find(id);
        const one = found?.serial !== 1 && isCut() ? undefined : see(id, found);
        return one === undefined ? { status: 404, json: { detail: 'Not found.' } } : { json: toPerson(one) };
      },
    ],
    [
      /\/deletion_status\//,
      () => ({ json: { next: null, count: world.statusRows().length, results: world.statusRows() } }),
    ],
    [/\/query\//, (received) => query(received)],
    [/\/projects\/1\/$/, () => ({ json: { id: 1, name: 'Shop' } })],
  ];

  function query({ json }: Received): StubAnswer {
    if (!setting.hasSql)
      return {
        status: 403,
        json: { code: 'permission_denied', detail: "API key missing required scope 'query:read'" },
      };
    // As the program sends it.
    const { query: text, values = {} } = (
      json as { query: { query: string; values?: Record<string, readonly string[]> } }
    ).query;
    const people = world.shown();
    const row = (rows: readonly unknown[]) => ({ json: { results: rows, columns: [] } });
    const { distinct_ids: ids, uuids = [], addresses } = values;
    if (text.includes('SELECT 1')) return row([[1]]);
    if (text.includes('min(id)')) return row([[people[0]?.uuid ?? null, people.length]]);
    if (addresses !== undefined)
      return row(people.flatMap(({ uuid, email }) => (addresses.includes(email) ? [[uuid, email]] : [])));
    if (text.includes('FROM events')) {
      if (text.includes('max(timestamp)')) return row([]);
      const { moment } = values as { readonly moment?: string };
      const until =
        moment === undefined ? undefined : Date.parse(`${moment.replace(' ', 'T').replace(/Z?$/, 'Z')}`);
      const count = world.countEvents(ids ?? [], uuids, until);
      const later = world.countEvents(ids ?? [], uuids) - count;
      return row([[count, later, Math.floor(world.now() / 1000)]]);
    }
    if (text.includes('created_at'))
      return row(
        people
          .filter(({ uuid }) => uuids.includes(uuid))
          .map(({ uuid, created }) => [
            uuid,
            new Date(created).toISOString().replace('T', ' ').replace('Z', ''),
          ]),
      );
    if (ids !== undefined)
      return row(
        people.flatMap(({ uuid, data }) =>
          [...data.keys()].filter((id) => ids.includes(id)).map((id) => [id, uuid]),
        ),
      );
    return row(
      people.filter(({ uuid }) => uuids.includes(uuid)).map(({ uuid, data }) => [uuid, [...data.keys()]]),
    );
  }

  const apply = (persons: readonly Profile[], isQueued: boolean) => {
    for (const profile of persons) {
      ledger.hit.push({ profile, look: session.get(profile.uuid) });
      if (setting.withEvents) world.queueEvents(profile, new Date(world.now()).toISOString());
      if (setting.keeps) continue;
      if (isQueued) profile.isQueued = true;
      else world.remove(profile);
    }
  };
  const figures = (found: number, deleted: number, more: object = {}) => ({
    persons_found: found,
    persons_deleted: deleted,
    events_queued_for_deletion: setting.withEvents,
    recordings_queued_for_deletion: false,
    deletion_errors: [],
    ...more,
  });

  function erase(received: Received): StubAnswer {
    ledger.calls += 1;
    const [, one] = /\/persons\/([^/?]+)\//.exec(received.url) ?? [];
    const isOne = received.method === 'DELETE';
    const ids = isOne ? [one ?? ''] : idsOf(received);
    const persons = ids.flatMap((id) => find(id) ?? []);
    if (isOne && persons.length === 0) return { status: 404, json: { detail: 'Not found.' } };
    const all = persons.length;
    const claim = () => {
      if (all === ids.length) for (const id of ids) ledger.claimed.add(id);
    };
    const done = (isQueued: boolean): StubAnswer => {
      apply(persons, isQueued);
      claim();
      if (isOne) return { status: 204 };
      const queued = isQueued && !setting.keeps ? { persons_queued_for_deletion: all } : {};
      return { status: 202, json: figures(all, isQueued || setting.keeps ? 0 : all, queued) };
    };
    const half = persons.filter(() => chance.happens(0.5));
    const rest = persons.filter((person) => !half.includes(person));
    const figured: readonly (() => StubAnswer)[] = [
      () => {
        apply(half, false);
        for (const { serial, uuid } of half)
          if (all === ids.length) ledger.claimed.add(uuid).add(String(serial));
        return {
          json: figures(all, half.length, {
            deletion_errors: rest.map(({ uuid }) => ({ person_uuid: uuid, step: 'postgres' })),
          }),
        };
      },
      () => {
        apply(half, false);
        // Of persons who are kept, none is to be counted as deleted.
        if (half.length === (setting.keeps ? 0 : all)) claim();
        return { json: figures(all, half.length) };
      },
      () => {
        apply(half, false);
        return { json: { deletion_errors: [] } };
      },
      () => {
        claim();
        return { json: figures(all, all) };
      },
      () => ({
        json: figures(all, all, {
          deletion_errors: [{ person_uuid: '00000000-0000-4000-8000-999999999999', step: 'x' }],
        }),
      }),
    ];
    const ways: readonly (() => StubAnswer)[] = [
      () => done(false),
      () => done(false),
      () => done(true),
      ...(isOne ? [() => ({ status: 404, json: { detail: 'Not found.' } })] : figured),
      () => {
        apply(half, false);
        for (const id of ids) ledger.claimed.add(id);
        return { status: 204 };
      },
      () => ({ status: 400, json: { detail: 'no' } }),
      () => ({ status: 403, json: { code: 'permission_denied', detail: 'no' } }),
      () => ({ status: 502, body: 'bad gateway' }),
      () => {
        apply(persons, false);
        return { status: 503, json: { detail: 'later' } };
      },
      () => ({ reset: 'before' }),
      () => {
        apply(persons, chance.happens(0.3));
        return { reset: 'after' };
      },
      () => {
        if (chance.happens(0.5)) apply(half, false);
        state.kill();
        return { never: true };
      },
      () => {
        const answer = done(false);
        state.kill();
        return { ...answer, delay: 5 };
      },
    ];
    return state.isHonest ? done(false) : (chance.pick(ways)?.() ?? done(false));
  }

  return {
    ledger,
    answer(received: Received): StubAnswer {
      world.pass(1000);
      if (setting.isMoving && !state.isHonest && chance.happens(0.06)) world.change();
      const isLook = received.method !== 'DELETE' && !received.url.includes('bulk_delete');
      const [, act] = isLook ? (answers.find(([pattern]) => pattern.test(received.url)) ?? []) : [0, erase];
      if (act === undefined) return { status: 599, json: { detail: `nothing answers ${received.url}` } };
      // Each address takes many.
      const share = ADDRESSED.test(received.url) ? 0.1 : 1;
      if (isLook && !state.isHonest && chance.happens(0.01 * share)) {
        state.kill();
        return { never: true };
      }
      if (isLook && !state.isHonest && chance.happens(0.02 * share))
        return { status: 500, json: { detail: 'broken' } };
      return { headers: headers(), ...act(received) };
    },
    /** A new process knows of no look. */
    startSession(kill: () => void) {
      session.clear();
      state.kill = kill;
    },
    /** From now on nobody is shown to be planned. */
    endPlan() {
      state.isPlanned = true;
    },
    beHonest() {
      state.isHonest = true;
      world.sync();
    },
  };
}
