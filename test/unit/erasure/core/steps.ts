/** Everything that can happen next: others act, stores and service answer, and the program asks the core. */
import type * as Core from '../../../../src/erasure/core.ts';
import type { Batch, Fact, Run, Sighting } from '../../../../src/erasure/facts.ts';
import { judgeCall } from './oracle.ts';
import { outcomesOf } from './service.ts';
import { about, eventLooks, type Look, looksAt } from './stores.ts';
import { add, changesOf, freeze, logged, namesOf, ownerOf, type Scene, type World } from './world.ts';

export type State = { readonly run: Run; readonly batches: readonly Batch[] };
export type Node = { readonly world: World; readonly state: State | undefined };
export type Judgement = { readonly fault?: string; readonly excused?: string };
export type Next = Node & Judgement & { readonly label: string };
export type Bounds = { readonly changes: number; readonly calls: number };

type Told = readonly [batch: number, fact: Fact];

/** What the core does not take ends the command, and nothing comes of it. */
export function attempt<Result>(core: typeof Core, act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof core.Contradiction) return undefined;
    throw error;
  }
}

function tell({ run, batches }: State, facts: readonly Told[], core: typeof Core): State {
  const after = [...batches];
  for (const [at, fact] of facts) after[at] = core.apply(run, after[at], fact);
  return { run, batches: after };
}

export function* step(node: Node, scene: Scene, bounds: Bounds, core: typeof Core): Generator<Next> {
  const { world, state } = node;
  for (const change of changesOf(world, scene, bounds.changes)) yield { ...change, state };
  if (state === undefined) return yield* plans(world, scene, core);
  if (state.run.agreed === undefined) {
    for (let persons = 0; persons <= 2; persons += 1) {
      const run = attempt(core, () => core.agree(state.run, persons, state.batches));
      const after = logged(world, { agreed: persons });
      if (run) yield { label: `agreed to ${persons}`, world: after, state: { ...state, run } };
    }
  }
  yield* waits(world, state, core);
  const joined = { ...state, run: core.withStore(state.run, 'sql') };
  if (scene.isSqlLate && state.run.stores.length === 1) yield { label: 'sql joins', world, state: joined };
  yield* looks(world, state, scene, core);
  if (world.log.calls < bounds.calls) yield* calls(world, state, scene, core);
}

function* plans(world: World, scene: Scene, core: typeof Core): Generator<Next> {
  const named = scene.named.flatMap(({ ids }) => ids);
  const asked = [...new Set([...named, ...scene.excepted])];
  const lines = scene.named.map(({ line, ids }) => [line, freeze(world, ids)] as const);
  const owners = named.flatMap((id) => ownerOf(world.people, id) ?? []);
  const many = owners.filter(({ ids }) => ids.length > scene.most);
  const hidden = Object.fromEntries(
    many.map(({ uuid, ids }) => [uuid, ids.filter((id) => !named.includes(id))]),
  );
  const { options, odd } = scene;
  const isAsked = scene.hasSql && !scene.isSqlLate;
  const stores = isAsked ? (['list', 'sql'] as const) : (['list'] as const);
  const plan = (sightings: readonly Sighting[]): State => {
    const exceptions = scene.excepted;
    const shown = { ids: exceptions, sightings: sightings.map((one) => about(one, exceptions)) };
    const lines = scene.named.length + odd.length;
    const run = { options, lines, stores, ...core.exceptionsOf(shown) };
    const batches = scene.batches.map((ids) =>
      core.apply(run, undefined, {
        type: 'planned',
        ids,
        sightings: sightings.map((one) => about(one, ids)),
      }),
    );
    return { run, batches };
  };
  for (const list of looksAt(world, { store: 'list', asked }, scene))
    for (const sql of isAsked ? [...looksAt(world, { store: 'sql', asked }, scene)] : [undefined]) {
      const state = attempt(core, () => plan([list.sighting, ...(sql ? [sql.sighting] : [])]));
      if (state === undefined) continue;
      const frozen = {
        ...world,
        t: world.t + 1,
        lines: Object.fromEntries(lines),
        asked: freeze(world, named),
        excepted: freeze(world, scene.excepted),
      };
      const log = {
        planned: world.t,
        looked: world.t,
        moved: [],
        ...[list, ...(sql ? [sql] : [])].reduce<Hidden>((all, look) => hide(all, look, frozen, scene), {
          hidden,
          lost: [],
        }),
        plan: { ...list.flaws, behind: sql?.flaws.behind ?? [] },
        hasSqlAnswered: sql !== undefined,
        wasSilentInPlan: !sql?.sighting.controls[0] || sql.sighting.asked.length < asked.length,
      };
      yield { label: `plan: ${list.label}, ${sql?.label ?? 'no sql'}`, world: logged(frozen, log), state };
    }
}

/** Time passes, or a day since each call that has ended. */
function* waits(world: World, state: State, core: typeof Core): Generator<Next> {
  const aged = state.batches.map((_, at): Told => [at, { type: 'aged', by: 'time' }]);
  const uuids = targetsOf(state).map(({ uuid }) => uuid);
  const later = logged({ ...world, t: world.t + 4 }, { aged: add([], uuids) });
  yield { label: 'time passes', world: later, state: tell(state, aged, core) };
  const renewed = state.batches.map((_, at): Told => [at, { type: 'aged', by: 'session' }]);
  yield {
    label: 'a session begins',
    world: logged(world, { aged: add([], uuids) }),
    state: tell(state, renewed, core),
  };
  const overdue = state.batches.map(({ calls }) => calls.length);
  const isNew = overdue.some((most, at) => most > (world.log.overdue[at] ?? 0));
  const late = logged(later, { overdue, late: world.log.sent });
  if (isNew) yield { label: 'a day passes', world: late, state: tell(state, aged, core) };
}

function targetsOf({ batches }: State) {
  return batches.flatMap(({ targets }) => [...targets.values()]);
}

function* looks(world: World, state: State, scene: Scene, core: typeof Core): Generator<Next> {
  const named = scene.named.flatMap(({ ids }) => ids);
  const own = targetsOf(state).flatMap(({ ids }) => ids);
  const asked = [...new Set([...named, ...own])];
  for (const store of scene.hasSql ? (['list', 'sql'] as const) : (['list'] as const))
    for (const look of looksAt(world, { store, asked }, scene)) {
      const facts = state.batches.map((_, at): Told => {
        const overdue = Array.from({ length: world.log.overdue[at] ?? 0 }, (_, call) => call);
        return [at, { type: 'saw', sighting: { ...look.sighting, overdue } }];
      });
      const after = attempt(core, () => tell(state, facts, core));
      if (after) yield { label: look.label, world: looked(world, look, state, scene), state: after };
    }
  if (!scene.options.events) return;
  for (const { label, fact, wrong } of eventLooks(world, targetsOf(state), scene)) {
    const facts = state.batches.map((_, at): Told => [at, fact]);
    const wrongEvents = add(world.log.wrongEvents, wrong);
    const after = attempt(core, () => tell(state, facts, core));
    if (after) yield { label, world: logged(world, { wrongEvents }), state: after };
  }
}

type Hidden = Pick<World['log'], 'hidden' | 'lost'>;

/** What no answer has shown of somebody; and what of it had left once one showed all ids. */
function hide({ hidden, lost }: Hidden, { sighting, flaws }: Look, world: World, scene: Scene): Hidden {
  const { asked, people, past } = world;
  const shown = flaws.behind.length > 0 ? past : people;
  // Whoever came later under the same UUID is somebody else, as far as dates tell.
  const unit = world.log.plan.isCoarse || flaws.isCoarse ? 1000 : (scene.unit ?? 1);
  const second = (born = -1) => Math.floor(born / unit);
  const isThere = (uuid: string) =>
    shown.some((one) => one.uuid === uuid && second(one.born) <= second(asked?.born[uuid]));
  const still: Record<string, readonly string[]> = {};
  const gone: string[] = [];
  for (const [uuid, ids] of Object.entries(hidden)) {
    const person = isThere(uuid) ? sighting.found.find((one) => one.person.uuid === uuid)?.person : undefined;
    const own = ids.filter((id) => !person?.ids.includes(id));
    still[uuid] = own;
    const present = people.find((one) => one.uuid === uuid)?.ids ?? [];
    const hasLeft = (id: string) => person?.hasMore !== true && !present.includes(id);
    gone.push(...own.filter((id) => (person === undefined ? lost.includes(id) : hasLeft(id))));
  }
  return { hidden: still, lost: gone };
}

/** What the oracle remembers of a look: who is shown a day after the service said that they go was not deleted. */
function looked(world: World, look: Look, state: State, scene: Scene): World {
  const { log } = world;
  const { sighting, flaws } = look;
  const shown = hide(log, look, world, scene);
  if (sighting.store === 'sql')
    return logged(world, {
      ...shown,
      hasSqlAnswered: true,
      later: { ...log.later, behind: add(log.later.behind, flaws.behind) },
    });
  const shows = (uuid: string) => sighting.found.some(({ person }) => person.uuid === uuid);
  const isThere = (uuid: string) =>
    shows(uuid) && world.people.some((one) => one.uuid === uuid && one.born === world.asked?.born[uuid]);
  const targets = targetsOf(state);
  // An answer that shows a person takes back what an earlier one left out, but for another person who had the id.
  const isKept = (id: string) => targets.some(({ uuid, ids }) => ids.includes(id) && !isThere(uuid));
  const back = targets.filter(({ uuid }) => isThere(uuid)).flatMap(({ ids }) => ids);
  const cut = log.later.cut.filter((id) => !back.includes(id) || isKept(id));
  const about = [...sighting.asked, ...world.people.filter(({ uuid }) => shows(uuid)).flatMap(namesOf)];
  const left = (uuids: readonly string[]) =>
    uuids.filter((uuid) => scene.options.keep || !log.late.includes(uuid) || !isThere(uuid));
  return logged(world, {
    looked: world.t,
    ...shown,
    moved: log.moved.filter((id) => !about.includes(id)),
    aged: log.aged.filter((uuid) => !shows(uuid)),
    later: { ...log.later, cut: add(cut, flaws.cut), isCoarse: flaws.isCoarse },
    said: left(log.said),
    accepted: left(log.accepted),
  });
}

/** What the program wants to send, and what it must not: the core has to refuse that. */
function* calls(world: World, state: State, scene: Scene, core: typeof Core): Generator<Next> {
  const every = [...world.people.map(({ uuid }) => uuid), ...targetsOf(state).map(({ uuid }) => uuid)];
  for (const [at, batch] of state.batches.entries()) {
    const wanted = core.toSend(state.run, batch);
    const tried = new Set<string>();
    for (const uuids of [wanted, ...every.map((uuid) => [uuid])]) {
      const name = `send ${uuids.join(' ')}`;
      if (uuids.length === 0 || tried.has(name)) continue;
      tried.add(name);
      const sending = { type: 'sending', uuids } as const;
      const sent = attempt(core, () => tell(state, [[at, sending]], core));
      if (sent === undefined) continue;
      const isAll = targetsOf(state).every(({ uuid }) => uuids.includes(uuid));
      const judgement = judgeCall(world, uuids, scene);
      const look = trueLook(world, sent, scene);
      const meanwhile = tell(sent, [[at, { type: 'saw', sighting: look.sighting }]], core);
      for (const outcome of outcomesOf(world, { uuids, call: batch.calls.length, isAll }, scene)) {
        // A session begins for every batch.
        const facts = outcome.facts.flatMap((fact): readonly Told[] =>
          fact.type === 'aged' ? state.batches.map((_, each): Told => [each, fact]) : [[at, fact]],
        );
        const after = attempt(core, () => tell(sent, facts, core));
        if (after === undefined) continue;
        const isCrash = outcome.facts.some(({ type }) => type === 'aged');
        const aged = isCrash
          ? targetsOf(state)
              .map((one) => one.uuid)
              .sort()
          : outcome.world.log.aged;
        const next = { world: logged(outcome.world, { aged }), ...judgement };
        yield { label: `${name}; ${outcome.label}`, state: after, ...next };
        if (!isSlow(outcome.label)) continue;
        const seen = logged(next.world, hide(world.log, look, world, scene));
        const later = tell(meanwhile, facts, core);
        yield { label: `${name}; look; ${outcome.label}`, ...next, world: seen, state: later };
      }
    }
  }
}

/** Calls during which somebody looks: what is seen before the answer does not count after it. */
const isSlow = (label: string) => /nothing done$|refused$|lost on the way there$/.test(label);

/** Of the list, which answers truly first. */
function trueLook(world: World, state: State, scene: Scene): Look {
  const asked = [...new Set(targetsOf(state).flatMap(({ ids }) => ids))];
  const [look] = looksAt(world, { store: 'list', asked }, scene);
  if (look === undefined) throw new Error('the list has no answer');
  return look;
}
