import { basename, dirname, join } from 'node:path';
import type { RowFile } from '../cli/context/create-files.ts';
import type { Context } from '../cli/context.ts';
import { CliError, changed, counted, excerpt, isRefusal, usageError } from '../errors.ts';
import { asObject, filled, isList, type Json, type JsonObject } from '../json/kinds.ts';
import { parseJson, toJsonText } from '../json/text.ts';
import { begun } from '../print/rows.ts';
import {
  type ConditionOptions,
  conditionParameters,
  hasConditions,
  type PersonConditions,
  readConditions,
} from '../semantics/person-conditions.ts';
import type { Progress, Told } from '../system/output.ts';
import { readByKey } from './persons-by-key.ts';
import { exportColumns, type ListPlace, readByList, type Section } from './persons-by-list.ts';

type ExportInput = ConditionOptions & {
  readonly via?: 'auto' | Way | undefined;
  readonly resume?: string | undefined;
};

/** Exports all persons, or those who satisfy conditions, who come from the list; with `resume` part by part. */
export async function exportAll(
  { via = 'auto', resume, ...options }: ExportInput,
  context: Context,
): Promise<void> {
  const conditions = readConditions(options, await context.settings());
  const reading = { via: hasConditions(options) ? ('list' as const) : via, conditions };
  if (resume !== undefined) return exportInParts({ ...reading, resume }, context);
  await context.print(rowsOf(reading, context), exportColumns);
}

async function* rowsOf(reading: Omit<Reading, 'from'>, context: Context): AsyncGenerator<readonly Json[]> {
  const first = 'waiting for the first persons';
  const progress = context.progress({ label: 'persons', first, amidRows: true });
  try {
    for await (const { rows, place, total } of readParts({ ...reading, from: undefined }, context)) {
      tellProgress(progress, { done: place.rows, total });
      yield rows;
    }
  } finally {
    progress.end();
  }
}

/** People who come meanwhile make the total more. */
function tellProgress(progress: Progress, { done, total }: Told): void {
  if (total === undefined) progress.update(done);
  else progress.follow({ done, total: Math.max(done, total) });
}

/** `settled`: the rows up to here came in answers that were whole, so it can be gone on from here. */
type Part = Pick<Section, 'rows' | 'total'> & { readonly place: Place; readonly settled: boolean };

type Reading = {
  readonly via: 'auto' | Way;
  readonly from: Place | undefined;
  readonly conditions: PersonConditions;
};

/** All persons, part by part, from a place on. A note says which way was chosen. */
async function* readParts(reading: Reading, context: Context): AsyncGenerator<Part> {
  const { way, sections } = await open(reading, context);
  // There may be thousands of pages more.
  context.system.saveMemory('rows');
  context.note(
    way === 'query'
      ? 'Reading persons through SQL, ordered by id.'
      : 'Reading persons from the list, newest first.',
  );
  let { after, rows: count } = reading.from ?? { after: null, rows: 0 };
  for await (const { rows, settled, list, total } of sections) {
    count += rows.length;
    after = settled ?? after;
    const place = { way, after, rows: count, ...(list === undefined ? {} : { list }) };
    yield { rows, place, settled: settled !== undefined, total };
  }
}

type Opened = { readonly way: Way; readonly sections: AsyncIterable<Section> };

/** The way of the place; without one SQL, or with `auto` the list if the service refuses SQL. */
async function open({ via, from, conditions }: Reading, context: Context): Promise<Opened> {
  const way = from?.way ?? (via === 'list' ? 'list' : 'query');
  if (way === 'list') return { way, sections: readByList({ from: from?.list, conditions }, context) };
  try {
    return { way, sections: await begun(readByKey(from?.after ?? undefined, context)) };
  } catch (failure) {
    if (from !== undefined || via !== 'auto' || !isRefusal(failure, REFUSED)) throw failure;
    context.note(`Cannot use SQL for this: ${failure.message}.`);
    return { way: 'list', sections: readByList({ from: undefined, conditions }, context) };
  }
}

const REFUSED = [400, 403, 404, 405, 501];

type Resuming = Omit<Reading, 'from'> & { readonly resume: string };

/**
 * Exports into a file that grows. After each answer the state says how far it is; what comes after that place is cut
 * off and read again, so no row is lost and none comes twice.
 */
async function exportInParts({ via, resume, conditions }: Resuming, context: Context): Promise<void> {
  const state = await readState(resume, conditions, context);
  checkWay(via, { resume, way: state.place?.way });
  if (state.place !== null) context.note(`Continuing after ${state.place.rows} persons.`);
  const file = await openFile(state, resume, context);
  let { place, bytes } = state;
  const before = place?.rows ?? 0;
  const label = before === 0 ? 'persons' : 'more persons';
  const progress = context.progress({ label, first: 'waiting for the first persons' });
  // When more is asked for, what was given is in the file.
  async function* pages(): AsyncGenerator<readonly Json[]> {
    for await (const part of readParts({ via, conditions, from: place ?? undefined }, context)) {
      yield part.rows;
      const total = part.total && part.total - before;
      tellProgress(progress, { done: part.place.rows - before, total });
      if (!part.settled) continue;
      place = part.place;
      bytes = await file.settle();
      await writeState(resume, { ...state, place, bytes }, context);
    }
  }
  try {
    await removeUnfinished(resume, context);
    await file.add(pages(), exportColumns);
    bytes = await file.settle();
    // Said first: until the file has its name, the next export starts over and mixes nothing.
    await writeState(resume, { ...state, place, bytes, complete: true }, context);
    await file.complete();
    progress.end();
    context.note(`Saved ${counted(place?.rows ?? 0, 'row')} to ${state.file}.`);
  } catch (failure) {
    // What was written stays, for the next time.
    await file.close().catch(() => {});
    throw withTrueHint(failure, { resume, hasBegun: place !== null });
  } finally {
    progress.end();
  }
}

/** The two ways have orders of their own, so that neither can go on where the other stopped. */
function checkWay(
  via: Resuming['via'],
  { resume, way = via }: { readonly resume: string; readonly way: Resuming['via'] | undefined },
): void {
  if (via !== 'auto' && via !== way)
    throw usageError(
      `the export in ${resume} uses --via ${way}, and cannot change to ${via}`,
      `leave out --via, or ${beginAnew(resume)}`,
    );
}

async function openFile({ file, bytes }: State, resume: string, { files }: Context): Promise<RowFile> {
  try {
    return await files.resumeRows(file, bytes);
  } catch (failure) {
    // What was written is gone, while the state tells of it.
    const isGone = failure instanceof CliError && failure.hint === undefined && bytes > 0;
    throw isGone ? changed(failure, { hint: beginAnew(resume) }) : failure;
  }
}

const GOES_ON = 'run the same command again to continue';

/** What there is to do if the state tells how far the export is. */
function withTrueHint(
  failure: unknown,
  { resume, hasBegun }: { resume: string; hasBegun: boolean },
): unknown {
  if (!(failure instanceof CliError)) return failure;
  const { kind, hint = GOES_ON } = failure;
  // The same command would find the place no better.
  if (kind === 'partial') return changed(failure, { hint: beginAnew(resume) });
  if (!hasBegun || hint.includes(GOES_ON)) return failure;
  if (kind === 'interrupted' || kind === 'terminated') return changed(failure, { hint: GOES_ON });
  return kind === 'unavailable' ? changed(failure, { hint: `${hint}; ${GOES_ON}` }) : failure;
}

function beginAnew(resume: string): string {
  return `remove ${resume} to start over`;
}

type Way = 'query' | 'list';

/** How far an export is: the way it goes, the id of its last row, how many rows it has, and its place in the list. */
type Place = {
  readonly way: Way;
  readonly after: string | null;
  readonly rows: number;
  readonly list?: ListPlace;
};

/** How far an export is, and what it must have in common with the command that goes on with it. */
type State = {
  readonly host: string;
  readonly project: string;
  readonly file: string;
  readonly format: string;
  readonly columns: string;
  /** What selects the persons, as JSON; `{}` for all of them. */
  readonly conditions: string;
  /** Length of the file up to the place. */
  readonly bytes: number;
  readonly place: Place | null;
  readonly complete: boolean;
};

const SAME = ['host', 'project', 'file', 'format', 'columns', 'conditions'] as const;

/** The state in a file, or the first one: after a complete export too, which a note says. Throws for another export's. */
async function readState(path: string, conditions: PersonConditions, context: Context): Promise<State> {
  const fresh = await firstState(conditions, context);
  const names = await context.files.list(dirname(path));
  if (names?.includes(basename(path)) !== true) return fresh;
  const found = asState(await parse(path, context));
  if (found === undefined) throw usageError(`${path} is not the state of an export`, 'choose another file');
  const other = SAME.find((name) => found[name] !== fresh[name]);
  if (other !== undefined) {
    throw usageError(
      `${path} belongs to another export: its ${other} ${other.endsWith('s') ? 'are' : 'is'} ${excerpt(found[other])}, not ${excerpt(fresh[other])}`,
      'repeat the command of that export, or choose another file',
    );
  }
  if (!found.complete) return found;
  context.note(`The export to ${found.file} is complete, so a new one starts.`);
  return fresh;
}

/** Writes the state, whole. It names persons. */
async function writeState(path: string, state: State, context: Context): Promise<void> {
  await context.files.writeText(path, `${toJsonText(state, { indent: 2 })}\n`, { secret: true });
}

/** Removes what is left of an export that was killed while it wrote the state. None may be at work. */
async function removeUnfinished(path: string, { files }: Context): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of (await files.list(dirname(path))) ?? []) {
    const isUnfinished = name.startsWith(start) && /^\d+-\w+\.part$/.test(name.slice(start.length));
    if (isUnfinished) await files.remove(join(dirname(path), name));
  }
}

async function firstState(conditions: PersonConditions, context: Context): Promise<State> {
  const { host, project } = await context.settings();
  const { save = '', output = '', columns, headers } = context.options;
  return {
    host: host.address,
    project: project.id,
    file: save,
    format: output,
    columns: `${(columns ?? exportColumns.map(({ key }) => key)).join(',')}${headers === false ? ', no headers' : ''}`,
    conditions: toJsonText(filled(conditionParameters(conditions))),
    bytes: 0,
    place: null,
    complete: false,
  };
}

async function parse(path: string, context: Context): Promise<Json> {
  try {
    return parseJson(await context.files.readText(path));
  } catch {
    // Whatever it is, it was not written by an export.
    return null;
  }
}

function asState(value: Json): State | undefined {
  // Earlier versions took no conditions, and wrote none down.
  const object: JsonObject = { conditions: '{}', ...asObject(value) };
  const isWhole =
    SAME.every((name) => typeof object[name] === 'string') &&
    typeof object.bytes === 'number' &&
    typeof object.complete === 'boolean' &&
    (object.place === null || isPlace(asObject(object.place)));
  // Each field was looked at.
  return isWhole ? (object as State) : undefined;
}

function isPlace({ way, after, rows, list }: JsonObject = {}): boolean {
  const { offset, last } = asObject(list) ?? {};
  const isKnown = way === 'query' || (way === 'list' && typeof offset === 'number' && isList(last));
  return isKnown && (after === null || typeof after === 'string') && typeof rows === 'number';
}
