import type { Context } from '../../../cli/context.ts';
import type { RowFile } from '../../../cli/create-files.ts';
import { CliError, changed, usageError } from '../../../errors.ts';
import type { RowPage } from '../../../output/row-page.ts';
import { exportColumns } from './exported-row.ts';
import { personParts, type Way } from './person-parts.ts';
import { readState, removeUnfinished, type State, writeState } from './resume-state.ts';
import { tellProgress } from './tell-progress.ts';

type Wish = { readonly via: 'auto' | Way; readonly resume: string };

/**
 * Exports into a file that grows. After each answer that was seen to its end the state says how far it is, so that
 * whatever comes after the place it tells of is cut off and read again: no row is lost, none comes twice.
 */
export async function exportInParts({ via, resume }: Wish, context: Context): Promise<void> {
  const state = await readState(resume, context);
  checkWay(via, { resume, way: state.place?.way });
  if (state.place !== null) context.note(`Going on after ${state.place.rows} persons.`);
  const file = await openFile(state, resume, context);
  let { place, bytes } = state;
  const before = place?.rows ?? 0;
  const label = before === 0 ? 'persons' : 'more persons';
  const progress = context.progress({ label, first: 'waiting for the first persons' });
  // When more is asked for, what was given is in the file.
  async function* pages(): AsyncGenerator<RowPage> {
    for await (const part of personParts({ via, from: place ?? undefined }, context)) {
      yield part.page;
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
    // Said first: between the two, the file has no name yet, and the next export begins anew and mixes nothing.
    await writeState(resume, { ...state, place, bytes, complete: true }, context);
    await file.complete();
    progress.end();
    context.note(`Exported ${place?.rows ?? 0} persons to ${state.file}.`);
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
  via: Wish['via'],
  { resume, way = via }: { readonly resume: string; readonly way: Wish['via'] | undefined },
): void {
  if (via !== 'auto' && via !== way)
    throw usageError(
      `the export of ${resume} goes --via ${way}, and cannot change to ${via}`,
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

const GOES_ON = 'the same command goes on from there';

/** What there is to do where the state tells how far the export is. */
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
  return `remove ${resume} to begin anew`;
}
