/**
 * People of a project as they truly are, and two stores that show them: the person list, and SQL, which may be behind.
 * Whoever is deleted takes the data of all their ids along, and only a deletion does: by these data the judge tells.
 */

/** What was sent under one id until it is deleted. It goes with its id from person to person. */
type Data = { readonly id: string; isDeleted: boolean; readonly events: Events };

/** The events of an id, which stay when its person is deleted, until their own deletion is carried out. */
type Events = { owner: string; readonly arrived: number; areGone: boolean };

export type Profile = {
  readonly serial: number;
  readonly uuid: string;
  readonly email: string;
  created: number;
  readonly data: Map<string, Data>;
  isQueued: boolean;
};

export type StatusRow = { readonly person_uuid: string; status: string; readonly created_at: string };

export type World = ReturnType<typeof createWorld>;

export type Chance = {
  (): number;
  readonly below: (limit: number) => number;
  readonly happens: (likelihood: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined;
};

export function createChanceOf(random: () => number): Chance {
  const below = (limit: number) => Math.floor(random() * limit);
  return Object.assign(() => random(), {
    below,
    happens: (likelihood: number) => random() < likelihood,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)],
  });
}

/** The service makes a person's UUID of the first id, so who signs up again gets the same one. */
export function uuidOf(id: string): string {
  let code = 7;
  for (const letter of id) code = (code * 31 + letter.charCodeAt(0)) % 1_000_000_007;
  return `00000000-0000-4000-8000-${String(code).padStart(12, '0')}`;
}

/** Somebody who is always there. */
export const BYSTANDER = 'somebody-else';

export function createWorld(chance: Chance, start: number) {
  const people: Profile[] = [];
  /** Of everybody there ever was. */
  const all: Data[] = [];
  const waiting: { readonly data: readonly Data[]; readonly row: StatusRow }[] = [];
  const rows: StatusRow[] = [];
  let serials = 0;
  let now = start;
  const ids = Array.from({ length: 3 + chance.below(4) }, (_, at) => `u${at}`);
  const hasMany = chance.happens(0.1);
  const add = (own: readonly string[], created: number): Profile => {
    serials += 1;
    const uuid = uuidOf(own[0] ?? '');
    const data = new Map<string, Data>();
    for (const id of own) {
      const one = { id, isDeleted: false, events: { owner: uuid, arrived: created, areGone: false } };
      data.set(id, one);
      all.push(one);
    }
    const email = `${own[0]}@example.org`;
    const profile = { serial: serials, uuid, email, created, data, isQueued: false };
    people.push(profile);
    return profile;
  };
  add([BYSTANDER], start - 90_000_000_000);
  for (let at = 0; at < ids.length; ) {
    const size = Math.min(ids.length - at, 1 + chance.below(2));
    const more = hasMany && at === 0 ? Array.from({ length: 12 }, (_, one) => `m${one}`) : [];
    if (chance.happens(0.85))
      add([...ids.slice(at, at + size), ...more], start - 1_000_000 * (1 + chance.below(5000)));
    at += size;
  }
  const holder = (id: string) => people.find(({ data }) => data.has(id));
  let shown: readonly Profile[] = [];
  const copy = ({ data, ...rest }: Profile): Profile => ({ ...rest, data: new Map(data) });
  const sync = () => {
    shown = people.map(copy);
  };
  sync();
  const remove = (profile: Profile) => {
    for (const one of profile.data.values()) one.isDeleted = true;
    people.splice(people.indexOf(profile), 1);
  };
  const toText = ({ uuid, data }: Profile) => [uuid, [...data.keys()]];
  const others = () => people.slice(1);
  const changes: readonly (() => void)[] = [
    () => {
      const [from, to] = [chance.pick(others()), chance.pick(others())];
      if (from === undefined || to === undefined || from === to) return;
      for (const [id, data] of from.data) {
        to.data.set(id, data);
        data.events.owner = to.uuid;
      }
      to.created = Math.min(from.created, to.created);
      people.splice(people.indexOf(from), 1);
    },
    () => {
      const from = chance.pick(others());
      const id = from && chance.pick([...from.data.keys()]);
      if (from === undefined || id === undefined || from.data.size < 2) return;
      if (people.some(({ uuid }) => uuid === uuidOf(id))) return;
      const data = from.data.get(id);
      from.data.delete(id);
      const split = add([id], now);
      all.pop();
      if (data === undefined) return;
      split.data.set(id, data);
      data.events.owner = split.uuid;
    },
    () => {
      const id = chance.pick(ids.filter((one) => holder(one) === undefined));
      if (id !== undefined && !people.some(({ uuid }) => uuid === uuidOf(id))) add([id], now);
    },
    () => {
      const one = chance.pick(others());
      if (one !== undefined && chance.happens(0.5)) remove(one);
    },
    () => world.workOff(),
    sync,
  ];
  const world = {
    ids,
    people: (): readonly Profile[] => people,
    /** Whom SQL shows. */
    shown: () => shown,
    sync,
    isSynced: () => JSON.stringify(shown.map(toText)) === JSON.stringify(people.map(toText)),
    holder,
    remove,
    change: () => chance.pick(changes)?.(),
    workOff() {
      for (const one of people.filter(({ isQueued }) => isQueued)) remove(one);
      for (const { data, row } of waiting.splice(0)) {
        row.status = 'completed';
        for (const { events } of data) events.areGone = true;
      }
    },
    now: () => now,
    /** Queues the deletion of the events that somebody has now. */
    queueEvents(profile: Profile, created_at: string) {
      const row = { person_uuid: profile.uuid, status: 'pending', created_at };
      rows.push(row);
      waiting.push({ data: [...profile.data.values()], row });
    },
    statusRows: (): readonly StatusRow[] => rows,
    /** How many events of some ids and persons arrived up to a moment. */
    countEvents: (ids: readonly string[], uuids: readonly string[], moment = Number.POSITIVE_INFINITY) =>
      all.filter(
        ({ id, events }) =>
          !events.areGone && events.arrived <= moment && (ids.includes(id) || uuids.includes(events.owner)),
      ).length,
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
  return world;
}
