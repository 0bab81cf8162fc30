/**
 * The oracle: what must hold in every world, judged by what is true there. It shares no code with the core. What nothing
 * could have known is excused, and counted.
 */
import type * as Core from '../../../../src/erasure/core.ts';
import type { Tally, Verdict } from '../../../../src/erasure/facts.ts';
import { attempt, type Judgement, type Node, type State } from './steps.ts';
import { dataBehind, dateOf, msOf, namesOf, type Scene, type Someone, type World } from './world.ts';

/**
 * Promise 1: whoever is sent holds a profile that was named, and nothing that was excepted. Somebody whom the service
 * merged into a named person goes with them: there is one person then.
 */
export function judgeCall(world: World, uuids: readonly string[], scene: Scene): Judgement {
  const { log, people } = world;
  if (new Set([...log.sent, ...uuids]).size > (log.agreed ?? 0))
    return { fault: 'more persons were sent than agreed to' };
  for (const uuid of uuids) {
    const one = people.find((some) => some.uuid === uuid);
    if (scene.unit === undefined) return { fault: `${uuid} was sent, who has no date` };
    const fault = one === undefined ? undefined : wrongIn(one, world);
    if (one !== undefined && fault !== undefined)
      return excuseCall(`${uuid} was sent, ${fault}`, one, { world, scene });
  }
  return {};
}

function wrongIn({ ids, instances }: Someone, world: World): string | undefined {
  const { asked, excepted } = world;
  const isExcepted =
    excepted?.instances.includes(instances[0] ?? -1) === true ||
    ids.some((id) => excepted?.data.includes(dataBehind(world, id)));
  if (isExcepted) return 'who was excepted';
  return instances.some((own) => asked?.instances.includes(own)) ? undefined : 'who was not asked for';
}

function excuseCall(
  fault: string,
  one: Someone,
  { world, scene }: { readonly world: World; readonly scene: Scene },
) {
  const { log, excepted } = world;
  const isExcepted = fault.endsWith('excepted');
  // Then nobody could know whom the exception protects.
  const isLeftOut = excepted?.ids.some((id) => log.plan.cut.includes(id));
  const isBehind = namesOf(one).some((id) => log.plan.behind.includes(id));
  if (isExcepted && isLeftOut && (isBehind || !scene.hasSql))
    return { excused: `${fault}: each store left the exception out` };
  const isLaterBehind = namesOf(one).some((id) => log.later.behind.includes(id));
  if (isExcepted && one.ids.length > scene.most && (isLaterBehind || isBehind))
    return { excused: `${fault}: the list shows some ids only, and SQL was behind` };
  if (!isExcepted && log.plan.isStray && isBehind)
    return { excused: `${fault}: the list told about somebody else, and SQL was behind` };
  // Both came in one second, and nothing tells times more exactly.
  const unit = log.plan.isCoarse || log.later.isCoarse ? 1000 : (scene.unit ?? 1);
  const second = (born: number) => Math.floor(born / unit);
  const before = world.asked?.born[one.uuid];
  if (!isExcepted && before !== undefined && before !== one.born && second(before) === second(one.born))
    return { excused: `${fault}: who came in the same second` };
  return !log.aged.includes(one.uuid) && one.ids.some((id) => log.moved.includes(id))
    ? { excused: `${fault}, between look and call` }
    : { fault };
}

const SETTLED: readonly string[] = ['gone', 'cleared', 'nobody', 'excepted'];
const DONE: readonly string[] = ['told', 'accepted', 'rest waiting'];

function targetsOf({ batches }: State, ids: readonly string[]) {
  return ids.flatMap((id) => {
    const batch = batches.find(({ named }) => named.has(id));
    return batch?.targets.get(batch.named.get(id) ?? '') ?? [];
  });
}

/** A law that each line obeys by itself. */
function faultOfLine(
  verdict: Verdict,
  at: number,
  { world, state, scene, core }: Judged,
): string | undefined {
  const { line = '', ids = [] } = scene.named[at] ?? {};
  const { log } = world;
  const isOwed = core.isOwed(verdict);
  if (isOwed === SETTLED.includes(verdict)) return `${line} is ${verdict} and ${isOwed ? '' : 'not '}owed`;
  if (log.agreed === undefined && !isOwed) return `${line} is not owed, though nobody agreed`;
  if (verdict === 'excepted' && scene.excepted.length === 0) return `${line} is excepted by nobody`;
  if (isOwed && !DONE.includes(verdict)) return undefined;
  const planned = targetsOf(state, ids).filter(({ isPlanned }) => isPlanned);
  const isFree = ({ ids: own, free }: (typeof planned)[number]) =>
    state.run.stores.every((store) => own.every((id) => free[store].includes(id)));
  const isSaid = (uuid: string) => log.said.includes(uuid);
  // Who is proven to be gone already, while another of the same line is only told, needs no word.
  const open = planned.filter((one) => !isSaid(one.uuid) && !isFree(one));
  if (verdict === 'told' && open.length > 0) return `${line} is told to be done, and was not`;
  if (verdict === 'accepted' && !planned.some(({ uuid }) => log.accepted.includes(uuid)))
    return `${line} is accepted, and was not`;
  if (
    verdict === 'rest waiting' &&
    planned.every(({ uuid }) => !isSaid(uuid) && !log.accepted.includes(uuid))
  )
    return `${line} is said to wait for its events, which nobody said`;
  const isRecorded = planned.every(({ uuid }) => log.recorded.includes(uuid));
  if ((verdict === 'gone' || verdict === 'cleared') && scene.options.recordings && !isRecorded)
    return `${line} is settled, though nobody said that recordings are queued`;
  return undefined;
}

type Judged = {
  readonly world: World;
  readonly state: State;
  readonly scene: Scene;
  readonly core: typeof Core;
};

export function verdictsOf({ run, batches }: State, { named }: Scene, core: typeof Core): readonly Verdict[] {
  const verdictOf = (id: string): Verdict => {
    const batch = batches.find((one) => one.named.has(id));
    return batch === undefined ? 'odd' : core.verdictOf(run, batch, id);
  };
  return named.map(({ ids }) => core.verdictOfLine(ids.map(verdictOf)));
}

export function tallyOf(verdicts: readonly Verdict[], { odd }: Scene): Tally {
  const tally: { [Key in Verdict]?: number } = odd.length > 0 ? { odd: odd.length } : {};
  for (const verdict of verdicts) tally[verdict] = (tally[verdict] ?? 0) + 1;
  return tally;
}

function faultOfExit(
  exit: 0 | 3 | 8,
  verdicts: readonly Verdict[],
  { options, odd }: Scene,
): string | undefined {
  const isNobody = verdicts.every((one) => one === 'nobody') && odd.length === 0;
  if (exit === 8) return isNobody ? 'partly done, though nobody was found at all' : undefined;
  if (odd.length > 0) return 'done, though a line is odd';
  const open = verdicts.find((one) => ![...DONE, ...SETTLED].includes(one));
  if (open !== undefined) return `done, though one is ${open}`;
  if (exit === 3) return isNobody && !options.ignoreMissing ? undefined : 'nobody found, though somebody was';
  if (options.ignoreMissing) return undefined;
  if (isNobody) return 'done, though nobody was found';
  return options.events && verdicts.includes('nobody') ? 'done, though the events of nobody stay' : undefined;
}

/** What a state says of itself: every line is owed or settled, told is what the service said, exit codes are so. */
export function judge(
  { world, state }: Node,
  scene: Scene,
  core: typeof Core,
): Judgement & { readonly isProven?: boolean } {
  if (state === undefined) return {};
  const verdicts = verdictsOf(state, scene, core);
  const judged = { world, state, scene, core };
  for (const [at, verdict] of verdicts.entries()) {
    const fault = faultOfLine(verdict, at, judged);
    if (fault !== undefined) return { fault };
  }
  const tally = tallyOf(verdicts, scene);
  const exit = core.exitOf(state.run, tally);
  const fault = faultOfExit(exit, verdicts, scene);
  if (fault !== undefined) return { fault };
  if (world.log.agreed !== undefined && isTwice(state)) return { fault: 'a person is planned twice' };
  const person = judgePersons(verdicts, judged);
  if (person.fault !== undefined) return person;
  const isOwed = verdicts.some((one) => !SETTLED.includes(one));
  // What is refused is dear to ask: only where it is near.
  if (isOwed && exit === 8) return person;
  const proof = attempt(core, () => core.prove(state.run, tally));
  if (isOwed !== (proof === undefined)) return { fault: `${isOwed ? '' : 'not '}proven, wrongly` };
  if (proof === undefined) return person;
  if (world.log.hasSqlAnswered && !proof.stores.includes('sql'))
    return { fault: 'proven without SQL, though it answered' };
  return { isProven: true, ...(judgeEvents(verdicts, judged) ?? person) };
}

function isTwice({ batches }: State): boolean {
  const planned = batches.map(({ targets }) => [...targets.values()].filter((one) => one.isPlanned));
  const uuids = planned.flat().map(({ uuid }) => uuid);
  return new Set(uuids).size < uuids.length;
}

/** Nothing can know better if both stores are wrong at once about somebody, or the only one that answers. */
function excuse(fault: string, ids: readonly string[], { world, state }: Judged): Judgement {
  const { plan, later, wasSilentInPlan } = world.log;
  const isOneOf = (some: readonly string[]) => ids.some((id) => some.includes(id));
  const isCut = isOneOf(plan.cut) || isOneOf(later.cut);
  const isBehind = isOneOf(plan.behind) || isOneOf(later.behind);
  const told = `${fault}, by ${state.run.stores.join(' and ')}`;
  if (isCut && isBehind) return { excused: `${told}: both stores were wrong at once` };
  const isOnly = state.run.stores.length === 1 && isCut;
  if (isOnly || (isOneOf(plan.cut) && wasSilentInPlan))
    return { excused: `${told}: the only store left somebody out` };
  return { fault: told };
}

/** Events that had arrived when it was planned, or when somebody who was asked for was last in a call. */
function judgeEvents(verdicts: readonly Verdict[], judged: Judged): Judgement | undefined {
  const { world, scene } = judged;
  const { log, lines, events, excepted } = world;
  if (!scene.options.events) return undefined;
  const planned = dateOf(log.planned, scene) ?? msOf(log.planned);
  const until = Math.max(planned, ...Object.values(log.called));
  // The events of nobody stay, and nobody says otherwise: that run ends with 8.
  const proven = scene.named.filter((_, at) => ['gone', 'cleared'].includes(verdicts[at] ?? ''));
  const ids = proven.flatMap(({ line }) => lines[line]?.ids ?? []);
  const isLeft = ({ id, at }: World['events'][number]) =>
    ids.includes(id) && !excepted?.ids.includes(id) && msOf(at) <= until;
  const isTorn = ({ id }: World['events'][number]) => log.torn.includes(id);
  const isEarly = ({ id }: World['events'][number]) => log.early.includes(id);
  const isWrong = ({ id }: World['events'][number]) => log.wrongEvents.includes(id);
  const all = events.filter(isLeft);
  const left = all.find((one) => !isTorn(one) && !isEarly(one) && !isWrong(one)) ?? all[0];
  if (left === undefined) return undefined;
  const fault = `events are proven to be gone, though one of ${left.id} is there`;
  if (isTorn(left)) return { excused: `${fault}: somebody changed between look and call` };
  if (isEarly(left)) return { excused: `${fault}: others deleted them in the second of the look` };
  if (isWrong(left)) return { excused: `${fault}: the count or the status was behind` };
  return excuse(fault, [left.id], judged);
}

/**
 * Promises 2 and 3, for any moment and each line that is settled: somebody is still there who was asked for, or who has
 * an id with the data from then. What a merge left in a survivor whose ids of it were split off again shows nowhere, so
 * it is not judged.
 */
function judgePersons(verdicts: readonly Verdict[], judged: Judged): Judgement {
  const { world, scene } = judged;
  const { excepted, people, log } = world;
  if (scene.options.keep) return {};
  const settled = scene.named.filter((_, at) => SETTLED.includes(verdicts[at] ?? ''));
  if (settled.length === 0) return {};
  const asked = settled.flatMap(({ line }) => world.lines[line] ?? []);
  const isOwn = (instance: number) =>
    asked.some(({ instances }) => instances.includes(instance)) && !excepted?.instances.includes(instance);
  const isData = (one: string) =>
    asked.some(({ data }) => data.includes(one)) && !excepted?.data.includes(one);
  const holds = ({ instances, ids }: Someone, except: readonly string[]) =>
    isOwn(instances[0] ?? -1) || ids.some((id) => !except.includes(id) && isData(dataBehind(world, id)));
  const still = people.find((one) => holds(one, log.lost)) ?? people.find((one) => holds(one, []));
  if (still === undefined) return {};
  const fault = `settled, though ${still.uuid} is there`;
  if (!holds(still, log.lost)) return { excused: `${fault}: an id left before any answer showed it` };
  const names = namesOf(still);
  if (scene.most < 9 && names.some((id) => log.plan.behind.includes(id) || log.later.behind.includes(id)))
    return { excused: `${fault}: the list shows some ids only, and SQL was behind` };
  return excuse(fault, names, judged);
}
