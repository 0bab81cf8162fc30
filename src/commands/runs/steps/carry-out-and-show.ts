import type { Context } from '../../../cli/context.ts';
import type { Run } from '../../../erasure/run.ts';
import { type Carrying, carryOut } from './carry-out.ts';
import { endWith } from './end-with.ts';
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
  const { outcome, failure, unconfirmed } = await carryOut(run, wish, context);
  await showOutcome(run, outcome, wish, context);
  if (wish.failed !== undefined) await writeFailed(wish.failed, run, context);
  if (wish.dropIds && outcome.verdict === 'done' && unconfirmed === undefined) run.dropIds();
  endWith(outcome, { ...wish, failure, unconfirmed, signal: context.signal });
}
