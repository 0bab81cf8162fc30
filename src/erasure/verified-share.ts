import type { Verification } from './journal.ts';
import type { RunRecord } from './run.ts';
import { partsOf } from './run-state.ts';

type Verified = Verification & { readonly at: string };
type Asked = Pick<RunRecord, 'plan' | 'state'>;

/** How many ids a verification of the whole run asks about: fewer were asked where only some were given again. */
export function countAskable({ plan, state }: Asked): number {
  // Persons that are kept are meant to stay.
  if (plan.flags.keepPerson) return 0;
  return partsOf(state()).reduce((total, { count }) => total + count, 0);
}

/**
 * The last verification of the whole run, and those of some of its ids since then: what a later one of a few ids found
 * cannot outweigh what was found of all.
 */
export function verificationsOf(run: Asked): {
  readonly whole: Verified | undefined;
  readonly partial: readonly Verified[];
} {
  const { verifications } = run.state();
  const askable = countAskable(run);
  const last = verifications.findLastIndex(({ asked }) => asked >= askable);
  return { whole: verifications[last], partial: verifications.slice(last + 1) };
}

/** Whether the last verification of the whole run held, and each one since; nothing where there was none at all. */
export function isVerified(run: Asked): boolean | undefined {
  const { whole, partial } = verificationsOf(run);
  if (whole === undefined && partial.length === 0) return undefined;
  return whole?.holds === true && partial.every(({ holds }) => holds);
}

/** A verification in a few words. */
export function verificationTitle(run: Asked, { at, asked, holds }: Verified): string {
  const total = countAskable(run);
  const share = asked < total ? `, for ${asked} of ${total} ids` : '';
  return `Verified at ${at}: ${holds ? 'holds' : 'does not hold'}${share}`;
}
