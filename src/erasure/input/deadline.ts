import { usageError } from '../../errors.ts';
import { DAY, type Duration, inMilliseconds } from '../../semantics/calendar.ts';

/** When a request came in and by which day it has to be done, as days (YYYY-MM-DD, UTC). */
export type Deadline = { readonly received: string; readonly deadline: string };

export type DeadlineInput = {
  readonly received?: string | undefined;
  readonly deadline?: Duration | undefined;
};

const USUAL = 30 * DAY;

/** The deadline that options ask for; nothing without them. Throws a usage error for what is no day, or one to come. */
export function readDeadline({ received, deadline }: DeadlineInput, now: number): Deadline | undefined {
  if (received === undefined && deadline === undefined) return undefined;
  const day = received ?? dayOf(now);
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // 2026-02-30 is read as a day of March.
  if (Number.isNaN(start) || dayOf(start) !== day)
    throw usageError(`--received takes a day, not "${day}"`, 'write YYYY-MM-DD');
  // East of Greenwich tomorrow has begun.
  if (start > now + DAY)
    throw usageError(`--received ${day} is in the future`, 'give the day on which the request came in');
  const length = deadline === undefined ? USUAL : inMilliseconds(deadline);
  return { received: day, deadline: dayOf(start + length) };
}

/** Without its own a run is due 30 days after its plan, since the request cannot have come later. */
export function deadlineOf(plan: Partial<Deadline> & { readonly createdAt: string }): Deadline {
  const { received, deadline, createdAt } = plan;
  const planned = Date.parse(createdAt);
  return { received: received ?? dayOf(planned), deadline: deadline ?? dayOf(planned + USUAL) };
}

/** Whole days to the deadline: negative once it has passed. */
export function daysLeft({ deadline }: Deadline, now: number): number {
  return Math.round((Date.parse(deadline) - Date.parse(dayOf(now))) / DAY);
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
