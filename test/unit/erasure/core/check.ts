/** Tries the core in small worlds: every sequence of steps up to a bound, long walks by chance, and an honest run. */
import * as core from '../../../../src/erasure/core.ts';
import type { Batch, Run, Target } from '../../../../src/erasure/facts.ts';
import { honest, WAYS } from './honest.ts';
import { judge } from './oracle.ts';
import { probes } from './probes.ts';
import { isFindable, isSendable, larger, scenes, starts } from './scenes.ts';
import { type Bounds, type Next, type Node, step } from './steps.ts';
import { begin, type Scene } from './world.ts';

export type Fault = { readonly scene: string; readonly trace: readonly string[]; readonly fault: string };

export type Count = { states: number; steps: number; proven: number; excused: Map<string, number> };

export const newCount = (): Count => ({ states: 0, steps: 0, proven: 0, excused: new Map() });

const bounds: Bounds = { changes: 3, calls: 2 };

type Traced = Node & { readonly label: string; readonly before: Traced | undefined };

function traceOf(node: Traced | undefined): readonly string[] {
  return node === undefined ? [] : [...traceOf(node.before), ...(node.label === '' ? [] : [node.label])];
}

/** What is wrong with a step, counted if it is one of the faults that nothing could prevent. */
function look(next: Next, one: Scene, count: Count): string | undefined {
  const judged = next.fault === undefined ? judge(next, one, core) : { fault: next.fault };
  for (const excused of [next.excused, 'excused' in judged ? judged.excused : undefined]) {
    if (excused === undefined) continue;
    const kind = excused.replace(/[UV]:\S+|one of \S+ is/g, 'somebody');
    count.excused.set(kind, (count.excused.get(kind) ?? 0) + 1);
  }
  if ('isProven' in judged && judged.isProven) count.proven += 1;
  return judged.fault;
}

/** Numbers for values by content, so that a state has a short key: most parts of it are those of the state before. */
function createKeys() {
  const byContent = new Map<string, number>();
  const byObject = new WeakMap<object, number>();
  const numberOf = (value: object | undefined): number => {
    if (value === undefined) return -1;
    const known = byObject.get(value);
    if (known !== undefined) return known;
    const content = JSON.stringify(value);
    const number = byContent.get(content) ?? byContent.size;
    byContent.set(content, number);
    byObject.set(value, number);
    return number;
  };
  const byBatch = new WeakMap<Batch, string>();
  const ofBatch = (batch: Batch): string => {
    const { named, targets, calls, time, youngest } = batch;
    const known = byBatch.get(batch);
    if (known !== undefined) return known;
    const own = [...targets.values()].map((one: Target) => numberOf(one));
    const key = `${numberOf({ names: [...named], time, youngest })} ${calls.length} ${own.join()}`;
    byBatch.set(batch, key);
    return key;
  };
  const byRun = new WeakMap<Run, number>();
  const ofRun = (run: Run): number => {
    const known = byRun.get(run);
    if (known !== undefined) return known;
    const number = numberOf([run.agreed ?? -1, run.stores, [...run.spared], [...run.excepted]]);
    byRun.set(run, number);
    return number;
  };
  return ({ world, state }: Node): string => {
    const { t, instances, changes, people, past, gens, queue, events, pastEvents, rows, pastRows, log } =
      world;
    const parts = [people, past, gens, queue, events, pastEvents, rows, pastRows, log].map(numberOf);
    const frozen = [world.asked, world.excepted, world.lines].map(numberOf);
    const own = state === undefined ? [] : [ofRun(state.run), ...state.batches.map(ofBatch)];
    return [t, instances, changes, ...parts, ...frozen, ...own].join();
  };
}

function startOf(one: Scene, labels: readonly RegExp[]): Traced {
  let node: Traced = { world: begin(one), state: undefined, label: '', before: undefined };
  for (const wanted of labels) {
    const next = [...step(node, one, bounds, core)].find(({ label }) => wanted.test(label));
    if (next === undefined) throw new core.Contradiction(`cannot: ${wanted} in ${one.name}`);
    node = { world: next.world, state: next.state, label: next.label, before: node };
  }
  return node;
}

/** Every sequence of so many steps from a start, in the order of their length; from a state that was there, no further. */
function explore(one: Scene, start: Traced, steps: number, count: Count): Fault | undefined {
  const seen = new Set<string>();
  const keyOf = createKeys();
  let frontier: readonly Traced[] = [start];
  for (let depth = 1; depth <= steps; depth += 1) {
    const further: Traced[] = [];
    for (const node of frontier)
      for (const next of step(node, one, bounds, core)) {
        count.steps += 1;
        // The last ones are most, and a judgement takes less time than a key.
        const key = depth < steps ? keyOf(next) : undefined;
        if (next.fault === undefined && key !== undefined && seen.has(key)) continue;
        const fault = look(next, one, count);
        if (fault !== undefined) return { scene: one.name, trace: [...traceOf(node), next.label], fault };
        if (key === undefined) continue;
        seen.add(key);
        further.push({ world: next.world, state: next.state, label: next.label, before: node });
      }
    count.states += further.length;
    frontier = further;
  }
  return undefined;
}

function createChance(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Long walks, in which each kind of step is as likely as another. */
function walk(one: Scene, walks: number, seed: number, count: Count): Fault | undefined {
  const chance = createChance(seed);
  const far = { changes: 8, calls: 6 };
  for (let round = 0; round < walks; round += 1) {
    let node: Traced = { world: begin(one), state: undefined, label: '', before: undefined };
    for (let length = 0; length < 30; length += 1) {
      const all = [...step(node, one, far, core)];
      const kinds = [...new Set(all.map(({ label }) => label.split(' ')[0]))];
      const kind = kinds[Math.floor(chance() * kinds.length)];
      const some = all.filter(({ label }) => label.split(' ')[0] === kind);
      const next = some[Math.floor(chance() * some.length)];
      if (next === undefined) break;
      count.steps += 1;
      const fault = look(next, one, count);
      node = { world: next.world, state: next.state, label: next.label, before: node };
      if (fault !== undefined) return { scene: one.name, trace: traceOf(node), fault };
    }
  }
  return undefined;
}

/** What an honest run or a probe does not get; a core that refuses everything passes the worlds. */
function plain(some: readonly Scene[]): Fault | undefined {
  for (const { name, isSo } of probes)
    if (!isSo(core)) return { scene: 'a probe', trace: [name], fault: 'the core answers otherwise' };
  for (const one of some.filter(isFindable))
    for (const way of WAYS) {
      if (way !== 'at once' && !isSendable(one)) continue;
      const fault = honest(one, way, core);
      if (fault !== undefined) return { scene: one.name, trace: [`an honest run, ${way}`], fault };
    }
  return undefined;
}

/**
 * How many steps from the beginning, from a plan that is agreed to (as many unless given), and from a start that is far
 * already; how many walks in each scene, and of which chance.
 */
export type Effort = {
  readonly steps: number;
  readonly agreed?: number;
  readonly far: number;
  readonly walks: number;
  readonly seed?: number;
  readonly only?: RegExp;
};

/** Tries every scene from every start, the far ones first, then the walks. */
export function check(
  { steps, agreed = steps, far, walks, seed = 1, only = /./ }: Effort,
  count = newCount(),
): Fault | undefined {
  const traceLimit = Error.stackTraceLimit;
  // What the core refuses is no error here, and there are hundreds of thousands.
  Error.stackTraceLimit = 0;
  try {
    const isWanted = ({ name }: Scene) => only.test(name);
    const some = scenes.filter(isWanted);
    const fault = plain(some);
    if (fault !== undefined) return fault;
    for (const { labels, isFor = () => true } of [...starts].reverse())
      for (const one of some.filter(isFor)) {
        const near = labels.length > 0 ? agreed : steps;
        const found = explore(one, startOf(one, labels), labels.length > 2 ? far : near, count);
        if (found !== undefined) return found;
      }
    for (const [at, one] of [...scenes, ...larger].entries()) {
      const found = isWanted(one) ? walk(one, walks, seed + at, count) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  } finally {
    Error.stackTraceLimit = traceLimit;
  }
}

export function describeFault({ scene, trace, fault }: Fault): string {
  return [fault, `  in: ${scene}`, ...trace.map((one) => `  - ${one}`)].join('\n');
}
