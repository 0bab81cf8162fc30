import { CliError, type ErrorKind, type Outcome } from '../../errors.ts';
import { isUuid } from '../../service/endpoint.ts';
import type { BulkDeleteSummary } from '../../service/schemas.ts';
import type { Answer } from '../facts.ts';

/** What the service answered to one call: figures, of which one that it did not give is absent, or only that it took it. */
type Figures = {
  readonly kind: Answer['kind'];
  readonly found?: number | undefined;
  readonly deleted?: number | undefined;
  readonly queued?: number | undefined;
  readonly eventsQueued?: boolean | undefined;
  readonly recordingsQueued?: boolean | undefined;
  /** What the service's clock said (ISO); the time of a line is by this computer's. */
  readonly serviceTime?: string | undefined;
};

export type BatchAnswer = Figures & {
  readonly errors: readonly {
    readonly person_uuid?: string | undefined;
    readonly step?: string | undefined;
  }[];
};

/** The same as it is written down: people as HMACs. */
export type RecordedAnswer = Figures & { readonly errors: readonly RecordedError[] };

/** `notInRun`: the service named somebody whom this run is not about. */
export type RecordedError = {
  readonly person: string | null;
  readonly step: string;
  readonly notInRun?: true;
};

export type Failure = {
  readonly outcome: Outcome;
  readonly kind: ErrorKind | 'bug';
  readonly status?: number;
  readonly code?: string;
};

/** The service's summary as an answer: a success without a body is one without figures. */
export function toBatchAnswer(summary: BulkDeleteSummary | undefined | null): BatchAnswer {
  return {
    kind: summary === undefined || summary === null ? 'no body' : 'figures',
    found: count(summary?.persons_found),
    deleted: count(summary?.persons_deleted),
    queued: count(summary?.persons_queued_for_deletion),
    eventsQueued: truth(summary?.events_queued_for_deletion),
    recordingsQueued: truth(summary?.recordings_queued_for_deletion),
    errors: summary?.deletion_errors ?? [],
  };
}

/** A figure, if it is one that counts something. */
function count(number: unknown): number | undefined {
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

/** Yes or no, if the service said one of them: the text "false" is neither. */
function truth(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The answer that an error carries: newer servers put the summary into a 5xx if none of a batch could be deleted. */
export function findAnswer(error: unknown): BatchAnswer | undefined {
  const answer = error instanceof CliError ? error.answer : undefined;
  // Cast: only to look at the two fields that make it a summary.
  const summary = answer as BulkDeleteSummary | undefined | null;
  const { persons_found: found, deletion_errors: errors } = summary ?? {};
  return found !== undefined && Array.isArray(errors) ? toBatchAnswer(summary) : undefined;
}

/** An answer as it is written down, with no id and no text of the service but the names of steps. */
export function recordAnswer(
  answer: BatchAnswer,
  memberOf: (uuid: string) => string,
  sent: ReadonlySet<string>,
): RecordedAnswer {
  const errors = answer.errors.map(({ person_uuid: uuid, step: text }): RecordedError => {
    const step = isWord(text) ? text : 'not named';
    if (typeof uuid !== 'string' || !isUuid(uuid)) return { person: null, step };
    const person = memberOf(uuid);
    return sent.has(person) ? { person, step } : { person: null, step, notInRun: true };
  });
  return { ...answer, errors };
}

export function recordFailure(error: unknown): Failure {
  if (!(error instanceof CliError)) return { outcome: 'unknown', kind: 'bug' };
  const { outcome = 'unknown', kind, status, code } = error;
  return { outcome, kind, ...(status && { status }), ...(isWord(code) && { code }) };
}

/** Free text of the service may quote an id, so only what looks like a name is kept. */
function isWord(text: string | undefined): text is string {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z_ -]{0,39}$/.test(text);
}
