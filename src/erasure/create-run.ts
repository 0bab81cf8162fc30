import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, systemCode } from '../errors.ts';
import { isInteger } from '../service/endpoint.ts';
import { LOOKED_UP_IDS } from '../service/person-conditions.ts';
import type { Entry } from './collect-ids.ts';
import {
  createMemberOf,
  createMembers,
  encodeEntry,
  fingerprintOf,
  type MemberLine,
  type MemberOf,
  sha256,
  writeCheckKey,
} from './entries.ts';
import { encodeLine, toJournalError } from './journal.ts';
import { listEntries } from './people.ts';
import type { Plan } from './plan.ts';
import type { People } from './resolve.ts';
import {
  hold,
  isUnbegun,
  type Run,
  type RunPlace,
  type RunPlan,
  runsDirectory,
  unfinishedMark,
} from './run.ts';
import {
  createRunDirectory,
  isLocked,
  listDirectories,
  type RunDirectory,
  type RunTools,
  takeLock,
  useRunDirectory,
} from './run-directory.ts';

export type Planned = { readonly plan: Plan; readonly people: readonly People[] };

/**
 * Writes the run down, complete and synced, before anything is sent: plan, ids, their members, key, and the first line
 * of the journal last, so that a run without one never sent anything. Throws a usage error if the place is not writable.
 */
export function createRun(place: RunPlace, planned: Planned, tools: RunTools): Run {
  const id = createRunId(tools);
  const path = 'directory' in place ? place.directory : join(runsDirectory(place.stateDirectory), id);
  try {
    const directory = createRunDirectory(path, tools.disk);
    const release = takeLock(directory, tools);
    try {
      write(directory, { id, at: new Date(tools.now()).toISOString() }, planned);
      return hold(directory, tools, release);
    } catch (error) {
      // Nothing was sent, and half a record would hold ids, take room, and keep the place from the next try.
      for (const name of directory.names()) directory.remove(name);
      if (!('directory' in place)) directory.removeAll();
      throw error;
    }
  } catch (error) {
    if (error instanceof CliError || systemCode(error) === undefined) throw error;
    throw notWritable(path, error);
  }
}

/**
 * Removes what crashes left there before the first step of a run, and tries whether a run could be written down, so that
 * nothing is asked of the service in vain. Throws the usage error that `createRun` would throw.
 */
export function preparePlace(place: RunPlace, context: Context): void {
  const isOwn = 'directory' in place;
  const parent = isOwn ? '' : runsDirectory(place.stateDirectory);
  for (const name of isOwn ? [place.directory] : listDirectories(parent)) {
    const path = isOwn ? name : join(parent, name);
    if (isMarked(path) && removeUnbegunRun(path, context, { withDirectory: !isOwn }))
      context.note(`Removed run ${name}, which crashed before it began.`);
  }
  checkPlace(place, context);
}

/** Without mark and lock, another process may be about to take it. */
function isMarked(path: string): boolean {
  const names = useRunDirectory(path).names();
  return names.some((name) => name === unfinishedMark || name.startsWith('lock-'));
}

/** The files that this program named, and then a directory that is empty. False for a run that has begun, or is about to. */
export function removeUnbegunRun(
  path: string,
  tools: RunTools,
  { withDirectory = false }: { readonly withDirectory?: boolean } = {},
): boolean {
  const directory = useRunDirectory(path);
  try {
    if (!hasNeverBegun(path, tools.owner)) return false;
    const release = takeLock(directory, tools);
    // Another process may have begun it before it was locked.
    if (!isUnbegun(directory)) {
      release();
      return false;
    }
    const isOwn = (name: string) => ownNames.includes(name) || /^(?:lock|claim)-/.test(name);
    for (const name of directory.names().filter(isOwn)) directory.remove(name);
    if (withDirectory && directory.names().length === 0) directory.removeAll();
    return true;
  } catch (error) {
    // Another process that begins a run removes it just now.
    if (error instanceof CliError || systemCode(error) === 'ENOENT') return false;
    throw systemCode(error) === undefined ? error : toJournalError(error, `${path} cannot be removed`);
  }
}

/** Whether a crash came before the first line of the journal, as far as this machine can tell. */
export function hasNeverBegun(path: string, owner: RunTools['owner']): boolean {
  const directory = useRunDirectory(path);
  return isUnbegun(directory) && !isLocked(directory, owner);
}

/** A directory that holds a run already is left to the comparison of the two. */
export function checkPlace(place: RunPlace, tools: RunTools): void {
  const isOwn = 'directory' in place;
  if (isOwn && useRunDirectory(place.directory).has('plan.json')) return;
  const path = isOwn
    ? place.directory
    : join(runsDirectory(place.stateDirectory), `.trial-${tools.owner.pid}-${createRunId(tools)}`);
  try {
    const directory = createRunDirectory(path, tools.disk);
    directory.writeNew('trial', ['x']);
    if (isOwn) directory.remove('trial');
    else directory.removeAll();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw notWritable(isOwn ? path : runsDirectory(place.stateDirectory), error);
  }
}

const ownNames = [unfinishedMark, 'check-key', 'ids', 'members.ndjson', 'plan.json', 'journal.ndjson'];

/** Sorts by time: `20261128T120000Z-k3x9f2`. */
export function createRunId({ now, random }: Pick<RunTools, 'now' | 'random'>): string {
  const time = new Date(now()).toISOString().replace(/[-:]|\.\d+/g, '');
  const suffix = Math.floor(random() * 36 ** 6).toString(36);
  return `${time}-${suffix.padStart(6, '0')}`;
}

function write(
  directory: RunDirectory,
  { id, at }: { readonly id: string; readonly at: string },
  { plan, people }: Planned,
): void {
  // Not the injected chance: a key that can be foretold lets people recognise ids in a report.
  const key = randomBytes(32);
  directory.writeNew(unfinishedMark, []);
  writeCheckKey(directory, key);
  const members = writeEntries(directory, key, people);
  const runPlan: RunPlan = { run: id, createdAt: at, ...plan, members, keyFingerprint: fingerprintOf(key) };
  const text = `${JSON.stringify(runPlan, null, 2)}\n`;
  directory.writeNew('plan.json', [text]);
  directory.sync();
  const { groups, batchSize } = plan;
  const first = encodeLine({ line: 1, at, type: 'created', run: id, groups, batchSize }, sha256(text));
  directory.writeNew('journal.ndjson', [`${first.text}\n`]);
  directory.sync();
  directory.remove(unfinishedMark);
}

/** The ids and how they appear in the report, side by side, since listing a million of them twice takes time. */
function writeEntries(
  directory: RunDirectory,
  key: Uint8Array,
  people: readonly People[],
): RunPlan['members'] {
  const memberOf = createMemberOf(key);
  const ids = directory.create('ids');
  try {
    const members = createMembers(directory);
    try {
      const addresses = addressesOf(people);
      for (const entry of listEntries(people)) {
        ids.add(encodeEntry(entry));
        members.add(toLine(entry, addresses.get(entry.id), memberOf));
      }
      for (const address of unfoundOf(people)) members.addUnfound(memberOf('emails', address));
      ids.finish();
      return members.finish();
    } finally {
      members.close();
    }
  } finally {
    ids.close();
  }
}

/** The addresses by which persons were given, by the id that they lead to. */
function addressesOf(people: readonly People[]): ReadonlyMap<string, string> {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  return new Map(lines.flatMap(({ id, address }) => (address === undefined ? [] : [[id, address.given]])));
}

/** Addresses without a person, so that the request list can be answered from the record. */
function unfoundOf(people: readonly People[]): ReadonlySet<string> {
  const lines = people.flatMap(({ list }) => list.lines ?? []);
  return new Set(
    lines.flatMap(({ address }) => (address?.outcome === 'nobody' ? address.given.toLowerCase() : [])),
  );
}

function toLine({ kind, id, person }: Entry, address: string | undefined, memberOf: MemberOf): MemberLine {
  const line = { member: memberOf(kind, id), kind };
  const email = address ?? person?.email;
  const known = email === undefined ? {} : { email: email && memberOf('emails', email) };
  if (person === null) return { ...line, person };
  if (person === undefined) {
    const form = isInteger(id) ? 'integer' : 'uuid';
    return { ...line, ...(kind === 'ids' ? { form } : {}), ...known };
  }
  const distinctIds = person.distinctIds.map((one) => memberOf('distinct-ids', one));
  const sent = person.sendAs === undefined ? {} : { sentAs: memberOf('ids', person.sendAs) };
  const more = distinctIds.length < LOOKED_UP_IDS ? {} : { mayHaveMore: person.mayHaveMore === true };
  return { ...line, person: memberOf('ids', person.uuid), ...sent, distinctIds, ...more, ...known };
}

function notWritable(path: string, cause: unknown): CliError {
  const code = systemCode(cause);
  const reason = code === 'ENOTEMPTY' ? ': a run, or something else, is there already' : ` (${code})`;
  return new CliError('usage', `the run cannot be written to ${path}${reason}`, {
    hint: 'nothing was sent; name an empty or new directory with --run-dir, or set HOGCTL_STATE_DIR',
    cause,
  });
}
