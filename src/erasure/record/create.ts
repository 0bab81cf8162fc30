import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CliError, systemCode } from '../../errors.ts';
import type { Stderr } from '../../system/output.ts';
import { daysOf } from '../input/deadline.ts';
import { givenOf, type People } from '../input/given.ts';
import type { Spared } from '../people/exceptions.ts';
import { macFile, macOf, sha256 } from './digest.ts';
import {
  checkPlace,
  createRunDirectory,
  createRunId,
  listDirectories,
  notWritable,
  type RunDirectory,
  type RunPlace,
  type RunTools,
  runsDirectory,
  takeLock,
  useRunDirectory,
} from './directory.ts';
import { listBatches } from './entry.ts';
import { encodeLine, signed } from './journal.ts';
import { fingerprintOf, writeCheckKey, writeEntries } from './members.ts';
import { hold, type Run, type RunPlan, toolsOf } from './open.ts';
import type { Plan } from './plan.ts';
import { removeUnbegunRun, unfinishedMark } from './unreadable.ts';

export type Planned = {
  readonly plan: Plan;
  readonly people: readonly People[];
  /** Whom the exceptions protect. */
  readonly spared: Spared;
};

/**
 * Writes the run down, complete and synced, before anything is sent: plan, ids, their members, key, and the first line
 * of the journal last, so that a run without one never sent anything. Throws a usage error if the place is not writable.
 */
export function createRun({ stateDirectory }: RunPlace, planned: Planned, tools: RunTools): Run {
  const id = createRunId(tools);
  const path = join(runsDirectory(stateDirectory), id);
  try {
    const directory = createRunDirectory(path, toolsOf(tools));
    const release = takeLock(directory, tools);
    try {
      write(directory, id, planned, tools);
      return hold(directory, { ...tools, isFresh: true }, release);
    } catch (error) {
      // Nothing was sent, and half a record would hold ids, take room, and keep the place from the next try.
      directory.removeAll();
      throw error;
    }
  } catch (error) {
    if (error instanceof CliError || systemCode(error) === undefined) throw error;
    throw notWritable(path, error);
  }
}

function write(directory: RunDirectory, id: string, { plan, people, spared }: Planned, tools: RunTools) {
  const at = new Date(tools.now()).toISOString();
  // Not the injected chance: a key that can be foretold lets people recognise ids in a report.
  const key = randomBytes(32);
  directory.writeNew(unfinishedMark, []);
  writeCheckKey(directory, key);
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  const { sizes: batches, members } = writeEntries(directory, key, {
    ...spared,
    batches: listBatches(people, plan.batchSize),
    addresses: new Map(
      lines.flatMap(({ id, address }) => (address && id !== '' ? [[id.toLowerCase(), address.given]] : [])),
    ),
    unfound: lines.flatMap(({ address }) => (address?.outcome === 'nobody' ? address.given : [])),
    held: lines.filter(({ excepted }) => excepted !== undefined).map(givenOf),
    dayOf: daysOf(lines),
  });
  const runPlan: RunPlan = { run: id, createdAt: at, ...plan, members, keyFingerprint: fingerprintOf(key) };
  const text = `${JSON.stringify(runPlan, null, 2)}\n`;
  directory.writeNew('plan.json', [text]);
  const own = tools.records.key.make();
  if (own !== undefined) directory.writeNew(macFile, [`${macOf(own, text)}\n`]);
  directory.sync();
  const created = signed({ type: 'created', run: id, batches }, tools.records.author?.());
  const first = encodeLine({ line: 1, at, ...created }, sha256(text));
  directory.writeNew('journal.ndjson', [`${first.text}\n`]);
  directory.sync();
  directory.remove(unfinishedMark);
}

/**
 * Removes what crashes left there before the first step of a run, and tries whether a run could be written down, so that
 * nothing is asked of the service in vain. Throws the usage error that `createRun` would throw.
 */
export function preparePlace(place: RunPlace, tools: RunTools & Pick<Stderr, 'note'>): void {
  const parent = runsDirectory(place.stateDirectory);
  for (const name of listDirectories(parent)) {
    const path = join(parent, name);
    if (isMarked(path) && removeUnbegunRun(path, tools))
      tools.note(`Removed run ${name}, which crashed before it began.`);
  }
  checkPlace(place, tools);
}

/** Without mark and lock, another process may be about to take it. */
function isMarked(path: string): boolean {
  const names = useRunDirectory(path).names();
  return names.some((name) => name === unfinishedMark || name.startsWith('lock-'));
}
