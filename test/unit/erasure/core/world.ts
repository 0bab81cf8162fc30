/**
 * The true world, which the core never sees: who there is, whose data lies behind which id, and what others do to them.
 * It shares no code with the core. A tick is a quarter of a second; the service tells its time in whole seconds.
 */
import type { Options } from '../../../../src/erasure/facts.ts';

export type Someone = {
  readonly uuid: string;
  readonly born: number;
  readonly ids: readonly string[];
  /** Which human profiles went into this one; the first is its own. */
  readonly instances: readonly number[];
};

/** A row of the service's list of deletions of events, and behind which ids they lie. */
export type EventDeletion = {
  readonly uuid: string;
  readonly ids: readonly string[];
  readonly created: number;
  readonly isDone: boolean;
};

/** What was asked for or excepted, frozen when it was planned: profiles, data behind ids, the ids. */
export type Frozen = {
  readonly instances: readonly number[];
  readonly data: readonly string[];
  readonly ids: readonly string[];
  readonly born: Readonly<Record<string, number>>;
};

export type World = {
  readonly t: number;
  readonly people: readonly Someone[];
  /** As they were before the last change: what a store that is behind may show. */
  readonly past: readonly Someone[];
  /** How often the owner of an id was deleted: the same number means the same data. */
  readonly gens: Readonly<Record<string, number>>;
  readonly instances: number;
  readonly queue: readonly string[];
  /** Changes that were not ours, so far. */
  readonly changes: number;
  readonly events: readonly Event[];
  readonly pastEvents: readonly Event[];
  readonly rows: readonly EventDeletion[];
  readonly pastRows: readonly EventDeletion[];
  /** What was asked for, altogether and by each line, and excepted. */
  readonly asked?: Frozen;
  readonly excepted?: Frozen;
  readonly lines: Readonly<Record<string, Frozen>>;
  readonly log: Log;
};

type Event = { readonly id: string; readonly at: number };

/** What the oracle remembers of looks and calls. */
export type Log = {
  /** Ids that changed hands since the list was last looked at. */
  readonly moved: readonly string[];
  /** UUIDs of those in doubt since then, so that nothing excuses a call without a new look. */
  readonly aged: readonly string[];
  /** Stores that were wrong, in a way that nothing shows: when it was planned, and since the last call. */
  readonly plan: Flaws;
  readonly later: Flaws;
  /** SQL gave no answer that counts when it was planned, so that the list was the only store. */
  readonly wasSilentInPlan: boolean;
  /** SQL has answered. */
  readonly hasSqlAnswered: boolean;
  /** Ids of which a count or the deletion status showed less than there was. */
  readonly wrongEvents: readonly string[];
  /** UUIDs of whom the last answer said, for each, that they are deleted or queued. */
  readonly said: readonly string[];
  /** UUIDs whose last call was a success without a word, or said that recordings are queued. */
  readonly accepted: readonly string[];
  readonly recorded: readonly string[];
  /** When the list was last looked at, and planned. */
  readonly looked: number;
  readonly planned: number;
  /** Up to when events of whoever was in a call have to be gone: the call, or the look before one that did not run. */
  readonly called: Readonly<Record<string, number>>;
  /** Ids of those who were asked for that no answer has shown; and of them what had left once one showed all ids. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  readonly lost: readonly string[];
  /** Ids that changed hands between look and call, so that a deletion of events may not know of them. */
  readonly torn: readonly string[];
  /** Ids of those for whom others had their events deleted in the second in which they were last looked at. */
  readonly early: readonly string[];
  /** A day has passed since so many calls of each batch, and since the last one of these persons. */
  readonly overdue: readonly number[];
  readonly late: readonly string[];
  readonly calls: number;
  readonly agreed?: number;
  /** Who was sent so far. */
  readonly sent: readonly string[];
};

/**
 * UUIDs and ids of whom the list left out, and of whom SQL showed as they had been before; whether the list told about
 * somebody else who may have more ids, or dates in whole seconds.
 */
export type Flaws = {
  readonly cut: readonly string[];
  readonly behind: readonly string[];
  readonly isStray: boolean;
  readonly isCoarse: boolean;
};

export type Scene = {
  readonly name: string;
  readonly people: readonly { readonly ids: readonly string[] }[];
  readonly named: readonly Line[];
  /** The ids of each batch. */
  readonly batches: readonly (readonly string[])[];
  readonly odd: readonly string[];
  readonly options: Options;
  readonly excepted: readonly string[];
  readonly hasSql: boolean;
  /** Nobody knew at first that the key may query. */
  readonly isSqlLate: boolean;
  /** What the service's clock is off by, in ticks; it may tell no time at all. */
  readonly skew: number | undefined;
  /** How many ids the list shows of a person in an answer about many. */
  readonly most: number;
  /** How exactly it tells when a person came, in milliseconds; it may not tell it. */
  readonly unit: number | undefined;
  /** A look-up is about one person, and a bulk deletion answers without a body. */
  readonly isOneByOne: boolean;
};

/** A line of the list and the ids that it stands for: itself, or those of all persons with that address. */
export type Line = { readonly line: string; readonly ids: readonly string[] };

export const uuidOf = (id: string) => `U:${id}`;
export const msOf = (t: number) => t * 250;

/** The service's own time. */
export function dateOf(t: number, { skew }: Scene): number | undefined {
  return skew === undefined ? undefined : Math.floor(msOf(t + skew) / 1000) * 1000;
}

export const noFlaws: Flaws = { cut: [], behind: [], isStray: false, isCoarse: false };

export function begin({ people, options }: Scene): World {
  const all = people.map(({ ids }, at) => ({
    uuid: uuidOf(ids[0] ?? ''),
    born: msOf(at + 1),
    ids,
    instances: [at + 1],
  }));
  // Each has a row from a deletion of last year.
  const old = all.map(({ uuid }) => ({ uuid, ids: [], created: -msOf(1000), isDone: true }));
  const rows = options.events ? old : [];
  const events = options.events ? all.flatMap(({ ids }, at) => ids.map((id) => ({ id, at: at + 1 }))) : [];
  return {
    t: people.length + 1,
    people: all,
    past: all,
    gens: {},
    instances: people.length,
    queue: [],
    changes: 0,
    events,
    pastEvents: events,
    rows,
    pastRows: rows,
    lines: {},
    log: {
      moved: [],
      aged: [],
      plan: noFlaws,
      later: noFlaws,
      wasSilentInPlan: false,
      hasSqlAnswered: false,
      wrongEvents: [],
      said: [],
      accepted: [],
      recorded: [],
      looked: 0,
      planned: 0,
      called: {},
      hidden: {},
      lost: [],
      torn: [],
      early: [],
      overdue: [],
      late: [],
      calls: 0,
      sent: [],
    },
  };
}

export function logged(world: World, more: Partial<Log>): World {
  return { ...world, log: { ...world.log, ...more } };
}

export const add = (some: readonly string[], more: readonly string[]) =>
  [...new Set([...some, ...more])].sort();

export const namesOf = ({ uuid, ids }: Someone) => [uuid, ...ids];

export const dataBehind = ({ gens }: World, id: string) => `${id}#${gens[id] ?? 0}`;

export function ownerOf(people: readonly Someone[], id: string): Someone | undefined {
  return people.find(({ uuid, ids }) => uuid === id || ids.includes(id));
}

export function freeze(world: World, ids: readonly string[]): Frozen {
  const owners = ids.flatMap((id) => ownerOf(world.people, id) ?? []);
  const own = [...new Set(owners.flatMap((one) => one.ids))];
  return {
    instances: [...new Set(owners.flatMap(({ instances }) => instances))],
    data: own.map((id) => dataBehind(world, id)),
    ids: own,
    born: Object.fromEntries(owners.map(({ uuid, born }) => [uuid, born])),
  };
}

/** The person goes, and with them the data behind their ids: whoever has one of these later came later. */
export function remove(world: World, uuid: string): World {
  const one = world.people.find((some) => some.uuid === uuid);
  if (one === undefined) return world;
  const gens = { ...world.gens };
  for (const id of one.ids) gens[id] = (gens[id] ?? 0) + 1;
  return { ...world, gens, people: world.people.filter((some) => some !== one) };
}

export type Change = { readonly label: string; readonly world: World };

/** What others do to the people of the project, and what the service works off. */
export function* changesOf(world: World, scene: Scene, most: number): Generator<Change> {
  const after = { ...world, t: world.t + 1, past: world.people };
  if (world.queue.length > 0)
    yield {
      label: 'the queue is worked off',
      world: { ...world.queue.reduce(remove, after), queue: [] },
    };
  const open = world.rows.filter(({ isDone }) => !isDone);
  if (open.length > 0) {
    const isGone = ({ id, at }: Event) =>
      open.some(({ ids, created }) => ids.includes(id) && msOf(at) <= created);
    const rows = world.rows.map((row) => ({ ...row, isDone: true }));
    const events = world.events.filter((one) => !isGone(one));
    const past = { pastRows: world.rows, pastEvents: world.events };
    yield { label: 'events are worked off', world: { ...after, past: world.past, ...past, rows, events } };
  }
  if (world.changes >= most) return;
  const changed = { ...after, changes: world.changes + 1 };
  for (const one of world.people) {
    yield* mergesOf(one, changed);
    if (one.ids.length > 1) for (const id of one.ids) yield splitOf(one, id, changed);
    yield { label: `${one.uuid} is deleted by others`, world: moved(remove(changed, one.uuid), one.ids) };
    if (scene.options.events) {
      const row = { uuid: one.uuid, ids: one.ids, created: msOf(changed.t), isDone: false };
      const rows = [...world.rows, row];
      yield {
        label: `others delete the events of ${one.uuid}`,
        world: { ...changed, pastRows: world.rows, rows },
      };
    }
  }
  yield* arrivalsOf(changed, scene);
}

function moved(world: World, ids: readonly string[]): World {
  return logged(world, { moved: add(world.log.moved, ids) });
}

function* mergesOf(one: Someone, world: World): Generator<Change> {
  for (const other of world.people) {
    if (other === one) continue;
    const merged = {
      ...other,
      born: Math.min(one.born, other.born),
      ids: [...other.ids, ...one.ids],
      instances: [...other.instances, ...one.instances],
    };
    const rest = world.people.filter((some) => some !== one);
    const people = rest.map((some) => (some === other ? merged : some));
    yield { label: `${one.uuid} is merged into ${other.uuid}`, world: moved({ ...world, people }, one.ids) };
  }
}

/** Whoever is split off is made anew: under the UUID that follows from the id, if nobody has it. */
function splitOf(one: Someone, id: string, world: World): Change {
  const isTaken = world.people.some(({ uuid }) => uuid === uuidOf(id));
  const uuid = isTaken ? `V:${id}:${world.t - 1}` : uuidOf(id);
  const fresh = { uuid, born: msOf(world.t), ids: [id], instances: [world.instances + 1] };
  const rest = { ...one, ids: one.ids.filter((own) => own !== id) };
  const people = [...world.people.map((some) => (some === one ? rest : some)), fresh];
  return {
    label: `${id} is split off ${one.uuid}`,
    world: moved({ ...world, people, instances: world.instances + 1 }, [id]),
  };
}

/** Somebody signs up, under the UUID that this id had before; or a client goes on sending. */
function* arrivalsOf(world: World, { people, named, excepted, options }: Scene): Generator<Change> {
  const all = [...people.flatMap(({ ids }) => ids), ...named.flatMap(({ ids }) => ids), ...excepted];
  for (const id of new Set(all.filter((one) => !one.startsWith('U:')))) {
    const events = options.events ? [...world.events, { id, at: world.t }] : world.events;
    const sent = { ...world, events, pastEvents: world.events };
    if (ownerOf(world.people, id) !== undefined) {
      if (options.events) yield { label: `a client sends as ${id}`, world: { ...sent, past: world.people } };
      continue;
    }
    if (world.people.some(({ uuid }) => uuid === uuidOf(id))) continue;
    const instances = world.instances + 1;
    const one = { uuid: uuidOf(id), born: msOf(world.t), ids: [id], instances: [instances] };
    yield {
      label: `somebody signs up as ${id}`,
      world: moved({ ...sent, people: [...world.people, one], instances }, [id]),
    };
  }
}
