import type { Context } from '../cli/context.ts';
import type { RowFile } from '../cli/create-files.ts';
import { CliError, changed, counted, usageError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import {
  type ConditionOptions,
  hasConditions,
  type PersonConditions,
  readConditions,
} from '../service/person-conditions.ts';
import type { Progress, Told } from '../system/output.ts';
import { readByKey } from './persons-by-key.ts';
import { exportColumns, readByList, type Section } from './persons-by-list.ts';
import { type Place, readState, removeUnfinished, type State, type Way, writeState } from './resume-state.ts';

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
  context.saveMemory();
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
    if (from !== undefined || via !== 'auto' || !isRefusal(failure)) throw failure;
    context.note(`Cannot use SQL for this: ${failure.message}.`);
    return { way: 'list', sections: readByList({ from: undefined, conditions }, context) };
  }
}

const BAD_KEY = ['authentication_failed', 'not_authenticated'];

const REFUSED = [400, 403, 404, 405, 501];

/** A key that is wrong is wrong for the list as well. */
function isRefusal(failure: unknown): failure is CliError {
  if (!(failure instanceof CliError) || failure.status === undefined) return false;
  return REFUSED.includes(failure.status) && !BAD_KEY.includes(failure.code ?? '');
}

/**
 * The same items, the first of which has been read: what the service refuses is known before anything is printed.
 * Throws what reading it throws.
 */
export async function begun<Item>(reader: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await reader.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* reader;
  })();
}

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
