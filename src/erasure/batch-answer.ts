import type { BulkDeleteSummary } from '../api/schemas.ts';
import { CliError } from '../errors.ts';
import { type IdKind, isUuid } from './ids.ts';
import type { Failure, RecordedAnswer } from './journal.ts';
import type { Flags } from './make-plan.ts';

/** What one call carries. */
export type Batch = { readonly kind: IdKind; readonly ids: readonly string[]; readonly flags: Flags };

/** `notInRun`: the service named somebody whom the batch is not about. */
type NamedError = {
  readonly person_uuid?: string | undefined;
  readonly step?: string | undefined;
  readonly notInRun?: true;
};

/** What the service answered to one batch; a figure it did not give is absent. */
export type BatchAnswer = {
  readonly found?: number | undefined;
  readonly deleted?: number | undefined;
  readonly queued?: number | undefined;
  readonly eventsQueued?: boolean | undefined;
  readonly recordingsQueued?: boolean | undefined;
  readonly errors: readonly NamedError[];
  /** A success without figures. */
  readonly accepted?: true | undefined;
  /** Answers that were lost before this one, where `send` itself sent the batch again. */
  readonly lost?: number | undefined;
  /** What the service's clock said (ISO). */
  readonly serviceTime?: string | undefined;
};

/**
 * Sends one batch. Throws a CliError whose `outcome` says whether it may have run; without one it counts as unknown.
 * Waiting out a 429 and repeating on a bad network belong in here.
 */
export type Send = (batch: Batch, options: { readonly signal: AbortSignal }) => Promise<BatchAnswer>;

/** The service's summary as an answer. No body, or one without figures, is `accepted`. */
export function toBatchAnswer(summary: BulkDeleteSummary | undefined | null): BatchAnswer {
  const errors = summary?.deletion_errors ?? [];
  const found = count(summary?.persons_found);
  const deleted = count(summary?.persons_deleted);
  const queued = count(summary?.persons_queued_for_deletion);
  // That nobody is queued says nothing of those who may be deleted already.
  const isBare = found === undefined && deleted === undefined && !queued && errors.length === 0;
  return {
    found,
    deleted,
    queued,
    eventsQueued: summary?.events_queued_for_deletion,
    recordingsQueued: summary?.recordings_queued_for_deletion,
    errors,
    ...(isBare ? { accepted: true } : {}),
  };
}

/** The answer that an error carries: newer servers put the summary into a 5xx when nobody of a batch could be deleted. */
export function findAnswer(error: unknown): BatchAnswer | undefined {
  if (!(error instanceof CliError) || typeof error.answer !== 'object' || error.answer === null)
    return undefined;
  if (!('persons_found' in error.answer) || !('deletion_errors' in error.answer)) return undefined;
  if (!Array.isArray(error.answer.deletion_errors)) return undefined;
  // Cast: the two fields that make it a summary are there.
  return toBatchAnswer(error.answer as BulkDeleteSummary);
}

/**
 * An answer whose errors name only persons that the batch is about. `isPlanned` tells them by UUID, and is absent if
 * nobody resolved the ids: then any UUID may be one of them, and none of them is ever sent.
 */
export function namePlannedOnly(
  answer: BatchAnswer,
  isPlanned: ((uuid: string) => boolean) | undefined,
): BatchAnswer {
  const errors = answer.errors.map(({ person_uuid: uuid, step }) => {
    if (typeof uuid !== 'string' || !isUuid(uuid)) return { step };
    return isPlanned === undefined || isPlanned(uuid)
      ? { step, person_uuid: uuid }
      : { step, notInRun: true as const };
  });
  return { ...answer, errors };
}

/** An answer as it is written down: no id, no text of the service but the names of steps. */
export function recordAnswer(answer: BatchAnswer, memberOf: (uuid: string) => string): RecordedAnswer {
  return {
    ...keep('found', answer.found),
    ...keep('deleted', answer.deleted),
    ...keep('queued', answer.queued),
    ...keep('eventsQueued', answer.eventsQueued),
    ...keep('recordingsQueued', answer.recordingsQueued),
    errors: answer.errors.map(({ person_uuid, step, notInRun }) => ({
      person: typeof person_uuid === 'string' ? memberOf(person_uuid) : null,
      step: isWord(step) ? step : 'not named',
      ...keep('notInRun', notInRun),
    })),
    ...(answer.accepted === true ? { accepted: true } : {}),
    ...(answer.lost === undefined || answer.lost === 0 ? {} : { lost: answer.lost }),
    ...keep('serviceTime', answer.serviceTime),
  };
}

export function recordFailure(error: unknown): Failure {
  if (!(error instanceof CliError)) return { outcome: 'unknown', kind: 'bug' };
  return {
    outcome: error.outcome ?? 'unknown',
    kind: error.kind,
    ...keep('status', error.status),
    ...(isWord(error.code) ? { code: error.code } : {}),
  };
}

/** Free text of the service may quote an id, so only what looks like a name is kept. */
function isWord(text: string | undefined): text is string {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z_ -]{0,39}$/.test(text);
}

/** A figure, where it is one that counts something. */
function count(number: unknown): number | undefined {
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

function keep<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  // Cast: a computed name is widened to string.
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
