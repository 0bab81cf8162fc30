import type { Outcome } from '../../../erasure/outcome.ts';
import { CliError, counted } from '../../../errors.ts';

export type Ending = {
  /** What to call the run in hints. */
  readonly name: string;
  readonly ignoreMissing?: boolean | undefined;
  /** The last error of a call, without ids. */
  readonly failure: CliError | undefined;
  /** Why the deletion of events could not be confirmed. */
  readonly unconfirmed: CliError | undefined;
  readonly signal: AbortSignal;
};

/** Throws the error that the command ends with, unless everything was done. */
export function endWith(outcome: Outcome, ending: Ending): void {
  const { kind, status, verdict } = outcome;
  if (kind === undefined && ending.unconfirmed !== undefined) throw notConfirmed(ending.unconfirmed, ending);
  if (kind === undefined || (kind === 'not-found' && verdict === 'nobody found' && ending.ignoreMissing))
    return;
  const isTerminated = kind === 'interrupted' && ending.signal.reason === 'SIGTERM';
  const { hint, message } =
    kind === 'interrupted' ? interruption(outcome, ending) : incompleteness(outcome, ending);
  throw new CliError(isTerminated ? 'terminated' : kind, message, { hint, status });
}

/** All was sent and answered, so the code of the look alone would say too little, or that nobody was there. */
function notConfirmed(failure: CliError, { name }: Ending): CliError {
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `everything was sent, but the deletion of events is not confirmed: ${failure.message}`;
  const hint = `hogctl runs verify ${name} asks again`;
  return new CliError(kind, message, { hint, status: failure.status, code: failure.code, cause: failure });
}

type Said = { readonly message: string; readonly hint: string | undefined };

function interruption({ batches, verdict }: Outcome, { name, signal }: Ending): Said {
  const how = signal.reason === 'SIGTERM' ? 'terminated' : 'interrupted';
  const parts = [
    `${batches.done} of ${counted(batches.total, 'call')} done`,
    `${batches.unknown} in flight without an answer`,
    ...(batches.failed > 0 ? [`${batches.failed} failed`] : []),
    `${batches.notSent} not sent`,
  ];
  const hint = verdict === 'stopped' ? `hogctl runs resume ${name} sends what is left` : undefined;
  return { message: `${how}: ${parts.join(', ')}`, hint };
}

function incompleteness(outcome: Outcome, { name, failure }: Ending): Said {
  const { verdict, stopped, failed, notDeleted, beyond, unknown, refused, notSent } = outcome;
  if (verdict === 'nobody found') {
    const hint = 'check that the ids are of the right kind; --ignore-missing makes this a success';
    return { message: 'the service found none of these persons', hint };
  }
  const isOpen = unknown + refused + notSent > 0;
  const cause = isOpen ? failure : undefined;
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  const counts = countsOf(outcome).join(', ');
  const message = [cause?.message, counts ? `${start}: ${counts}` : start].filter(Boolean).join('; ');
  const resume = isOpen ? `hogctl runs resume ${name} sends what is left` : undefined;
  const hints = [cause?.hint, resume].filter(Boolean);
  if (hints.length > 0) return { message, hint: hints.join('; then ') };
  const isNamed = outcome.failures.some(({ person }) => person !== null);
  if (isNamed) return { message, hint: '--failed <file> writes the ids to feed back in' };
  if (beyond > 0)
    return {
      message,
      hint: `ask the service's people what it deleted; hogctl runs report ${name} says what was sent`,
    };
  return {
    message,
    hint: failed + notDeleted > 0 ? `hogctl runs verify ${name} asks who is left` : undefined,
  };
}

function countsOf({
  failed,
  notDeleted,
  beyond,
  unknown,
  refused,
  notSent,
  recreated,
  events,
  eventsRefused,
}: Outcome): readonly string[] {
  const unconfirmed = events?.unconfirmed ?? 0;
  return [
    failed > 0 ? `${counted(failed, 'person')} could not be deleted` : '',
    notDeleted > 0 ? `${counted(notDeleted, 'person')} found but neither deleted nor queued` : '',
    beyond > 0 ? `the service counted ${counted(beyond, 'person')} more than ids were sent` : '',
    unknown > 0 ? `the outcome of ${counted(unknown, 'id')} is unknown` : '',
    refused > 0 ? `nothing was done for ${counted(refused, 'id')}` : '',
    notSent > 0 ? `nothing was sent for ${counted(notSent, 'id')}` : '',
    recreated > 0 ? `${counted(recreated, 'person')} spared, not known to be from before the sending` : '',
    eventsRefused > 0
      ? `the service did not queue the deletion of the events of ${counted(eventsRefused, 'person')}`
      : '',
    unconfirmed > 0 ? `the event deletion of ${counted(unconfirmed, 'person')} is not confirmed` : '',
  ].filter(Boolean);
}
