/** All that the two stores, the deletion status and a count of events may answer: true, behind, cut, wrong or not at all. */
import type { Fact, Person, Sighting, StoreName } from '../../../../src/erasure/facts.ts';
import {
  dateOf,
  type Flaws,
  msOf,
  namesOf,
  noFlaws,
  ownerOf,
  type Scene,
  type Someone,
  type World,
} from './world.ts';

export type Look = { readonly label: string; readonly sighting: Sighting; readonly flaws: Flaws };

type Question = { readonly store: StoreName; readonly asked: readonly string[] };

/** All that a store may answer about some ids. */
export function* looksAt(world: World, { store, asked }: Question, scene: Scene): Generator<Look> {
  const isList = store === 'list';
  const show = ({ uuid, born, ids }: Someone, most = isList ? scene.most : ids.length): Person => {
    const { unit } = scene;
    const date = unit === undefined ? undefined : { at: Math.floor(born / unit) * unit, unit };
    return { uuid, born: date, ids: ids.slice(0, most), ...(ids.length > most ? { hasMore: true } : {}) };
  };
  const answer = (people: readonly Someone[], ids = asked) =>
    ids.flatMap((id) => {
      const one = ownerOf(people, id);
      return one === undefined ? [] : [{ id, person: show(one) }];
    });
  const isWhole = scene.isOneByOne && isList;
  const look = (
    label: string,
    found: Sighting['found'],
    more: Partial<Sighting> & { flaws?: Partial<Flaws> } = {},
  ): Look => {
    const { flaws, ...rest } = more;
    const controls = isWhole ? [true, true] : [true];
    const sighting = { store, asked, controls, found, time: dateOf(world.t, scene), ...rest };
    return { label: `${store} ${label}`, sighting, flaws: { ...noFlaws, ...flaws } };
  };
  const all = answer(world.people);
  yield look('answers', all);
  if (!isList && world.past !== world.people) {
    const wrong = [...world.past, ...world.people].filter(
      (one) => !world.past.includes(one) || !world.people.includes(one),
    );
    yield look('lags', answer(world.past), { flaws: { behind: wrong.flatMap(namesOf) } });
  }
  const ids = asked.filter((id) => !id.startsWith('U:'));
  if (ids.length < asked.length)
    yield look('answers about distinct ids alone', answer(world.people, ids), { asked: ids });
  if (scene.unit === 1) {
    const inSeconds = ({ id, person }: Sighting['found'][number]) => {
      const at = Math.floor((person.born?.at ?? 0) / 1000) * 1000;
      return { id, person: { ...person, born: { at, unit: 1000 } } };
    };
    if (isList) yield look('answers in whole seconds', all.map(inSeconds), { flaws: { isCoarse: true } });
  }
  // About the only person, so that it is a look at all.
  if (isList && ids.length > 1 && scene.named.flatMap((line) => line.ids).length === 1)
    yield look('answers about one id alone', answer(world.people, ids.slice(0, 1)), {
      asked: ids.slice(0, 1),
    });
  yield look('finds nobody at all', [], { controls: isWhole ? [false, false] : [false] });
  if (!isList) return;
  if (isWhole && all.length > 0)
    for (const first of [0, 1])
      yield look(`answers ${first}, then finds nobody`, all.slice(0, first), { controls: [true, false] });
  for (const uuid of new Set(all.map(({ person }) => person.uuid)))
    yield look(
      `leaves ${uuid} out`,
      all.filter(({ person }) => person.uuid !== uuid),
      { flaws: { cut: world.people.filter((one) => one.uuid === uuid).flatMap(namesOf) } },
    );
  for (const one of world.people) {
    const { uuid } = one;
    if (one.ids.length > scene.most && all.some(({ person }) => person.uuid === uuid))
      yield look(`reads ${uuid} alone`, [{ id: uuid, person: show(one, one.ids.length) }], { asked: [uuid] });
    // Some ids of somebody else, and perhaps there are more.
    const some = asked.map((id) => ({ id, person: show(one) }));
    if (one.ids.length > scene.most && asked.some((id) => id !== uuid && !one.ids.includes(id)))
      yield look(`shows ${uuid} for all, with some ids`, some, { flaws: { isStray: true } });
    // A service that does not look at the condition, and one that answers about somebody else.
    const others = asked.map((id) => ({ id, person: show(one, one.ids.length) }));
    if (others.some(({ id }) => id !== uuid && !one.ids.includes(id)))
      yield look(`shows ${uuid} for all`, others);
  }
}

/** The part of an answer that is about these ids. */
export function about(sighting: Sighting, ids: readonly string[]): Sighting {
  const isAsked = (id: string) => ids.includes(id);
  return {
    ...sighting,
    asked: sighting.asked.filter(isAsked),
    found: sighting.found.filter(({ id }) => isAsked(id)),
  };
}

/** `wrong`: of which ids it does not know what there is. */
export type EventLook = { readonly label: string; readonly fact: Fact; readonly wrong: readonly string[] };

/** What is known of those whose events are asked about. */
type Known = { readonly uuid: string; readonly ids: readonly string[]; readonly time?: number | undefined };

/** What the service may say about events. */
export function* eventLooks(world: World, known: readonly Known[], scene: Scene): Generator<EventLook> {
  const time = dateOf(world.t, scene);
  const told = (rows: World['rows']) =>
    rows.map(({ uuid, created, isDone }) => ({ uuid, created, isCompleted: isDone }));
  const rows = told(world.rows);
  const status = (
    label: string,
    some: typeof rows | readonly Undated[],
    wrong: EventLook['wrong'] = [],
  ): EventLook => ({ label: `status ${label}`, fact: { type: 'saw status', rows: some, time }, wrong });
  yield status('answers', rows);
  yield status('shows nothing', []);
  const later = world.rows.filter((row) => !world.pastRows.includes(row)).flatMap(({ ids }) => ids);
  if (world.pastRows !== world.rows) yield status('lags', told(world.pastRows), later);
  for (const { uuid } of known.slice(0, 1)) {
    yield status('has a row without a time', [...rows, { uuid, isCompleted: true }]);
    const tomorrow = { uuid, created: msOf(world.t) + 86_400_000, isCompleted: true };
    if (time !== undefined) yield status('has a row of tomorrow', [...rows, tomorrow]);
    yield status(
      'has another person for each row',
      rows.map((row) => ({ ...row, uuid: 'U:stranger' })),
    );
  }
  if (scene.hasSql) yield* countsOf(world, known, scene);
}

type Undated = { readonly uuid: string; readonly isCompleted: boolean };

function* countsOf(world: World, known: readonly Known[], scene: Scene): Generator<EventLook> {
  const all = known.flatMap(({ ids }) => ids.filter((id) => !id.startsWith('U:')));
  const uuids = known.map(({ uuid }) => uuid);
  const time = dateOf(world.t, scene);
  const last = known
    .flatMap((one) => one.time ?? [])
    .sort((a, b) => a - b)
    .at(-1);
  const early = dateOf(world.log.planned, scene);
  const count = (label: string, events: World['events'], ids: readonly string[], until?: number) => {
    const own = events.filter(({ id, at }) => ids.includes(id) && (until === undefined || msOf(at) <= until));
    const limit = until === undefined ? {} : { until };
    const fact = { type: 'saw count', asked: [...ids, ...uuids], count: own.length, time, ...limit } as const;
    const wrong = world.events.filter((one) => !events.includes(one)).map(({ id }) => id);
    return { label: `count${label}`, fact, wrong } satisfies EventLook;
  };
  yield count(' answers', world.events, all);
  yield count(' of one id answers', world.events, all.slice(0, 1));
  if (last !== undefined) {
    yield count(' up to the call answers', world.events, all, last);
    yield count(' of one id up to the call answers', world.events, all.slice(0, 1), last);
  }
  if (early !== undefined) yield count(' up to the plan answers', world.events, all, early);
  if (world.pastEvents !== world.events) yield count(' lags', world.pastEvents, all);
  yield {
    label: 'count is none',
    fact: { type: 'saw count', asked: [...all, ...uuids], time },
    wrong: [],
  };
}
