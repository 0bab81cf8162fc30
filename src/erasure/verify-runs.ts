import type { Context } from '../cli/context.ts';
import { CliError, counted, usageError } from '../errors.ts';
import { countOwedEvents, isWaitingOnly, readEventDeletions } from './event-proof.ts';
import { listRuns, type RunSummary, refuseOtherProject, withRun } from './find-run.ts';
import { countAskable, isVerified, owedOf, verificationLines, verificationsOf } from './outcome-lines.ts';
import { projectText } from './plan.ts';
import { type AnsweredSources, readAnswered, writeReceipt } from './receipt.ts';
import { makeLookUp } from './resolve.ts';
import type { Run, RunPlan } from './run.ts';
import { printKnown } from './show-outcome.ts';
import { openSqlStore } from './sql-store.ts';
import { countOpen, withPeople } from './tasks.ts';
import { type VerificationAnswer, verifyRun } from './verify.ts';

type Verifying = AnsweredSources & {
  readonly run?: string | undefined;
  readonly due?: boolean | undefined;
  readonly wait?: boolean | undefined;
  readonly keepIds?: boolean | undefined;
};

type Round = {
  readonly show: () => Promise<void>;
  /** What does not hold. */
  readonly failure: CliError | undefined;
  /** When to ask again (milliseconds since 1970); absent where waiting does not help. */
  readonly again?: number | undefined;
};

/** Asks about one run, or about each that owes something, and shows it. Throws `check` where something is owed still. */
export async function verify({ run, due, ...input }: Verifying, context: Context): Promise<void> {
  const { wait, keepIds: _, ...sources } = input;
  const isGiven = Object.values(sources).some((value) => value !== undefined);
  if (due === true && (run !== undefined || isGiven))
    throw usageError('--due asks about every run that owes something', 'leave the run and its ids out');
  if (due !== true && run === undefined)
    throw usageError('a run is missing', 'name one, or last for the newest; --due asks about each that owes');
  if (wait === true && isGiven)
    throw usageError('--wait asks with the ids of the record', 'leave --ids, --distinct-ids and --from out');
  if (input.receipt !== undefined) await context.files.tryPrivate(input.receipt);
  const ask = () => (run === undefined ? askDue(input, context) : askOne(run, input, context));
  let round = await ask();
  while (wait === true && round.again !== undefined) {
    context.note(`${round.failure?.message}; asks again at ${new Date(round.again).toISOString()}`);
    await waitUntil(round.again, context);
    round = await ask();
  }
  await round.show();
  if (round.failure !== undefined) throw round.failure;
}

async function waitUntil(time: number, { wait, now, signal }: Context): Promise<void> {
  await wait(Math.max(0, time - now()), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) {
    const isTerminated = signal.reason === 'SIGTERM';
    throw new CliError(isTerminated ? 'terminated' : 'interrupted', 'nobody waits any more; ask again later');
  }
}

async function askOne(called: string, input: Verifying, context: Context): Promise<Round> {
  return withRun(called, context, async (run, name) => {
    if (input.as === 'emails' && !run.hasIds) return answerFromRecord(run, input, context);
    const answer = await askRun(run, input, context);
    return {
      show: () => showAnswer(answer, { id: run.id, total: countAskable(run), name }, context),
      failure: answer.holds
        ? undefined
        : new CliError('check', sentence(answer), { hint: hintFor(answer, name) }),
      again: nextAsk(answer, context.now()),
    };
  });
}

/** Without its ids a run cannot be asked about again by addresses, but it may have been proved before. */
async function answerFromRecord(run: Run, input: Verifying, context: Context): Promise<Round> {
  const { whole } = verificationsOf(run);
  if (whole === undefined || isVerified(run) !== true) {
    throw usageError(
      'the record of this run has lost its ids, and addresses do not lead to persons who are gone',
      'give ids or distinct ids again, with --from and --as',
    );
  }
  const { answered } = await readAnswered(run, input, context);
  if (answered !== undefined)
    await writeReceipt(answered, run, context, ({ person }) => (person === null ? null : true));
  const row = {
    run: run.id,
    asked: whole.asked,
    left: whole.left,
    holds: whole.holds,
    verified_at: whole.at,
  };
  context.note('The record has lost its ids since it was verified, so nothing was asked.');
  return { show: () => context.print(row), failure: undefined };
}

/** Asks about a run under its lock; drops its ids once it holds, unless they are to stay. */
async function askRun(
  opened: Run,
  { keepIds, ...sources }: Omit<Verifying, 'run' | 'due' | 'wait'>,
  context: Context,
): Promise<VerificationAnswer> {
  const { people, answered } = await readAnswered(opened, sources, context);
  const run = await withPeople(opened, people, {}, context);
  await refuseOtherProject(run, context);
  const { dialect } = await context.settings();
  const progress = context.progress({ label: 'ids asked about', total: run.plan.unique });
  let serviceTime: string | undefined;
  const keepTime = (time: string) => {
    serviceTime = time;
  };
  try {
    const answer = await verifyRun(run, {
      lookUp: await makeLookUp(context, keepTime),
      eventDeletions: dialect === 'live' ? () => readEventDeletions(context) : undefined,
      sql: await openSqlStore(context, keepTime),
      now: () => serviceTime ?? new Date(context.now()).toISOString(),
      onProgress: progress.update,
    });
    if (answered !== undefined) await writeReceipt(answered, run, context, answer.prove);
    const isKeeping = keepIds || run.plan.keepIds || context.dryRun;
    if (answer.holds && !isKeeping && countOpen(run.state()) === 0) opened.dropIds();
    return answer;
  } finally {
    progress.end();
  }
}

type Named = { readonly id: string; readonly name: string; readonly total: number };

async function showAnswer(answer: VerificationAnswer, named: Named, context: Context): Promise<void> {
  const { asked, left, recreated, holds, events, pendingUntil, stores, missingScope } = answer;
  const run = named.id;
  const recordings = answer.recordings ?? null;
  const people = answer.people.map((person) => ({ ...person }));
  if (context.outputFormat().format === 'table') {
    await printKnown({ run, holds, ...Object.fromEntries(verificationLines(answer)), recordings }, context);
    if (people.length > 0) await context.print(people);
  } else
    await context.print({
      run,
      asked,
      recreated,
      left,
      holds,
      events: events === null ? null : { ...events },
      pending_until: pendingUntil ?? null,
      missing_scope: missingScope ?? null,
      recordings,
      stores: stores ?? null,
      people,
    });
  for (const warning of warningsOf(answer, named)) context.warn(`warning: ${warning}`);
}

function warningsOf(answer: VerificationAnswer, { name, total }: Named): readonly string[] {
  const { asked, open, recreated, events, stores = [], recordings } = answer;
  const { later = 0, partial = 0 } = events !== null && 'later' in events ? events : {};
  const stop = 'stop the client that sends, or see hogctl persons reset-distinct-id';
  return [
    asked < total ? `only the ids that were given were asked about: ${asked} of the ${total} of the run` : '',
    open > 0
      ? `${counted(open, 'id')} of the run ${open === 1 ? 'is' : 'are'} not known to be done, so its ids stay in the record; hogctl runs resume ${name} sends what is left`
      : '',
    recreated > 0 ? `${counted(recreated, 'person')} came back after the deletion: ${stop}` : '',
    later > 0 ? `${counted(later, 'event')} came after the deletion: ${stop}` : '',
    partial > 0
      ? `for ${counted(partial, 'distinct id')} only the events under it were counted, since the record does not tell whose it was`
      : '',
    stores.includes('sql') ? '' : 'only the person list was asked, since SQL did not answer this key',
    recordings === 'not askable'
      ? 'whether recordings have gone cannot be asked; the service queued their deletion'
      : '',
    recordings === 'not told'
      ? 'whether recordings have gone cannot be asked; the service did not say that it queued their deletion'
      : '',
  ].filter(Boolean);
}

function sentence(answer: VerificationAnswer): string {
  const { left, events, open, missingScope, recordingsNotQueued, pendingUntil } = answer;
  const waiting = waitingText(events);
  const { unresolved } = events ?? { unresolved: 0 };
  const [day, time = ''] = pendingUntil?.split('T') ?? [];
  const until = day === undefined ? '' : `, pending until Sunday ${day}, ${time.slice(0, 5)} UTC`;
  const isUnasked = open > 0 && left === 0 && waiting === '';
  const unasked = `the deletion of the events or recordings of ${counted(open, 'id')} is not known to have been asked for`;
  const parts = [
    left > 0 ? `${counted(left, 'person')} still there` : '',
    isUnasked ? unasked : '',
    waiting === '' ? '' : `${waiting}${until}`,
    unresolved > 0
      ? `whom ${counted(unresolved, 'id')} belonged to is not in the record, or was not looked up`
      : '',
    missingScope === undefined ? '' : `this key may not ask about events, since it lacks ${missingScope}`,
    recordingsNotQueued > 0
      ? `the service did not queue the deletion of the recordings of ${counted(recordingsNotQueued, 'person')}`
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
  const { events, missingScope, recordingsNotQueued, isNobodyFound } = answer;
  const isWaiting = nextAsk(answer, 0) !== undefined;
  const parts = [
    isNobodyFound && answer.left === 0 && countOwedEvents(events) > 0
      ? 'this run found nobody, so it queued no events; they go only if an earlier deletion asked for them'
      : '',
    isWaiting && !isNobodyFound
      ? `the service may still be at work; hogctl runs verify ${name} asks again, with --wait until it holds`
      : '',
    missingScope === undefined ? '' : `use a key with the scope ${missingScope}`,
    recordingsNotQueued > 0
      ? `delete them at the service; hogctl runs prune ${name} then gives this run up`
      : '',
    (events?.unresolved ?? 0) > 0 ? unresolvedHint(answer, name) : '',
  ];
  return parts.filter(Boolean).join('; ') || undefined;
}

function unresolvedHint({ events, stores = [] }: VerificationAnswer, name: string): string {
  if (events !== null && 'left' in events)
    return `events cannot be found by an integer id; hogctl runs prune ${name} gives this run up`;
  const unmatched =
    'those ids cannot be matched to the events that hogctl persons deletion-status shows by person uuid';
  return stores.includes('sql')
    ? unmatched
    : `${unmatched}; with a key that has the scope query:read their events are counted`;
}

const minute = 60_000;

/** When an answer may be another one; nothing where only something else than time can change it. */
function nextAsk(answer: VerificationAnswer, now: number): number | undefined {
  const { left, events, pendingUntil, open, missingScope, recordingsNotQueued, holds } = answer;
  const isStuck =
    open + recordingsNotQueued > 0 || missingScope !== undefined || (events?.unresolved ?? 0) > 0;
  if (holds || isStuck) return undefined;
  if (left === 0 && pendingUntil !== undefined)
    return Math.max(Date.parse(pendingUntil) + 10 * minute, now + minute);
  return left > 0 || isWaitingOnly(events) || events !== null ? now + 10 * minute : undefined;
}

/**
 * Asks about all runs that owe something, each at its own project, or at the one that an option names. One that cannot
 * be asked must not hide what another owes: it is told, and still owes.
 */
async function askDue(input: Verifying, context: Context): Promise<Round> {
  const { project, host } = context.options;
  const only = project === undefined && host === undefined ? undefined : await context.settings();
  const due = listRuns(context.stateDirectory(), { owner: context.owner }).filter((run) => isDue(run, only));
  const rows: DueRow[] = [];
  for (const summary of due) rows.push(await askOneDue(summary, input, context));
  const owing = rows.filter(({ holds }) => !holds);
  const times = rows.flatMap(({ again }) => again ?? []);
  const still = `still ${owing.length === 1 ? 'owes' : 'owe'} something`;
  const message = `${owing.length} of ${counted(rows.length, 'run')} ${still}`;
  const hint = 'hogctl runs verify <run> says more about one run';
  return {
    show: () => context.print(rows.map(({ again: _, failure: __, ...row }) => row)),
    failure: owing.length === 0 ? undefined : (sameFailure(rows) ?? new CliError('check', message, { hint })),
    again: owing.length > 0 && times.length > 0 ? Math.min(...times) : undefined,
  };
}

/** A record that cannot be read may owe something, too. */
function isDue({ plan, owed = [], hasIds, neverBegan }: RunSummary, only: Settings | undefined): boolean {
  if (plan === undefined) return neverBegan !== true;
  if (only !== undefined && !isFor(plan, only)) return false;
  return owed.length > 0 && hasIds === true;
}

/** What kept each of the runs from being asked, if it is of one kind: such as a service that is down. */
function sameFailure(rows: readonly DueRow[]): CliError | undefined {
  const failures = rows.map(({ failure }) => failure);
  const [first] = failures;
  return failures.every((one) => one !== undefined && one.kind === first?.kind) ? first : undefined;
}

type DueRow = {
  readonly run: string;
  readonly project: string | null;
  readonly holds: boolean;
  readonly owed: string | null;
  readonly pending_until: string | null;
  readonly remark: string | null;
  readonly again?: number | undefined;
  /** Of the service; one of the record or of the settings is none. */
  readonly failure?: CliError | undefined;
};

async function askOneDue(summary: RunSummary, input: Verifying, context: Context): Promise<DueRow> {
  const { id, path, plan, problem, owed: before = [] } = summary;
  const named = { run: id, project: plan === undefined ? null : projectText(plan.project) };
  const unasked = (reason: string, failure?: CliError): DueRow => {
    context.warn(`warning: run ${id} was not asked about: ${reason}`);
    const owed = before.join(', ') || null;
    return { ...named, holds: false, owed, pending_until: null, remark: reason, failure };
  };
  if (plan === undefined) return unasked(problem ?? '');
  try {
    const there = await contextOf(plan, context);
    return await withRun(path, there, async (run) => {
      const answer = await askRun(run, input, there);
      return {
        ...named,
        holds: answer.holds,
        owed: owedOf(run).join(', ') || null,
        pending_until: answer.pendingUntil ?? null,
        remark: answer.holds ? null : sentence(answer),
        again: nextAsk(answer, context.now()),
      };
    });
  } catch (error) {
    if (!(error instanceof CliError) || context.signal.aborted) throw error;
    const isOfRun = ['check', 'refused', 'usage'].includes(error.kind);
    return unasked(error.message, isOfRun ? undefined : error);
  }
}

/** The context with the key in use if that is for the project of a plan, else with a stored one. */
async function contextOf(plan: RunPlan, context: Context): Promise<Context> {
  try {
    if (isFor(plan, await context.settings())) return context;
  } catch (error) {
    // Without a default project, each run still has its own.
    if (!(error instanceof CliError) || error.kind !== 'usage') throw error;
  }
  return context.forProject({ ...plan.project, host: plan.host });
}

type Settings = Awaited<ReturnType<Context['settings']>>;

function isFor({ project, host }: RunPlan, settings: Settings): boolean {
  return settings.project.id === project.id && settings.host.address === host;
}
