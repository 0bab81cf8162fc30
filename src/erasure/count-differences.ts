import type { Part } from './run-state.ts';

/** Persons that were found in a part, but neither deleted nor queued nor named as failed. */
export function countNotDeleted({ sending: { answer }, retried, errors }: Part): number {
  const { found, deleted, queued } = answer ?? {};
  if (found === undefined || (deleted === undefined && queued === undefined)) return 0;
  const told = (deleted ?? 0) + (queued ?? 0) + retried.deleted + retried.queued + retried.accepted;
  return Math.max(0, found - told - errors.length);
}

/** Persons that were counted beyond the ids of a part: an id belongs to one person at most. */
export function countBeyond({ sending: { sent, answer } }: Part): number {
  const { found = 0, deleted = 0, queued = 0 } = answer ?? {};
  return Math.max(0, Math.max(found, deleted, queued) - sent);
}

/** Persons that were found in a part whose events the service says it did not queue. Nobody found has no events to queue. */
export function countEventsRefused({ sending: { answer, sent } }: Part): number {
  return answer?.eventsQueued === false ? (answer.found ?? sent) : 0;
}
