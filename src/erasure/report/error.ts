import { CliError, counted } from '../../errors.ts';
import type { Outcome } from '../proof/outcome.ts';
import { outcomeClauses } from './words.ts';

type Ending = {
  /** What to call the run in hints. */
  readonly name: string;
  readonly ignoreMissing?: boolean | undefined;
  /** The last error of a call, without ids. */
  readonly failure: CliError | undefined;
  /** Whether nobody is open but persons who are not there as planned. */
  readonly isAllSpared: boolean;
  /** How the ids are planned again. */
  readonly again: string;
  readonly signal: AbortSignal;
};

/** Throws the error that the command ends with, unless everything was done. */
export function endWith(outcome: Outcome, ending: Ending): void {
  const { kind, status } = outcome;
  if (kind === undefined) return;
  const { hint, message } =
    kind === 'interrupted' ? interruption(outcome, ending) : incompleteness(outcome, ending);
  throw new CliError(kind, message, { hint, status });
}

type Said = { readonly message: string; readonly hint: string | undefined };

function interruption({ calls, verdict }: Outcome, { name, signal }: Ending): Said {
  const how = signal.reason === 'SIGTERM' ? 'terminated' : 'interrupted';
  const parts = [
    `${calls.done} of ${counted(calls.total, 'call')} done`,
    `${calls.unknown} in flight without an answer`,
    ...(calls.failed > 0 ? [`${calls.failed} failed`] : []),
    `${calls.notSent} not sent`,
  ];
  const hint = verdict === 'stopped' ? `hogctl runs resume ${name} sends what is left` : undefined;
  return { message: `${how}: ${parts.join(', ')}`, hint };
}

function incompleteness(outcome: Outcome, ending: Ending): Said {
  const { name, failure, isAllSpared, again } = ending;
  const { verdict, stopped, nobody } = outcome;
  if (verdict === 'nobody found') {
    const hint = 'check that the ids are of the right kind; --ignore-missing makes this a success';
    return { message: 'no person has one of these ids', hint };
  }
  const clauses = outcomeClauses(outcome);
  if (clauses.length === 0 && nobody > 0) {
    const message = `all persons found are done, but ${counted(nobody, 'id')} without a person may have events, which no call deletes`;
    return { message, hint: '--ignore-missing makes this a success; hogctl query can count their events' };
  }
  const isOpen = outcome.unknown + outcome.refused + outcome.notSent + outcome.failed > 0;
  const cause = outcome.unknown + outcome.refused + outcome.notSent > 0 ? failure : undefined;
  const start = stopped === undefined ? 'the run is not complete' : `the run stopped (${stopped})`;
  const message = [cause?.message, clauses.length > 0 ? `${start}: ${clauses.join(', ')}` : start]
    .filter(Boolean)
    .join('; ');
  const resume = isAllSpared
    ? `hogctl runs verify ${name} says who is there now; ${again}`
    : `hogctl runs resume ${name} sends what is left`;
  const openHint = [cause?.hint, resume].filter(Boolean).join('; then ');
  return { message, hint: isOpen ? openHint : closedHint(outcome, ending) };
}

/** What there is to do if nothing is left to send. */
function closedHint(
  { beyond, doubtful, odd, answered }: Outcome,
  { name, again }: Ending,
): string | undefined {
  if (beyond > 0)
    return `ask the support of the service what was deleted; hogctl runs report ${name} says what was sent`;
  if (answered > 0) return `hogctl runs verify ${name} asks who is left`;
  if (doubtful > 0) return again;
  return odd > 0 ? 'correct these lines and give them in a file of their own' : undefined;
}
