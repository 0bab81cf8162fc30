import type { Context } from '../../../cli/context.ts';
import type { Run } from '../../../erasure/run.ts';
import { CliError } from '../../../errors.ts';
import { type Carrying, carryOut } from './carry-out.ts';
import { endWith } from './end-with.ts';
import { nameRun } from './name-run.ts';
import { showOutcome } from './show-outcome.ts';
import { writeFailed } from './write-failed.ts';

export type CarryingWish = Carrying & {
  /** What to call the run in hints: its id, or its path. */
  readonly name: string;
  readonly failed?: string | undefined;
  readonly ignoreMissing?: boolean | undefined;
  readonly dropIds?: boolean | undefined;
};

/** Carries a run out to its end or as far as it goes, and shows what came of it. Throws what `endWith` throws. */
export async function carryOutAndShow(run: Run, wish: CarryingWish, context: Context): Promise<void> {
  const { outcome, failure, unconfirmed } = await carryOut(run, wish, context).catch((error: unknown) => {
    throw nameRun(error, wish.name, context);
  });
  const isDone = outcome.verdict === 'done' && unconfirmed === undefined;
  const isDropping = isDone && wish.dropIds === true;
  await showOutcome(run, outcome, { name: wish.name, isDropping }, context);
  const unwritten = wish.failed === undefined ? undefined : await tryToWrite(wish.failed, run, context);
  if (isDropping) dropIds(run, wish.name);
  endWith(outcome, { ...wish, failure, unconfirmed, signal: context.signal });
  if (unwritten !== undefined) throw notWritten(unwritten, wish.name);
}

/** All is done by then, so the code of what stopped it would say too little. */
function dropIds(run: Run, name: string): void {
  try {
    run.dropIds();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `everything was done, but the ids stay in the record: ${error.message}`, {
      hint: `make room on the disk; hogctl runs verify ${name} removes them when it holds`,
      cause: error,
    });
  }
}

/** After the run its own outcome comes first, so what stopped the file is told and kept. */
async function tryToWrite(file: string, run: Run, context: Context): Promise<CliError | undefined> {
  try {
    return await writeFailed(file, run, context).then(() => undefined);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    context.warn(`warning: ${error.message}`);
    return error;
  }
}

function notWritten(cause: CliError, name: string): CliError {
  return new CliError('partial', `everything was sent, but ${cause.message}`, {
    hint: `hogctl runs show ${name} shows what came of the run`,
    cause,
  });
}
