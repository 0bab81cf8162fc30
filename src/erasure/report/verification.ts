import type { Context } from '../../cli/context.ts';
import { CliError, counted } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { openSqlStore } from '../people/sql.ts';
import { type VerificationAnswer, verifyRun } from '../proof/ask.ts';
import {
  countOwedEvents,
  lastVerification,
  readEventDeletions,
  verificationFields,
  verificationLines,
} from '../proof/verdict.ts';
import { withRun } from '../record/find.ts';
import type { Verification } from '../record/journal.ts';
import type { Run } from '../record/open.ts';
import { isOfNobody, type Queued } from '../record/outcome.ts';
import { countOpen } from '../record/state.ts';
import { makeLookUpOfGone } from '../sending/look-again.ts';
import { requireSameProject } from '../sending/run.ts';
import { type AnsweredSources, readAnswered, writeReceipt } from './receipt.ts';

export type Verifying = AnsweredSources & {
  readonly run?: string | undefined;
  readonly due?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly takeOver?: boolean | undefined;
};

/** How each run of several is asked about. */
export type Asking = Omit<Verifying, 'run' | 'due' | 'wait'>;

export type Round = {
  readonly show: () => Promise<void>;
  /** What does not hold. */
  readonly failure: CliError | undefined;
  /** When to ask again (milliseconds since 1970); absent if waiting does not help. */
  readonly again?: number | undefined;
};

export async function askOne(called: string, input: Asking, context: Context): Promise<Round> {
  const ask = async (run: Run, name: string): Promise<Round> => {
    if (!run.hasIds) return answerFromRecord(run, input, context);
    const answer = await askRun(run, input, context);
    return {
      show: () => showAnswer(answer, { id: run.id, name }, context),
      failure: answer.holds
        ? undefined
        : new CliError('check', sentence(answer), { hint: hintFor(answer, name) }),
      again: nextAsk(answer, context.now()),
    };
  };
  return withRun(called, context, ask, input);
}

/** The ids went when it held, or were given up: nothing is asked, and the last verification tells. */
export async function answerFromRecord(run: Run, input: Asking, context: Context): Promise<Round> {
  const verification = lastVerification(run);
  const holds = verification?.holds === true;
  const answered = await readAnswered(input, context);
  if (answered !== undefined)
    await writeReceipt(answered, run, context, ({ person }) => (holds && person !== null ? true : null));
  context.note('The record has no ids any more, so nothing was asked.');
  const toFigures =
    context.outputFormat().format === 'table'
      ? (one: Verification) => Object.fromEntries(verificationLines(one))
      : verificationFields;
  const figures = verification && { verified_at: verification.at, ...toFigures(verification) };
  return {
    show: () => context.print({ run: run.id, holds, ...figures }),
    failure: holds ? undefined : new CliError('check', NOT_PROVEN, { hint: NEW_RUN }),
  };
}

const NOT_PROVEN = 'the ids were removed from the record before all was known to be done';
const NEW_RUN = 'hogctl runs report says what was known; to ask again, plan a new run with the list';

/** Asks about a run under its lock; drops its ids once it holds. */
export async function askRun(run: Run, sources: Asking, context: Context): Promise<VerificationAnswer> {
  run.requireIds();
  const answered = await readAnswered(sources, context);
  const { dialect } = await requireSameProject(run, context);
  const progress = context.progress({ label: 'ids asked about', total: run.plan.unique });
  let serviceTime: string | undefined;
  const keepTime = (time: string) => {
    serviceTime = time;
  };
  let canLookUpMany = dialect === 'live';
  const onSingle = () => {
    canLookUpMany = false;
  };
  try {
    const answer = await verifyRun(run, {
      lookUp: await makeLookUpOfGone(context, keepTime, onSingle),
      canLookUpMany: () => canLookUpMany,
      eventDeletions: dialect === 'live' ? () => readEventDeletions(run, context) : undefined,
      sql: await openSqlStore(context, keepTime),
      now: () => serviceTime ?? new Date(context.now()).toISOString(),
      serviceTime: () => serviceTime,
      onProgress: progress.update,
    });
    if (answered !== undefined) await writeReceipt(answered, run, context, answer.prove);
    if (answer.holds && !context.dryRun && countOpen(run.state()) === 0) run.dropIds();
    return answer;
  } finally {
    progress.end();
  }
}

type Named = { readonly id: string; readonly name: string };

async function showAnswer(answer: VerificationAnswer, named: Named, context: Context): Promise<void> {
  const { holds, outcome } = answer;
  const run = named.id;
  const recordings = recordingsWord(outcome.recordingsQueued);
  const people = answer.people.map((person) => ({ ...person }));
  if (context.outputFormat().format === 'table') {
    const record: JsonObject = { run, holds, ...Object.fromEntries(verificationLines(answer)), recordings };
    const known = Object.keys(record).filter((key) => record[key] !== null);
    await context.print(
      record,
      known.map((key) => ({ key })),
    );
    if (people.length > 0) await context.print(people);
  } else {
    const { stores, ...figures } = verificationFields(answer);
    await context.print({ run, ...figures, recordings, stores, people });
  }
  for (const warning of warningsOf(answer, named)) context.warn(`warning: ${warning}`);
}

/** No service tells what became of recordings. */
function recordingsWord(queued: Queued | undefined): 'not askable' | 'not queued' | 'not told' | null {
  if (queued === undefined || queued.queued + queued.notQueued + queued.notTold === 0) return null;
  if (queued.notQueued > 0) return 'not queued';
  return queued.notTold > 0 ? 'not told' : 'not askable';
}

function warningsOf(answer: VerificationAnswer, { name }: Named): readonly string[] {
  const { open, recreated, events, stores, outcome } = answer;
  const recordings = recordingsWord(outcome.recordingsQueued);
  const { later = 0 } = events !== null && 'later' in events ? events : {};
  const stop = 'stop the client that sends, or see hogctl persons reset-distinct-id';
  return [
    open > 0
      ? `${counted(open, 'id')} of the run ${open === 1 ? 'is' : 'are'} not known to be done, so its ids stay in the record; hogctl runs resume ${name} sends what is left`
      : '',
    recreated > 0 ? `${counted(recreated, 'person')} came back after the deletion: ${stop}` : '',
    later > 0 ? `${counted(later, 'event')} came after the deletion: ${stop}` : '',
    stores.includes('sql') ? '' : 'only the person list was asked, since SQL did not answer this key',
    recordings === 'not askable'
      ? 'whether recordings have gone cannot be asked; the service queued their deletion'
      : '',
    recordings === 'not told'
      ? 'whether recordings have gone cannot be asked; the service did not say that it queued their deletion'
      : '',
  ].filter(Boolean);
}

export function sentence(answer: VerificationAnswer): string {
  const { left, others = 0, unsent = 0, events, open, missingScope, outcome, pendingUntil } = answer;
  const unqueued = outcome.recordingsQueued?.notQueued ?? 0;
  const waiting = waitingText(events);
  const [day, time = ''] = pendingUntil?.split('T') ?? [];
  const until = day === undefined ? '' : `, pending until Sunday ${day}, ${time.slice(0, 5)} UTC`;
  const isUnasked = open > unsent && left === 0 && waiting === '';
  const unasked = `the deletion of the events or recordings of ${counted(open, 'id')} may never have been asked for`;
  const parts = [
    left > 0 ? `${counted(left, 'person')} still there` : '',
    others > 0
      ? `${counted(others, 'other person', 'other persons')} behind ids of the run, whom no call was about`
      : '',
    unsent > 0 ? `${counted(unsent, 'id')} never sent` : '',
    isUnasked ? unasked : '',
    waiting === '' ? '' : `${waiting}${until}`,
    missingScope === undefined ? '' : `this key may not ask about events, since it lacks ${missingScope}`,
    unqueued > 0
      ? `the service did not queue the deletion of the recordings of ${counted(unqueued, 'person')}`
      : '',
  ];
  return parts.filter(Boolean).join(', and ');
}

function waitingText(events: VerificationAnswer['events']): string {
  if (events === null) return '';
  if ('left' in events)
    return events.left > 0 ? `${counted(events.left, 'event')} from before the deletion still there` : '';
  const waiting = events.pending + events.unconfirmed;
  return waiting > 0 ? `the events of ${counted(waiting, 'person')} are not known to have gone` : '';
}

function hintFor(answer: VerificationAnswer, name: string): string | undefined {
  const { others = 0, unsent = 0, events, missingScope, outcome } = answer;
  const unqueued = outcome.recordingsQueued?.notQueued ?? 0;
  const isNobodyFound = isOfNobody(outcome);
  const isWaiting = nextAsk(answer, 0) !== undefined;
  const parts = [
    others > 0
      ? 'they were split off or merged, or had the id before; hogctl persons bulk-delete --new-run with these ids plans them again'
      : '',
    unsent > 0 ? `hogctl runs resume ${name} sends what is left` : '',
    isNobodyFound && answer.left === 0 && countOwedEvents(events) > 0
      ? 'this run found no persons, so it queued no events; they go only if an earlier deletion asked for that'
      : '',
    isWaiting && !isNobodyFound
      ? `the service may still be at work; hogctl runs verify ${name} --wait asks again until it holds`
      : '',
    missingScope === undefined ? '' : `use a key with the scope ${missingScope}`,
    unqueued > 0 ? `delete the recordings in the app; hogctl runs prune ${name} then gives this run up` : '',
  ];
  return parts.filter(Boolean).join('; ') || undefined;
}

const minute = 60_000;

/** When an answer may be another one; nothing if only something else than time can change it. */
export function nextAsk(answer: VerificationAnswer, now: number): number | undefined {
  const { left, others = 0, events, pendingUntil, open, missingScope, outcome, holds } = answer;
  const unqueued = outcome.recordingsQueued?.notQueued ?? 0;
  const isStuck = open + unqueued + others > 0 || missingScope !== undefined;
  if (holds || isStuck) return undefined;
  if (left === 0 && pendingUntil !== undefined)
    return Math.max(Date.parse(pendingUntil) + 10 * minute, now + minute);
  return left > 0 || events !== null ? now + 10 * minute : undefined;
}
