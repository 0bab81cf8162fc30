import type { RunRecord } from './run.ts';
import { partsOf } from './run-state.ts';

/** How many ids a verification of the whole run asks about: fewer were asked where only some were given again. */
export function countAskable({ plan, state }: Pick<RunRecord, 'plan' | 'state'>): number {
  // Persons that are kept are meant to stay.
  if (plan.flags.keepPerson) return 0;
  return partsOf(state()).reduce((total, { count }) => total + count, 0);
}

/** Whether the last verification was of the whole run, and held. */
export function isVerified(run: Pick<RunRecord, 'plan' | 'state'>): boolean {
  const { verification } = run.state();
  return verification?.holds === true && verification.asked >= countAskable(run);
}
