import { CliError, counted } from '../../errors.ts';
import { type Outcome, type Told, tellCounts } from '../record/outcome.ts';

type Ending = {
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
  const isMissing = verdict === 'nobody found' || isMissingOnly(outcome);
  if (kind === undefined || (isMissing && ending.ignoreMissing)) return;
  const { hint, message } =
    kind === 'interrupted' ? interruption(outcome, ending) : incompleteness(outcome, ending);
  throw new CliError(kind, message, { hint, status });
}

/** All was sent and answered, so the code of the look by itself would say too little, or that no person was there. */
function notConfirmed(failure: CliError, { name }: Ending): CliError {
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `everything was sent, but the deletion of events is not confirmed: ${failure.message}`;
  const hint = `hogctl runs verify ${name} asks again`;
  return new CliError(kind, message, { hint, status: failure.status, code: failure.code, cause: failure });
}

/** Whether all that is not done is about ids without a person. */
function isMissingOnly(outcome: Outcome): boolean {
  return outcome.verdict === 'partly done' && outcome.eventsOfNobody > 0 && countsOf(outcome).length === 0;
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
  const { verdict, stopped, unknown, refused, notSent } = outcome;
  if (verdict === 'nobody found') {
    const hint = 'check that the ids are of the right kind; --ignore-missing makes this a success';
    const isUnsent = outcome.leftOut > 0 && outcome.batches.total === 0;
    return {
      message: isUnsent ? 'no person has one of these ids' : 'the service found none of these persons',
      hint,
    };
  }
  if (isMissingOnly(outcome)) {
    const { eventsOfNobody: count } = outcome;
    const message = `all persons that were found are done, but ${counted(count, 'id')} without a person may have events, which no call deletes`;
    return { message, hint: '--ignore-missing makes this a success; hogctl query can count their events' };
  }
  const isOpen = unknown + refused + notSent > 0;
  const cause = isOpen ? failure : undefined;
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  const counts = countsOf(outcome).join(', ');
  const message = [cause?.message, counts ? `${start}: ${counts}` : start].filter(Boolean).join('; ');
  const resume = `hogctl runs resume ${name} sends what is left`;
  const openHint = [cause?.hint, resume].filter(Boolean).join('; then ');
  return { message, hint: isOpen ? openHint : closedHint(outcome, name) };
}

/** What there is to do if nothing is left to send. */
function closedHint(outcome: Outcome, name: string): string | undefined {
  const { failures, beyond, failed, notDeleted, untold, recreated } = outcome;
  if (failures.some(({ person }) => person !== null)) return `hogctl runs resume ${name} tries them again`;
  if (beyond > 0)
    return `ask the support of the service what was deleted; hogctl runs report ${name} says what was sent`;
  if (failed + notDeleted + untold > 0) return `hogctl runs verify ${name} asks who is left`;
  return recreated > 0 ? 'hogctl persons bulk-delete --new-run with their ids plans them again' : undefined;
}

function countsOf(outcome: Outcome): readonly string[] {
  const { failed, notDeleted, untold, beyond, unknown, refused, notSent, recreated } = outcome;
  const { events, eventsQueued, recordingsQueued } = outcome;
  const unconfirmed = events?.unconfirmed ?? 0;
  const notQueued = (what: string, count = 0): Told => [
    count,
    `the service did not queue the deletion of the ${what} of ${counted(count, 'person')}`,
  ];
  return tellCounts([
    [failed, `${counted(failed, 'person')} could not be deleted`],
    [notDeleted, `${counted(notDeleted, 'person')} found but neither deleted nor queued`],
    [untold, `the service does not say that it found ${counted(untold, 'person')}`],
    [beyond, `the service counted ${counted(beyond, 'person')} more than ids were sent`],
    [unknown, `the outcome of ${counted(unknown, 'id')} is unknown`],
    [refused, `nothing was done for ${counted(refused, 'id')}`],
    [notSent, `nothing was sent for ${counted(notSent, 'id')}`],
    [
      recreated,
      `${counted(recreated, 'person')} spared, who may have come since, or who have an id of the plan by now`,
    ],
    notQueued('events', eventsQueued?.notQueued),
    notQueued('recordings', recordingsQueued?.notQueued),
    [unconfirmed, `the event deletion of ${counted(unconfirmed, 'person')} is not confirmed`],
  ]);
}
