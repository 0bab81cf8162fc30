import type { Context } from '../../cli/context.ts';
import { CliError, counted } from '../../errors.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { minuteText } from '../../semantics/calendar.ts';
import { countWaiting, type VerificationAnswer, verifyRun } from '../proof/ask.ts';
import { openEventDeletions } from '../proof/events.ts';
import { type Queued, reconcile } from '../proof/outcome.ts';
import { owedText, verificationFields, verificationLines } from '../proof/verdict.ts';
import { withRun } from '../record/find.ts';
import type { Verification } from '../record/journal.ts';
import type { Run, RunRecord } from '../record/open.ts';
import { countOpen } from '../record/state.ts';
import { lookingOf } from '../sending/look.ts';
import { requireSameProject } from '../sending/session.ts';
import type { AnsweredSources } from './receipt.ts';
import { planAgain } from './words.ts';

export type Verifying = AnsweredSources & {
  readonly run?: string | undefined;
  readonly due?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly takeOver?: boolean | undefined;
};

/** How each run of several is asked about. */
export type Asking = Pick<Verifying, 'takeOver'> & {
  /** Answers a list from the run as long as it has ids; returns what is wrong with the list. */
  readonly answer?: ((run: Run) => Promise<CliError | undefined>) | undefined;
};

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
      show: () => showAnswer(answer, { run, name }, context),
      failure: answer.holds
        ? answer.unknown
        : new CliError('check', sentence(answer, run), { hint: hintFor(answer, { run, name }, context) }),
      again: nextAsk(answer, context.now()),
    };
  };
  return withRun(called, context, ask, input);
}

/** The ids went when it held, or were given up: nothing is asked, and the last verification tells. */
export async function answerFromRecord(run: Run, input: Asking, context: Context): Promise<Round> {
  const verification = run.state().verifications.at(-1);
  const holds = verification?.holds === true;
  const unknown = await input.answer?.(run);
  context.note('The record has no ids any more, so nothing was asked.');
  const toFigures =
    context.output.format().format === 'table'
      ? (one: Verification) => Object.fromEntries(verificationLines(one))
      : verificationFields;
  const figures = verification && { verified_at: verification.at, ...toFigures(verification) };
  return {
    show: () => context.print({ run: run.id, holds, ...figures }),
    failure: holds ? unknown : new CliError('check', NOT_PROVEN, { hint: NEW_RUN }),
  };
}

const NOT_PROVEN = 'the ids were removed from the record before all was known to be done';
const NEW_RUN = 'hogctl runs report says what was known; to ask again, plan a new run with the list';

/** Asks about a run under its lock; drops its ids once it holds. */
export async function askRun(
  run: Run,
  { answer: answerList }: Asking,
  context: Context,
): Promise<VerificationAnswer & { readonly unknown: CliError | undefined }> {
  run.requireIds();
  const { dialect } = await requireSameProject(run, context);
  const progress = context.progress({ label: 'ids asked about', total: run.plan.members.count });
  try {
    const answer = await verifyRun(run, {
      looking: lookingOf(run, context),
      eventDeletions: dialect === 'live' ? openEventDeletions(context) : undefined,
      now: () => new Date(context.now()).toISOString(),
      onProgress: progress.update,
    });
    const unknown = await answerList?.(run);
    if (answer.holds && !context.dryRun) run.dropIds();
    return { ...answer, unknown };
  } finally {
    progress.end();
  }
}

type Named = { readonly run: Run; readonly name: string };

async function showAnswer(answer: VerificationAnswer, named: Named, context: Context): Promise<void> {
  const { holds } = answer;
  const run = named.run.id;
  const recordings = recordingsWord(reconcile(named.run).recordingsQueued);
  const people = answer.people.map((person) => ({
    ...person,
    stores: person.stores.map((store) => (store === 'list' ? 'person list' : store)),
  }));
  if (context.output.format().format === 'table') {
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
  for (const warning of warningsOf(answer, recordings, named)) context.warn(`warning: ${warning}`);
}

type RecordingsWord = 'not askable' | 'not queued' | 'not told' | null;

/** No service tells what became of recordings. */
function recordingsWord(queued: Queued | undefined): RecordingsWord {
  if (queued === undefined || queued.queued + queued.notQueued + queued.notTold === 0) return null;
  if (queued.notQueued > 0) return 'not queued';
  return queued.notTold > 0 ? 'not told' : 'not askable';
}

function warningsOf(
  { cameBack, events, stores, tally }: VerificationAnswer,
  recordings: RecordingsWord,
  { name }: Named,
): readonly string[] {
  const later = events?.later ?? 0;
  const open = countOpen(tally);
  const stop = 'stop the client that sends, or see hogctl persons reset-distinct-id';
  return [
    open > 0
      ? `${counted(open, 'id')} of the run ${open === 1 ? 'is' : 'are'} not known to be done, so its ids stay in the record; hogctl runs resume ${name} sends what is left`
      : '',
    cameBack > 0 ? `${counted(cameBack, 'person')} came back after the deletion: ${stop}` : '',
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

/** What does not hold, in words. */
export function sentence(answer: VerificationAnswer, run: RunRecord): string {
  const { left, others, tally, events, missingScope, pendingUntil } = answer;
  const [day, time = ''] = pendingUntil?.split('T') ?? [];
  const until = day === undefined ? '' : `, pending until Sunday ${day}, ${time.slice(0, 5)} UTC`;
  const unsent = (tally['not agreed'] ?? 0) + (tally['not sent'] ?? 0);
  const open = countOpen(tally) - unsent;
  const early = countEarly(answer);
  const waiting = waitingText(events);
  const { queued = 0, recordingsQueued } = reconcile(run);
  const { notQueued, notTold } = recordingsQueued ?? { notQueued: 0, notTold: 0 };
  const isQueued = queued >= left && unsent + open === 0;
  const parts = [
    left > 0 ? `${counted(left, 'person')}${isQueued ? ' queued for deletion and' : ''} still there` : '',
    others > 0 ? `${counted(others, 'other person', 'other persons')} behind ids of the run` : '',
    early > 0 ? `${counted(early, 'person')} came back before their ids were seen free` : '',
    unsent > 0 ? `${counted(unsent, 'id')} never sent` : '',
    open > 0 ? `${counted(open, 'id')} not known to be done` : '',
    waiting === '' ? '' : `${waiting}${until}`,
    missingScope === undefined ? '' : `this key may not ask everything, since it lacks ${missingScope}`,
    notQueued > 0
      ? `the service did not queue the deletion of the recordings of ${counted(notQueued, 'person')}`
      : '',
    notTold > 0
      ? `the service did not say that it queued the deletion of the recordings of ${counted(notTold, 'person')}`
      : '',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', and ') : `not known to be done: ${owedText(tally)}`;
}

/** Persons who came back and keep lines from being settled, if nobody else does. */
function countEarly({ left, others, cameBack, tally }: VerificationAnswer): number {
  const isUnseen = (tally.told ?? 0) + (tally.accepted ?? 0) > 0;
  return left + others === 0 && isUnseen ? cameBack : 0;
}

function waitingText(events: VerificationAnswer['events']): string {
  if (events === null || events.open === 0) return '';
  const { left = 0 } = events;
  return left > 0
    ? `${counted(left, 'event')} from before the deletion still there`
    : `the events of ${counted(events.open, 'person')} are not known to have gone`;
}

export function hintFor(
  answer: VerificationAnswer,
  { run, name }: Named,
  context: Pick<Context, 'now'>,
): string {
  const { left, others, tally, missingScope, events, pendingUntil } = answer;
  const again = nextAsk(answer, context.now());
  const isLong = again !== undefined && again > context.now() + hour;
  // A service whose clock is behind, such as a sandbox, keeps them although the day has passed here.
  const ofService =
    again === undefined || left > 0 || pendingUntil === undefined
      ? undefined
      : `${minuteText(Date.parse(pendingUntil))} by the clock of the service`;
  const day = isLong ? minuteText(again) : ofService;
  const { recordingsQueued } = reconcile(run);
  const giveUp = `hogctl runs prune ${name} gives this run up`;
  const areEventsUnasked = (tally['rest unknown'] ?? 0) > 0 && (events?.open ?? 0) > 0;
  const areRecordingsUnasked = (recordingsQueued?.notQueued ?? 0) + (recordingsQueued?.notTold ?? 0) > 0;
  const isInDoubt = (tally.doubtful ?? 0) > 0 && others + countEarly(answer) === 0;
  const parts = [
    others > 0 ? `they were split off or merged, or had the id before; ${planAgain(run)}` : '',
    countEarly(answer) > 0 ? `stop the client that sends; ${planAgain(run)}` : '',
    isInDoubt ? planAgain(run) : '',
    countOpen(tally) > 0 ? `hogctl runs resume ${name} sends what is left` : '',
    day !== undefined
      ? `ask again after ${day} with hogctl runs verify ${name}; until then the service keeps the events`
      : '',
    again !== undefined && day === undefined
      ? `the service may still be at work; hogctl runs verify ${name} --wait asks again until it holds`
      : '',
    areEventsUnasked
      ? `no answer says that the events of these persons will be deleted; another deletion has to ask for it; ${giveUp}`
      : '',
    missingScope === undefined ? '' : `use a key with the scope ${missingScope}`,
    areRecordingsUnasked ? `delete the recordings in the app; ${giveUp}` : '',
  ];
  return parts.filter(Boolean).join('; ') || giveUp;
}

const minute = 60_000;
const hour = 60 * minute;

/** When an answer may be another one; nothing if only something else than time can change it. */
export function nextAsk(answer: VerificationAnswer, now: number): number | undefined {
  const { left, others, events, pendingUntil, tally, missingScope, holds } = answer;
  const isStuck = countOpen(tally) + others > 0 || countWaiting(tally) === 0 || missingScope !== undefined;
  if (holds || isStuck) return undefined;
  if (left === 0 && pendingUntil !== undefined)
    return Math.max(Date.parse(pendingUntil) + 10 * minute, now + minute);
  return left > 0 || (events?.open ?? 0) > 0 ? now + 10 * minute : undefined;
}
