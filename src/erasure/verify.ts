import type { Context } from '../cli/context.ts';
import { CliError, counted, foreseen, usageError } from '../errors.ts';
import type { Column } from '../json/kinds.ts';
import { tryFiles } from './input/written-files.ts';
import { answerRequest } from './projects/answer-request.ts';
import { findRequest, gatherOutput, type Request, refuseOneProject, runIsGone } from './projects/request.ts';
import { listRuns, type RunSummary } from './proof/summary.ts';
import { owedOf } from './proof/verdict.ts';
import { withRun } from './record/find.ts';
import type { Run, RunPlan } from './record/open.ts';
import { type Answers, answersOf, placeOf } from './report/answers.ts';
import { projectText } from './report/plan-words.ts';
import { notInRun, type ReceiptInput, readAnswered, writeReceipt } from './report/receipt.ts';
import {
  type Asking,
  answerFromRecord,
  askOne,
  askRun,
  hintFor,
  nextAsk,
  type Round,
  sentence,
  type Verifying,
} from './report/verification.ts';

/** Asks about one run, or about each that owes something, and shows it. Throws `check` if something is owed still. */
export async function verify({ run, due, wait, ...input }: Verifying, context: Context): Promise<void> {
  const { takeOver, ...sources } = input;
  const isGiven = Object.values(sources).some((value) => value !== undefined);
  if (due === true && (run !== undefined || isGiven))
    throw usageError('--due asks about every run that owes something', 'leave out the run and its list');
  if (due === true && takeOver)
    throw usageError('--take-over is about one run', 'name it, and leave out --due');
  if (due !== true && run === undefined)
    throw usageError(
      'a run is missing',
      'name one, or last for the newest; --due asks about each that owes something',
    );
  if (wait === true && isGiven)
    throw usageError(
      '--wait writes no receipt',
      'leave out --from and --receipt, and write it once the run holds',
    );
  await tryFiles(input, context);
  const answered = await readAnswered(sources, context);
  const request = run === undefined ? undefined : findRequest(run, context);
  const answer = answered && ((one: Run) => answerRun(one, answered, context));
  const ask = () => {
    if (request !== undefined) return askRequest(request, { takeOver, answered }, context);
    return run === undefined ? askDue({}, context) : askOne(run, { takeOver, answer }, context);
  };
  let round = await ask();
  while (wait === true && round.again !== undefined) {
    context.note(`${round.failure?.message}; the next check is at ${new Date(round.again).toISOString()}`);
    await waitUntil(round.again, context);
    round = await ask();
  }
  await round.show();
  if (round.failure !== undefined) throw round.failure;
}

async function answerRun(run: Run, answered: ReceiptInput, context: Context): Promise<CliError | undefined> {
  const answers = answersOf(answered, { run, place: placeOf(run) }, context);
  return notInRun(await writeReceipt(answered, [answers], context, { isVerified: true }));
}

async function waitUntil(time: number, { wait, now, signal }: Context): Promise<void> {
  await wait(Math.max(0, time - now()), signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) throw new CliError('interrupted', 'the wait was interrupted; ask again later');
}

/**
 * Asks about all runs that owe something, each at its own project, or at the one that an option names. One that cannot
 * be asked must not hide what another owes: it is told, and still owes.
 */
async function askDue(input: Asking, context: Context): Promise<Round> {
  const { project, host } = context.options;
  const only = project === undefined && host === undefined ? undefined : await context.settings();
  const owing = listRuns(context.stateDirectory(), context).filter((run) => isDue(run, only));
  const rows: DueRow[] = [];
  for (const one of owing) rows.push(await askOneDue(one, input, context));
  const round = toRound(rows, 'run', context);
  if (rows.length > 0) return round;
  const show = async () => {
    await round.show();
    context.note(`No run${only === undefined ? '' : ' of this project'} is left to verify.`);
  };
  return { ...round, show };
}

/** The same for the runs of a request, those included that owe nothing any more. */
async function askRequest(
  request: Request,
  { takeOver, answered }: Asking & { readonly answered: ReceiptInput | undefined },
  context: Context,
): Promise<Round> {
  refuseOneProject(context);
  const gathering = gatherOutput(context);
  const summaries = new Map(listRuns(context.stateDirectory(), context).map((one) => [one.id, one]));
  const rows: DueRow[] = [];
  const known = new Map<string, Answers>();
  for (const part of request.runs) {
    const { run, project: name, id, host } = part;
    const answer = async (one: Run) => {
      if (answered !== undefined)
        known.set(one.id, answersOf(answered, { run: one, place: part, project: name }, context));
      return undefined;
    };
    const summary = run === undefined ? undefined : summaries.get(run);
    const open = async () => gathering.within(name, context.projects.one({ id, name, host }));
    if (summary !== undefined) rows.push(await askOneDue(summary, { takeOver, answer }, context, open));
    else {
      const { message: remark } = runIsGone(part);
      rows.push({
        run: null,
        project: `${name} (${id})`,
        holds: false,
        owed: null,
        pending_until: null,
        remark,
      });
    }
  }
  const unknown = answered && (await answerRequest(request, answered, { isVerified: true, known }, context));
  const round = toRound(rows, 'project', context, request.request);
  return { ...round, failure: round.failure ?? unknown };
}

function toRound(rows: readonly DueRow[], noun: string, context: Context, request?: string): Round {
  const owing = rows.filter(({ holds }) => holds === false);
  const times = rows.flatMap(({ again }) => again ?? []);
  const still = `${owing.length === 1 ? 'is' : 'are'} not known to be done`;
  const message = `${owing.length} of ${counted(rows.length, noun)} ${still}`;
  const hint = hintOf(owing, request);
  return {
    show: () =>
      context.print(
        rows.map(({ again: _, failure: __, hint: ___, ...row }) => row),
        dueColumns,
      ),
    failure: owing.length === 0 ? undefined : (sameFailure(rows) ?? new CliError('check', message, { hint })),
    again: owing.length > 0 && times.length > 0 ? Math.min(...times) : undefined,
  };
}

/** What to do about one of them is told as by itself, and about a few, one after the other. */
function hintOf(owing: readonly DueRow[], request: string | undefined): string {
  const own = new Set(owing.map(({ hint }) => hint));
  // What all runs need is one command about the request, or about all that is due.
  const common = new Set(
    owing.map(({ hint, run }) =>
      request === undefined
        ? hint?.replaceAll(`runs verify ${run}`, 'runs verify --due')
        : hint?.replaceAll(run ?? request, request),
    ),
  );
  const hints = owing.length > 1 && common.size === 1 ? common : own;
  const isTold = hints.size <= MOST_HINTS && !hints.has(undefined);
  return isTold ? [...hints].join('; ') : 'hogctl runs verify <run> says what to do about one run';
}

const MOST_HINTS = 2;

/** A record that cannot be read may owe something, too. */
function isDue({ plan, owed = [], isGivenUp, neverBegan }: RunSummary, only: Settings | undefined): boolean {
  if (plan === undefined) return neverBegan !== true;
  if (only !== undefined && !isFor(plan, only)) return false;
  return owed.length > 0 && isGivenUp !== true;
}

/** What kept each of the runs from being asked, if it is of one kind: such as a service that is down. */
function sameFailure(rows: readonly DueRow[]): CliError | undefined {
  const failures = rows.map(({ failure }) => failure);
  const [first] = failures;
  return failures.every((one) => one !== undefined && one.kind === first?.kind) ? first : undefined;
}

const dueColumns: readonly Column[] = [
  { key: 'run', kind: 'id' },
  { key: 'project' },
  { key: 'holds' },
  { key: 'owed' },
  { key: 'pending_until', minor: true },
  { key: 'remark' },
];

type DueRow = {
  /** Null if its record is gone. */
  readonly run: string | null;
  readonly project: string | null;
  readonly holds: boolean;
  readonly owed: string | null;
  readonly pending_until: string | null;
  readonly remark: string | null;
  readonly again?: number | undefined;
  readonly hint?: string | undefined;
  /** Of the service; one of the record or of the settings is none. */
  readonly failure?: CliError | undefined;
};

async function askOneDue(
  summary: RunSummary,
  input: Asking,
  context: Context,
  open: typeof contextOf = contextOf,
): Promise<DueRow> {
  const { path, plan, problem } = summary;
  if (plan === undefined) return unasked(summary, { reason: problem ?? '' }, context);
  try {
    const there = await open(plan, context);
    const ask = async (run: Run): Promise<DueRow> => {
      if (!run.hasIds) {
        const { failure } = await answerFromRecord(run, input, there);
        return {
          ...nameOf(summary),
          holds: failure === undefined,
          owed: null,
          pending_until: null,
          remark: failure?.message ?? 'its ids were removed when it held',
        };
      }
      const answer = await askRun(run, input, there);
      return {
        ...nameOf(summary),
        holds: answer.holds,
        owed: owedOf(run).join(', ') || null,
        pending_until: answer.pendingUntil ?? null,
        remark: answer.holds ? null : sentence(answer, run),
        again: nextAsk(answer, context.now()),
        hint: answer.holds ? undefined : hintFor(answer, { run, name: run.id }, context),
      };
    };
    return await withRun(path, there, ask, input);
  } catch (error) {
    if (!(error instanceof CliError) || context.signal.aborted) throw error;
    const isOfRun = ['check', 'refused', 'usage'].includes(error.kind);
    return unasked(summary, { reason: error.message, failure: isOfRun ? undefined : error }, context);
  }
}

/** A run that could not be asked about still owes what it did. */
function unasked(
  summary: RunSummary,
  { reason, failure }: { readonly reason: string; readonly failure?: CliError | undefined },
  context: Context,
): DueRow {
  const { id, owed = [] } = summary;
  context.warn(`warning: run ${id} was not asked about: ${reason}`);
  return {
    ...nameOf(summary),
    holds: false,
    owed: owed.join(', ') || null,
    pending_until: null,
    remark: reason,
    failure,
  };
}

function nameOf({ id, plan }: RunSummary): Pick<DueRow, 'run' | 'project'> {
  return { run: id, project: plan === undefined ? null : projectText(plan.project) };
}

/** The context with the key in use if that is for the project of a plan, else with a stored one. */
async function contextOf(plan: RunPlan, context: Context): Promise<Context> {
  try {
    if (isFor(plan, await context.settings())) return context;
  } catch (error) {
    // Without a default project, each run still has its own.
    if (foreseen(error).kind !== 'usage') throw error;
  }
  return context.projects.one({ ...plan.project, host: plan.host });
}

type Settings = Awaited<ReturnType<Context['settings']>>;

function isFor({ project, host }: RunPlan, settings: Settings): boolean {
  return settings.project.id === project.id && settings.host.address === host;
}
