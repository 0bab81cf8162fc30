import { countOwedEvents } from './event-proof.ts';
import type { Owed, Verification } from './journal.ts';
import { reconcile, shareOf } from './outcome.ts';
import type { RunRecord } from './run.ts';
import { partsOf } from './run-state.ts';
import { countOpen } from './tasks.ts';

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

/**
 * What a run asked for that is not known to be done. A run that sent nothing yet owes nothing, and one that found
 * nobody neither. What was queued or accepted is known to be done only once a verification holds.
 */
export function owedOf(run: RunRecord): readonly Owed[] {
  const state = run.state();
  if (state.sessions.length === 0 || isVerified(run) === true) return [];
  const outcome = reconcile(run);
  const open = countOpen(state);
  if (outcome.verdict === 'nobody found') return [];
  const { whole } = verificationsOf(run);
  const { keepPerson, deleteEvents } = run.plan.flags;
  const { queued = 0, accepted, failed, notDeleted } = outcome;
  const unproven = open + (whole === undefined ? queued + accepted + failed + notDeleted : whole.left);
  const haveGone =
    whole?.missingScope === undefined && whole?.events != null && countOwedEvents(whole.events) === 0;
  return [
    ...(!keepPerson && unproven > 0 ? (['persons'] as const) : []),
    ...(deleteEvents && (open > 0 || !haveGone) ? (['events'] as const) : []),
    ...((outcome.recordingsQueued?.notQueued ?? 0) > 0 ? (['recordings'] as const) : []),
  ];
}

/** How far the deletion of events is; nothing where it was not asked for, or nobody was there. */
export function eventsWord(run: RunRecord): string | undefined {
  const { deleteEvents } = run.plan.flags;
  const outcome = reconcile(run);
  if (!deleteEvents || outcome.verdict === 'nobody found') return undefined;
  if (shareOf(outcome.eventsQueued) === 'none') return 'not queued';
  const { whole } = verificationsOf(run);
  if (whole?.pendingUntil !== undefined) return `pending until ${whole.pendingUntil.slice(0, 10)}`;
  const isGone = whole !== undefined && whole.events !== null && countOwedEvents(whole.events) === 0;
  return isGone ? 'gone' : 'requested';
}
