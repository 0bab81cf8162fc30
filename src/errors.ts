/**
 * What went wrong, for people who run the command. One table in `cli/run.ts` maps each kind to its exit code.
 *
 * - `usage`: wrong arguments or input, nothing was sent
 * - `not-found`: the service has no such thing
 * - `authentication`: the key or its scopes
 * - `refused`: the service understood and said no, or a run is locked or lacks its ids
 * - `unavailable`: the network or the service failed, trying later may work
 * - `cancelled`: somebody said no, nothing changed
 * - `partial`: some of the work was done, or the outcome is unknown
 * - `check`: a check that was asked for did not hold
 * - `interrupted` and `terminated`: stopped by SIGINT and SIGTERM
 */
export type ErrorKind =
  | 'usage'
  | 'not-found'
  | 'authentication'
  | 'refused'
  | 'unavailable'
  | 'cancelled'
  | 'partial'
  | 'check'
  | 'interrupted'
  | 'terminated';

/** Whether a failed request is known not to have run, or may have run. */
export type Outcome = 'not-done' | 'unknown';

export type ErrorDetails = {
  readonly hint?: string | undefined;
  /** HTTP status, if there was an answer. */
  readonly status?: number | undefined;
  /** The service's own error code, such as `permission_denied`. */
  readonly code?: string | undefined;
  readonly outcome?: Outcome | undefined;
  /** The parsed body of the answer, for callers that can read more from it. */
  readonly answer?: unknown;
  readonly cause?: unknown;
};

/** A failure that was foreseen. Anything else that is thrown is a bug of ours. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly outcome: Outcome | undefined;
  readonly answer: unknown;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.hint = details.hint;
    this.status = details.status;
    this.code = details.code;
    this.outcome = details.outcome;
    this.answer = details.answer;
  }
}

/** What was to be shown or saved could not be written: after a change it does not mean that nothing was done. */
export class Unwritten extends CliError {}

/** The failure that was foreseen. Throws anything else again: it is a bug of ours. */
export function foreseen(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** A key that is wrong is wrong everywhere, so such a 401 or 403 leads nowhere else. */
const BAD_KEY = ['authentication_failed', 'not_authenticated'];

/** Whether the service refuses the operation itself, by one of these statuses, so that another way may lead on. */
export function isRefusal(failure: unknown, statuses: readonly number[]): failure is CliError {
  if (!(failure instanceof CliError) || failure.status === undefined) return false;
  return statuses.includes(failure.status) && !BAD_KEY.includes(failure.code ?? '');
}

/** A `CliError` of kind `usage`: the commonest one, thrown before anything is sent. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, { hint });
}

/** The same error with some of its parts replaced. */
export function changed(
  error: CliError,
  parts: Partial<Pick<CliError, 'kind' | 'message' | 'hint' | 'outcome'>>,
): CliError {
  const { kind = error.kind, message = error.message, ...details } = parts;
  const { hint, status, code, outcome, answer, cause } = error;
  return new CliError(kind, message, { hint, status, code, outcome, answer, cause, ...details });
}

/**
 * How a command ends some of whose parts failed: as they did if nothing was done and all failed alike, after a signal by
 * the signal, else `partial`.
 */
export function joinKinds(
  failures: readonly Pick<CliError, 'kind'>[],
  { isAnyDone }: { readonly isAnyDone: boolean },
): ErrorKind {
  const [first, ...others] = [...new Set(failures.map(({ kind }) => kind))];
  const signal = [first, ...others].find((kind) => kind === 'interrupted' || kind === 'terminated');
  if (signal !== undefined) return signal;
  return first === undefined || others.length > 0 || isAnyDone ? 'partial' : first;
}

const LONGEST_EXCERPT = 2000;

/** What somebody else said, at most so many characters of it. */
export function excerpt(text: string, most = LONGEST_EXCERPT): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A message whose lines hold as many characters at most: what somebody typed, or a file holds, has any length. */
export function bounded(message: string): string {
  const lines = message.split('\n').map((line) => {
    if (line.length <= LONGEST_EXCERPT) return line;
    return `${line.slice(0, LONGEST_EXCERPT / 2)}…${line.slice(1 - LONGEST_EXCERPT / 2)}`;
  });
  return lines.join('\n');
}

/** The system's word for what went wrong, such as `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A number with its noun: `1 id`, `3 ids`, `2 people`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first of several, and how many more there are: `a, b and 3 more`. */
export function firstOf(texts: readonly string[], most: number, between = ', '): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(between)}${more}`;
}

/** The nearest of `words`, if one is near enough to be what was meant. */
export function closest<Word extends string>(word: string, words: readonly Word[]): Word | undefined {
  const near = words
    // No slip of the hand is longer, and to compare long words takes long.
    .filter(({ length }) => Math.abs(length - word.length) <= 2)
    .map((candidate) => ({ candidate, far: distance(candidate, word) }))
    // In a short word two letters are most of the word.
    .filter(({ candidate, far }) => far <= (candidate.length > 3 ? 2 : 1));
  return near.sort((left, right) => left.far - right.far)[0]?.candidate;
}

/** A hint about a word that is none of the choices, with the nearest, or the only one that begins alike. */
export function choicesFor(word: string, choices: readonly string[]): string {
  const alike = choices.filter((choice) => choice.startsWith(word.slice(0, 3)));
  const meant = closest(word, choices) ?? (alike.length === 1 ? alike[0] : undefined);
  return `${meant === undefined ? 'the choices are' : `did you mean ${meant}? The choices are`} ${choices.join(', ')}`;
}

/** Levenshtein distance. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The work's own result, or a rejection as soon as the signal says so; a later failure of the work is then of no use. */
export async function raceAbort<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let listener: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(new Interruption());
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
}

/** Waits until signals that came meanwhile are seen. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Ends a wait for an answer that is no longer needed. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
}
