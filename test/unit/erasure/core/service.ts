/** All that can become of a call: it is carried out, queued, half done, refused or lost, and answered truly or not. */
import type { Answer, Fact } from '../../../../src/erasure/facts.ts';
import { add, dateOf, logged, msOf, noFlaws, ownerOf, remove, type Scene, type World } from './world.ts';

export type Outcome = { readonly label: string; readonly world: World; readonly facts: readonly Fact[] };

type Call = {
  readonly uuids: readonly string[];
  readonly call: number;
  /** It is about everybody in the plan, so that earlier looks count for nobody. */
  readonly isAll: boolean;
};

type Case = {
  readonly call: Call;
  readonly scene: Scene;
  readonly time: number | undefined;
  /** Nothing done, all done, done for the first only; and as before, for a call that asked for nothing. */
  readonly none: World;
  readonly all: World;
  readonly some: World;
  /** Who is there, of those in the call. */
  readonly there: readonly string[];
  readonly queue: (uuids: readonly string[]) => World;
};

export function* outcomesOf(before: World, call: Call, scene: Scene): Generator<Outcome> {
  const { keep, events } = scene.options;
  const { uuids } = call;
  const none = begun(before, call, scene);
  const time = dateOf(none.t, scene);
  const withRows = (world: World, some: readonly string[]): World => {
    if (!events || some.length === 0) return world;
    const idsOf = (uuid: string) => ownerOf(before.people, uuid)?.ids ?? [];
    const rows = some.map((uuid) => ({ uuid, ids: idsOf(uuid), created: msOf(none.t), isDone: false }));
    // Before the call, as the service's clock says.
    const at = time === undefined ? msOf(none.t) : Math.min(msOf(none.t), time + 999);
    const called = { ...world.log.called, ...Object.fromEntries(some.map((uuid) => [uuid, at])) };
    return logged({ ...world, pastRows: world.rows, rows: [...world.rows, ...rows] }, { called });
  };
  const carryOut = (some: readonly string[]) =>
    keep ? withRows(none, some) : { ...withRows(some.reduce(remove, none), some), past: before.people };
  const there = uuids.filter((uuid) => ownerOf(before.people, uuid)?.uuid === uuid);
  const queue = (some: readonly string[]) =>
    withRows({ ...none, queue: [...new Set([...none.queue, ...some])] }, some);
  const one: Case = {
    call,
    scene,
    time,
    none,
    there,
    all: carryOut(there),
    some: carryOut(there.slice(0, 1)),
    queue,
  };
  yield* scene.isOneByOne ? plainAnswers(one) : answers(one);
  yield* unanswered(one, before);
}

/** The world once a call has begun: what was said of its people before counts no longer. */
function begun(before: World, { uuids, isAll }: Call, scene: Scene): World {
  const others = (some: readonly string[]) => some.filter((uuid) => !uuids.includes(uuid));
  const { log } = before;
  const looked = dateOf(log.looked, scene) ?? msOf(log.looked);
  const called = Object.fromEntries(uuids.map((uuid) => [uuid, looked]));
  const forgotten = isAll ? { later: noFlaws } : {};
  // Rows of others from before the look that seem to be made since, as a time is told to the second.
  const isEarly = ({ uuid, created }: World['rows'][number]) =>
    uuids.includes(uuid) && created >= looked && created < msOf(log.looked);
  const early = before.rows.filter(isEarly).flatMap(({ uuid }) => ownerOf(before.people, uuid)?.ids ?? []);
  return logged(
    { ...before, t: before.t + 1 },
    {
      calls: log.calls + 1,
      said: others(log.said),
      accepted: others(log.accepted),
      recorded: others(log.recorded),
      late: others(log.late),
      called: { ...log.called, ...called },
      torn: add(log.torn, log.moved),
      early: add(log.early, early),
      aged: add(log.aged, uuids),
      sent: add(log.sent, uuids),
      ...forgotten,
    },
  );
}

type Said = { readonly of?: readonly string[]; readonly answer: Partial<Answer> };

function tell({ call, time }: Case, label: string, world: World, { of = [], answer }: Said): Outcome {
  const { said, recorded, accepted } = world.log;
  const isTaken = answer.kind === 'no body';
  const more = {
    said: [...said, ...of],
    recorded: answer.recordings ? [...recorded, ...of] : recorded,
    accepted: isTaken ? [...accepted, ...call.uuids] : accepted,
  };
  const whole: Answer = { kind: 'figures', failed: [], time, ...answer };
  return {
    label: `call: ${label}`,
    world: logged(world, more),
    facts: [{ type: 'answered', call: call.call, answer: whole }],
  };
}

/** In the specification one deletion has no body, and what a bulk deletion answers is not printed. */
function* plainAnswers(one: Case): Generator<Outcome> {
  const { call, all, none, there, queue } = one;
  const plain = { answer: { kind: 'no body' } } as const;
  yield tell(one, 'taken without a word', all, plain);
  yield tell(one, 'taken without a word, to be done later', queue(there), plain);
  yield tell(one, 'taken without a word, nothing done', none, plain);
  if (call.uuids.length > 1) return;
  const { uuids } = call;
  yield tell(one, 'one deleted by itself', all, { of: uuids, answer: { kind: 'one' } });
  yield tell(one, 'one not deleted, though it says so', none, { of: uuids, answer: { kind: 'one' } });
}

function* answers(one: Case): Generator<Outcome> {
  const { call, scene, all, some, none, there, queue } = one;
  const { keep, events, recordings } = scene.options;
  const { uuids } = call;
  const more = { ...(events ? { events: true } : {}), ...(recordings ? { recordings: true } : {}) };
  const found = there.length;
  const of = found === uuids.length ? uuids : [];
  yield tell(one, 'deleted, without a word', all, { answer: { kind: 'no body' } });
  if (keep) {
    yield tell(one, 'deleted', all, { of, answer: { found, ...more } });
    yield tell(one, 'not queued', none, { answer: { found, events: false, recordings: false } });
    yield tell(one, 'queued or not, it does not say', none, { answer: { found } });
    const gone = there.reduce(remove, all);
    yield tell(one, 'persons deleted that should stay', gone, { answer: { found, deleted: found, ...more } });
  } else {
    yield tell(one, 'deleted', all, { of, answer: { found, deleted: found, ...more } });
    if (recordings || events) {
      yield tell(one, 'deleted, the rest not said', all, { answer: { found, deleted: found } });
      const refused = { events: false, recordings: false };
      yield tell(one, 'deleted, the rest not queued', all, { answer: { found, deleted: found, ...refused } });
    }
    yield tell(one, 'deleted, without a number of found', all, { answer: { deleted: found } });
    if (of.length === 1) yield tell(one, 'one deleted by itself', all, { of, answer: { kind: 'one' } });
    yield tell(one, 'queued', queue(there), { of, answer: { found, deleted: 0, queued: found, ...more } });
    yield tell(one, 'queued and forgotten', none, { of, answer: { found, queued: found, ...more } });
  }
  const claimed = { found: uuids.length, ...(keep ? {} : { deleted: uuids.length }), ...more };
  yield tell(one, 'nothing done, though it says so', none, { of: uuids, answer: claimed });
  yield tell(one, 'no figures', all, { answer: {} });
  yield tell(one, 'no figures, nothing done', none, { answer: {} });
  yield tell(one, 'no number of deleted', none, { answer: { found } });
  yield tell(one, 'found nobody', none, { answer: { found: 0, deleted: 0 } });
  if (uuids.length > 1)
    yield tell(one, 'about one for several', some, { of: there.slice(0, 1), answer: { kind: 'one' } });
  if (there.length > 0) yield* failures(one, more);
}

function* failures(one: Case, more: Partial<Answer>): Generator<Outcome> {
  const { call, scene, all, some, none, there } = one;
  const { uuids } = call;
  const [first = ''] = there;
  const found = there.length;
  const others = uuids.filter((uuid) => uuid !== first);
  const of = scene.options.keep ? [] : [first];
  yield tell(one, 'one deleted, the others named', some, {
    of,
    answer: { found: uuids.length, deleted: 1, failed: others, ...more },
  });
  if (others.length > 0) {
    const all = uuids.length;
    yield tell(one, 'one deleted, the others not named', some, { answer: { found: all, deleted: 1 } });
    const twice = { found, deleted: 0, failed: [first, first] };
    yield tell(one, 'one fails in two steps, the others are not named', none, { answer: twice });
    yield tell(one, 'one found and deleted', some, { answer: { found: 1, deleted: 1 } });
    yield tell(one, 'one deleted, without a number of found', some, { answer: { deleted: 1 } });
  }
  yield tell(one, 'all failed', none, { answer: { found, deleted: 0, failed: there, ...more } });
  const failed = ['U:stranger'];
  yield tell(one, 'all deleted, and somebody else failed', all, {
    answer: { found, deleted: found, failed },
  });
  yield tell(one, 'somebody else failed', some, {
    answer: { found: uuids.length, deleted: uuids.length - 1, failed },
  });
}

function* unanswered({ call: { call }, none, all }: Case, { log }: World): Generator<Outcome> {
  // A call that is known not to have run asks for nothing.
  const refused = logged(none, { called: log.called });
  yield { label: 'call: refused', world: refused, facts: [{ type: 'refused', call }] };
  yield { label: 'call: lost on the way there', world: none, facts: [{ type: 'lost', call }] };
  yield { label: 'call: answer lost', world: all, facts: [{ type: 'lost', call }] };
  const session = [{ type: 'aged', by: 'session' }] as const;
  yield { label: 'crash before the call', world: none, facts: session };
  yield { label: 'crash after the call', world: all, facts: session };
}
