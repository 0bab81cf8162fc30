import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import type { RowPage } from '../../../output/row-page.ts';
import { exportColumns } from './exported-row.ts';
import { personParts, type Way } from './person-parts.ts';
import { readState, removeUnfinished, writeState } from './resume-state.ts';

type Wish = { readonly via: 'auto' | Way; readonly resume: string };

/**
 * Exports into a file that grows. After each answer that was seen to its end the state says how far it is, so that
 * whatever comes after the place it tells of is cut off and read again: no row is lost, none comes twice.
 */
export async function exportInParts({ via, resume }: Wish, context: Context): Promise<void> {
  const state = await readState(resume, context);
  if (state.place !== null) context.note(`Going on after ${state.place.rows} persons.`);
  const file = await context.files.resumeRows(state.file, state.bytes);
  const progress = context.progress({ label: 'persons' });
  let { place, bytes } = state;
  // When more is asked for, what was given is in the file.
  async function* pages(): AsyncGenerator<RowPage> {
    for await (const part of personParts({ via, from: place ?? undefined }, context)) {
      yield part.page;
      progress.update(part.place.rows);
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
    context.note(`Exported ${place?.rows ?? 0} persons to ${state.file}.`);
  } catch (failure) {
    // What was written stays, for the next time.
    await file.close().catch(() => {});
    throw isLost(failure) ? withHint(failure, `remove ${resume} to begin anew`) : failure;
  } finally {
    progress.end();
  }
}

/** The same command would find the place no better. */
function isLost(failure: unknown): failure is CliError {
  return failure instanceof CliError && failure.kind === 'partial';
}

function withHint({ kind, message, cause }: CliError, hint: string): CliError {
  return new CliError(kind, message, { hint, cause });
}
