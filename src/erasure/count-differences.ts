import type { RecordedAnswer } from './journal.ts';
import type { Flags } from './make-plan.ts';
import { lostAnswers, type Part, peopleOf, type Sending } from './run-state.ts';

/** Persons of whom the figures of all parts do not tell that what was asked for was done. */
export function countDifferences(parts: readonly Part[], { keepPerson, deleteEvents }: Flags) {
  const sum = (count: (part: Part) => number) => parts.reduce((total, part) => total + count(part), 0);
  return {
    notDeleted: keepPerson ? 0 : sum(countNotDeleted),
    notFoundAgain: keepPerson ? 0 : sum(countNotFoundAgain),
    eventsRefused: deleteEvents ? sum(countEventsRefused) : 0,
  };
}

/**
 * Persons that were found in a part, but neither deleted nor queued nor named as failed. The answer to a retry is looked
 * at alone, and whom it does not find any more may have been deleted by a call of it whose answer was lost.
 */
function countNotDeleted({ sending, retry }: Part): number {
  return missingIn(sending.answer) + missingIn(retry?.answer) + vanishedIn(retry);
}

function vanishedIn(retry: Sending | undefined): number {
  return retry === undefined || lostAnswers(retry) > 0 ? 0 : unseenIn(retry);
}

/** Those of a retry that a call of it whose answer was lost may have deleted. */
function countNotFoundAgain({ retry }: Part): number {
  return retry === undefined || lostAnswers(retry) === 0 ? 0 : unseenIn(retry);
}

function unseenIn(sending: Sending): number {
  const found = sending.answer?.found;
  return found === undefined ? 0 : Math.max(0, peopleOf(sending) - found);
}

function missingIn(answer: RecordedAnswer | undefined): number {
  const { found, deleted, queued, errors = [] } = answer ?? {};
  if (found === undefined || (deleted === undefined && queued === undefined)) return 0;
  return Math.max(0, found - (deleted ?? 0) - (queued ?? 0) - errors.length);
}

/** Persons that were counted beyond the ids of a part: an id belongs to one person at most. */
export function countBeyond({ sending, retry }: Part): number {
  return beyondIn(sending) + (retry === undefined ? 0 : beyondIn(retry));
}

function beyondIn(sending: Sending): number {
  const { found = 0, deleted = 0, queued = 0 } = sending.answer ?? {};
  return Math.max(0, Math.max(found, deleted, queued) - peopleOf(sending));
}

/** Persons that were found in a part whose events the service says it did not queue. Nobody found has no events to queue. */
function countEventsRefused({ sending: { answer, sent } }: Part): number {
  return answer?.eventsQueued === false ? (answer.found ?? sent) : 0;
}
