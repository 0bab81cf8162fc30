/**
 * An honest run: the service does what it is asked, nobody else is at work, and the program asks only what the core says
 * is to be asked. It has to be sent, told and proven; otherwise a core that refuses everything would pass.
 */
import type * as Core from '../../../../src/erasure/core.ts';
import type { Batch, Fact, StoreName } from '../../../../src/erasure/facts.ts';
import { tallyOf, verdictsOf } from './oracle.ts';
import { outcomesOf } from './service.ts';
import { type Node, type State, step } from './steps.ts';
import { eventLooks, looksAt } from './stores.ts';
import { begin, changesOf, type Scene, type World } from './world.ts';

export const WAYS = ['at once', 'after a lost answer', 'after a crash', 'a day later'] as const;

type Way = (typeof WAYS)[number];

type Progress = { world: World; state: State };

const none = { changes: 0, calls: 0 };

function go(node: Node, scene: Scene, core: typeof Core, wanted: RegExp): Node {
  const next = [...step(node, scene, none, core)].find(({ label }) => wanted.test(label));
  if (next === undefined) throw new core.Contradiction(`cannot: ${wanted}`);
  return next;
}

function tell(progress: Progress, at: number, fact: Fact, core: typeof Core): Batch {
  const { run, batches } = progress.state;
  const after = core.apply(run, batches[at], fact);
  progress.state = { run, batches: batches.map((batch, index) => (index === at ? after : batch)) };
  return after;
}

/** Asks a store, in words of the scene, and tells what it truly answers. */
function ask(
  progress: Progress,
  at: number,
  asked: readonly string[],
  { store, scene, core, wanted = /answers$/, overdue }: Asking,
): void {
  if (asked.length === 0) return;
  const looks = [...looksAt(progress.world, { store, asked }, scene)];
  const sighting = looks.find(({ label }) => wanted.test(label))?.sighting;
  if (sighting === undefined) throw new core.Contradiction(`cannot: ${wanted}`);
  tell(progress, at, { type: 'saw', sighting: { ...sighting, ...(overdue ? { overdue } : {}) } }, core);
}

type Asking = {
  readonly store: StoreName;
  readonly scene: Scene;
  readonly core: typeof Core;
  readonly wanted?: RegExp;
  readonly overdue?: readonly number[];
};

/** One call for a batch, after the looks that it wants, and the looks right after it. */
function send(progress: Progress, at: number, { scene, core }: Asking, outcome: RegExp): boolean {
  const asking = { store: 'list', scene, core } as const;
  const batch = () => progress.state.batches[at] as Batch;
  const questions = () => core.questionsOf(progress.state.run, batch());
  ask(progress, at, questions().beforeSending, asking);
  for (const uuid of questions().alone)
    ask(progress, at, [uuid], { ...asking, wanted: new RegExp(`reads ${uuid} alone$`) });
  const uuids = core.toSend(progress.state.run, batch());
  if (uuids.length === 0) return false;
  const call = batch().calls.length;
  tell(progress, at, { type: 'sending', uuids }, core);
  const outcomes = [...outcomesOf(progress.world, { uuids, call, isAll: false }, scene)];
  const taken = outcomes.find(({ label }) => outcome.test(label));
  if (taken === undefined) throw new core.Contradiction(`cannot: ${outcome}`);
  progress.world = taken.world;
  for (const fact of taken.facts) tell(progress, at, fact, core);
  prove(progress, at, asking, call);
  return true;
}

function prove(progress: Progress, at: number, asking: Asking, call?: number): void {
  const { run, batches } = progress.state;
  const { free } = asking.core.questionsOf(run, batches[at] as Batch, call);
  ask(progress, at, free.list, asking);
  ask(progress, at, free.sql, { ...asking, store: 'sql' });
}

const taken = /^call: (deleted|taken without a word)$/;

/** What is not as it has to be; nothing if all is. */
export function honest(scene: Scene, way: Way, core: typeof Core): string | undefined {
  try {
    return run(scene, way, core);
  } catch (error) {
    if (error instanceof core.Contradiction) return error.message;
    throw error;
  }
}

function run(scene: Scene, way: Way, core: typeof Core): string | undefined {
  const planned = go({ world: begin(scene), state: undefined }, scene, core, /^plan: list answers, /);
  const { world, state } = go(planned, scene, core, /^agreed to/);
  if (state === undefined) return 'not planned';
  // Later, so that what a clock is off by does not matter; events came in the second of the call.
  const t = world.t + 9;
  const events = scene.skew === 0 ? world.events.map((one) => ({ ...one, at: t })) : world.events;
  const progress: Progress = { world: { ...world, t, events }, state };
  const asking: Asking = { store: 'list', scene, core };
  for (const at of state.batches.keys()) {
    tell(progress, at, { type: 'aged', by: 'session' }, core);
    if (way === 'after a lost answer') send(progress, at, asking, /call: lost on the way there$/);
    if (way === 'after a crash') send(progress, at, asking, /crash before the call$/);
    if (way === 'a day later') {
      send(
        progress,
        at,
        asking,
        scene.options.keep ? taken : /call: (queued and forgotten|taken .*nothing done)$/,
      );
      const { run: all, batches } = progress.state;
      if (core.toSend(all, batches[at] as Batch).length > 0) return 'sent again, though it was taken';
      const { free } = core.questionsOf(all, batches[at] as Batch);
      const uuids = [...(batches[at] as Batch).targets.keys()];
      ask(progress, at, scene.options.keep ? uuids : free.list, { ...asking, overdue: [0] });
    }
    const isSent = send(progress, at, asking, taken);
    const isAgain = way !== 'at once' && !(way === 'a day later' && scene.options.keep);
    if (way !== 'at once' && isSent !== isAgain) return isSent ? 'sent again' : 'not sent again';
  }
  return endOf(progress, scene, core);
}

function endOf(progress: Progress, scene: Scene, core: typeof Core): string | undefined {
  const { options, odd, named } = scene;
  const tally = () => tallyOf(verdictsOf(progress.state, scene, core), scene);
  const isOfNobody = named.some(({ line }) => line === 'x1');
  const isMissing = isOfNobody && !options.ignoreMissing && (options.events || named.length === 1);
  const waits = options.events === true && named.some(({ line }) => line !== 'x1');
  const exit = core.exitOf(progress.state.run, tally());
  const expected = odd.length > 0 || (isMissing && named.length > 1) ? 8 : 0;
  const right = isMissing && named.length === 1 ? 3 : expected;
  if (exit !== right) return `ends with ${exit}, not ${right}`;
  if (waits) return endOfEvents(progress, scene, core);
  const { stores } = core.prove(progress.state.run, tally());
  return stores.length === (scene.hasSql && !scene.isSqlLate ? 2 : 1)
    ? undefined
    : 'proven by another number of stores';
}

/** By the status and by each count: not before the events are worked off, and then at once. */
function endOfEvents(progress: Progress, scene: Scene, core: typeof Core): string | undefined {
  const before = { ...progress };
  const isProven = () => {
    const verdicts = verdictsOf(progress.state, scene, core);
    return verdicts.every((verdict) => !core.isOwed(verdict));
  };
  const worked = [...changesOf(progress.world, scene, 0)].find(
    ({ label }) => label === 'events are worked off',
  );
  if (worked === undefined) return 'nothing to work off';
  const ways = scene.hasSql ? [/^count answers$/] : [];
  if (scene.hasSql && scene.skew !== undefined) ways.push(/^count up to the call answers$/);
  if (scene.skew !== undefined) ways.push(/^status answers$/);
  for (const way of ways)
    for (const world of [before.world, worked.world]) {
      Object.assign(progress, before, { world: { ...world, t: world.t + 16 } });
      for (const [at, batch] of progress.state.batches.entries()) {
        // Who stays is looked at again.
        if (scene.options.keep) ask(progress, at, [...batch.targets.keys()], { store: 'list', scene, core });
        const { events } = core.questionsOf(progress.state.run, batch);
        const look = [...eventLooks(progress.world, events, scene)].find(({ label }) => way.test(label));
        if (look === undefined) return `cannot: ${way}`;
        tell(progress, at, look.fact, core);
      }
      if (isProven() !== (world === worked.world))
        return `events by ${way}: ${isProven() ? '' : 'not '}proven`;
    }
  return undefined;
}
