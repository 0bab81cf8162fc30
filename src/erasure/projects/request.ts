import { basename, join } from 'node:path';
import type { Context, OneOfSeveral } from '../../cli/context.ts';
import { CliError, counted, foreseen, joinKinds, systemCode, usageError } from '../../errors.ts';
import { asObject, type Column, type Json, type JsonObject } from '../../json/kinds.ts';
import { inPages } from '../../print/rows.ts';
import { exitOfRequest } from '../core.ts';
import { createRunId, isPath, listRuns, runsDirectory, useRunDirectory } from '../record/directory.ts';
import { findNewest, newest, theOnly } from '../record/find.ts';
import type { RequestPart } from '../record/plan.ts';
import { projectText } from '../report/plan-words.ts';

/** What one command asked for in several projects: a run for each, with the same name in its plan. It names no person. */
export type Request = {
  readonly request: string;
  readonly createdAt: string;
  readonly runs: readonly RequestRun[];
};

export type RequestRun = {
  readonly project: string;
  readonly id: string;
  readonly host: string;
  /** Absent if its record is gone, or its plan is damaged so far that it does not say what it belongs to. */
  readonly run: string | undefined;
};

const prefix = 'request-';

export function createRequestName(tools: Pick<Context, 'now' | 'random'>): string {
  return `${prefix}${createRunId(tools)}`;
}

/**
 * The request of that name, or the only one that begins so, or that of the newest run; nothing for a name that is no
 * request's. Throws `not-found` if there is none.
 */
export function findRequest(name: string, context: Context): Request | undefined {
  if (name === newest) return findNewestRequest(context);
  if (!name.startsWith(prefix) || isPath(name)) return undefined;
  const runs = readRuns(context);
  const names = [...new Set(runs.map(({ part }) => part.request))];
  return toRequest(theOnly('request', name, names, 'hogctl runs list shows the request of each run'), runs);
}

/** What came last is all that one command began, unless an option names one project: one run would hide the others. */
function findNewestRequest(context: Context): Request | undefined {
  if (context.options.project !== undefined || context.options.host !== undefined) return undefined;
  const last = readPlan(findNewest(runsDirectory(context.stateDirectory()), context));
  if (last === undefined) return undefined;
  const found = toRequest(last.part.request, readRuns(context));
  context.note(`${newest} is ${found.request}, in ${found.runs.map(({ project }) => project).join(', ')}.`);
  return found;
}

type PlanOfRequest = {
  readonly run: string;
  readonly createdAt: string;
  readonly project: string;
  readonly host: string;
  readonly part: Pick<RequestPart, 'request' | 'projects'>;
};

/** All projects that any of the plans names: one that was damaged must not hide another. */
function toRequest(request: string, all: readonly PlanOfRequest[]): Request {
  const own = all.filter(({ part }) => part.request === request);
  const runOf = (id: string, host: string) => own.find((one) => one.project === id && one.host === host)?.run;
  const runs = new Map<string, RequestRun>();
  for (const { id, name, host } of own.flatMap(({ part }) => part.projects)) {
    const key = `${id} at ${host}`;
    if (!runs.has(key)) runs.set(key, { project: name, id, host, run: runOf(id, host) });
  }
  return { request, createdAt: own[0]?.createdAt ?? '', runs: [...runs.values()] };
}

function readRuns(context: Context): readonly PlanOfRequest[] {
  const parent = runsDirectory(context.stateDirectory());
  return listRuns(parent, context.records.key.uid).flatMap((name) => readPlan(join(parent, name)) ?? []);
}

/**
 * What the plan in a directory says of its request, also if the rest of the record is damaged: whoever opens the run
 * checks it. Nothing for a run that stands alone, or whose plan cannot be read.
 */
function readPlan(path: string): PlanOfRequest | undefined {
  const { run, createdAt, project, host, request, projects } = readPlanText(path);
  const id = asObject(project ?? null)?.id;
  if (run !== basename(path) || typeof id !== 'string' || typeof host !== 'string') return undefined;
  if (typeof request !== 'string' || !request.startsWith(prefix)) return undefined;
  if (typeof createdAt !== 'string' || !Array.isArray(projects)) return undefined;
  const places = projects.flatMap((one: Json) => toPlace(asObject(one)) ?? []);
  if (places.length < projects.length) return undefined;
  return { run, createdAt, project: id, host, part: { request, projects: places } };
}

function readPlanText(path: string): JsonObject {
  try {
    return asObject(JSON.parse(useRunDirectory(path).readText('plan.json'))) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError) && systemCode(error) === undefined) foreseen(error);
    return {};
  }
}

function toPlace({ id, name, host }: JsonObject = {}): RequestPart['projects'][number] | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof host !== 'string') return undefined;
  return { id, name, host };
}

/** What is told of a project whose run is not there. */
export function runIsGone({ project }: Pick<RequestRun, 'project'>): CliError {
  return new CliError('check', `the record of the run in ${project} is missing or damaged`, {
    hint: 'hogctl runs list shows what is there',
  });
}

/** A project and its host. */
export function placeText(name: string, { id, host }: Pick<RequestRun, 'id' | 'host'>): string {
  return `${projectText({ id, name })} at ${host}`;
}

export type Gathering = Readonly<ReturnType<typeof gatherOutput>>;

type Rows = AsyncIterable<readonly Json[]>;
type Kept = {
  readonly columns: readonly Column[];
  readonly parts: { readonly name: string; readonly rows: Rows }[];
};

/** Output of several projects that is shown as one. */
export function gatherOutput(context: Context) {
  const tables = new Map<string, Kept>();
  const order = new Set<string>();
  const readInput = readOnce(context);
  // Rows for programs are one list, whatever fields they have.
  const isTable = context.output.format().format === 'table';
  return {
    /** The context of one of them. Its rows are kept until `flush`, its warnings bear its name, and it asks nothing again. */
    within: (name: string, there: Context): Context => {
      order.add(name);
      return {
        ...there,
        readInput,
        warn: (text) => there.warn(text.replace(/^(warning: )?/, `$1${name}: `)),
        print: async (data, columns = []) => {
          const isPages = typeof data === 'object' && data !== null && Symbol.asyncIterator in data;
          const rows = isPages ? data : inPages(Array.isArray(data) ? data : [data]);
          const first = Array.isArray(data) ? data[0] : data;
          const keys =
            columns.length > 0 || isPages ? columns.map(({ key }) => key) : Object.keys(first ?? {});
          const shape = isTable ? keys.join() : '';
          const kept = tables.get(shape) ?? { columns, parts: [] };
          kept.parts.push({ name, rows: named(name, rows, 'project') });
          tables.set(shape, kept);
        },
        // What happens to a lock of this computer is no part of the question for all of them.
        confirm: async (question) => (question.local ? there.confirm(question) : undefined),
      };
    },
    /** Prints what was kept, with a column `project`. */
    flush: async () => {
      const names = [...order];
      for (const { columns, parts } of tables.values()) {
        const inOrder = parts.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
        const rows = joined(inOrder.map((part) => part.rows));
        await context.print(rows, columns.length === 0 ? [] : [{ key: 'project' }, ...columns]);
      }
      tables.clear();
    },
  };
}

/** Standard input can be read once only, and a file may change meanwhile. */
function readOnce({ readInput }: Context): Context['readInput'] {
  const read = new Map<string, Uint8Array[]>();
  return async function* (source) {
    const known = read.get(source);
    if (known !== undefined) return yield* known;
    const chunks: Uint8Array[] = [];
    for await (const chunk of readInput(source)) {
      chunks.push(chunk);
      yield chunk;
    }
    read.set(source, chunks);
  };
}

async function* named(
  name: string,
  pages: Rows | AsyncIterable<{ readonly rows: readonly Json[] }>,
  key: string,
) {
  for await (const page of pages) {
    const rows = 'rows' in page ? page.rows : page;
    yield rows.map((row): JsonObject => {
      const { [key]: _, ...rest } = asObject(row) ?? {};
      return { [key]: name, ...rest };
    });
  }
}

/** Rows in one page as far as that is not long, since a table measures its columns by its first page. */
async function* joined(parts: readonly Rows[]): AsyncGenerator<readonly Json[]> {
  let rows: Json[] = [];
  for (const part of parts)
    for await (const page of part) {
      rows.push(...page);
      if (rows.length < MOST_MEASURED) continue;
      yield rows;
      rows = [];
    }
  yield rows;
}

const MOST_MEASURED = 1000;

/** What came of one project. */
export type PartResult = {
  readonly name: string;
  readonly state: 'done' | 'nobody' | 'excepted' | 'failed' | 'not begun';
  readonly error?: unknown;
};

/** Tells what kept one project from being done, and goes on: it must not hide what another did. */
export function failedPart(name: string, error: unknown, context: Context): PartResult {
  const { message, hint } = error instanceof CliError ? error : { message: String(error) };
  context.warn(`warning: ${name}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
  return { name, state: 'failed', error };
}

type Ending = { readonly hint: string | undefined; readonly ignoreMissing?: boolean | undefined };

const exits = { done: 0, excepted: 0, nobody: 3, failed: 8, 'not begun': 8 } as const;

/** Throws the one error that all projects come to; nothing if each is done, or found no person and another did. */
export function endRequest(
  results: readonly PartResult[],
  { hint, ignoreMissing }: Ending,
  context: Context,
) {
  const exit = exitOfRequest(results.map(({ state }) => exits[state]));
  if (exit === 3 && !ignoreMissing) throw notFoundIn(results.map(({ name }) => name));
  if (exit !== 8) return;
  const open = results.filter(({ state }) => exits[state] === 8);
  const bug = open.find(({ state, error }) => state === 'failed' && !(error instanceof CliError));
  if (bug !== undefined) throw bug.error;
  const failures = open.flatMap(({ error }) => (error instanceof CliError ? [error] : []));
  const isAnyDone = results.some(({ state }) => state === 'done');
  const stopped = context.signal.aborted ? [{ kind: 'interrupted' as const }] : [];
  const names = open
    .map(({ name, state }) => (state === 'not begun' ? `${name} (not begun)` : name))
    .join(', ');
  const message = `${open.length} of ${counted(results.length, 'project')} ${open.length === 1 ? 'is' : 'are'} not done: ${names}`;
  const same = failures.length === open.length ? sameOf(failures) : undefined;
  throw new CliError(
    joinKinds([...stopped, ...failures], { isAnyDone }),
    same === undefined || hint !== undefined ? message : `${names}: ${same.message}`,
    { hint: hint ?? same?.hint },
  );
}

/** What is wrong with all of them alike, such as lines that were left out. */
function sameOf([first, ...others]: readonly CliError[]): CliError | undefined {
  const isSame = (one: CliError) => one.message === first?.message && one.hint === first.hint;
  return others.every(isSame) ? first : undefined;
}

function notFoundIn(names: readonly string[]): CliError {
  return new CliError('not-found', `no person to delete was found in ${names.join(', ')}`, {
    hint: 'nothing was deleted; hogctl persons list --search finds similar persons, --ignore-missing makes this a success',
  });
}

/** Throws a usage error for a person id, which means somebody else in each project. */
export function refusePersonIds(): never {
  throw usageError(
    'a person id is only valid in one project',
    'with --projects give addresses or distinct ids',
  );
}

/** Names the project in what stops all of them before anything is sent. */
export function stopsAll(error: unknown, { name }: Pick<OneOfSeveral, 'name'>): unknown {
  if (!(error instanceof CliError)) return error;
  const { kind, hint, status, code } = error;
  const end = error.message.includes('\n') ? '\nnothing' : '; nothing';
  const message = `${name}: ${error.message}${end} was deleted in any project`;
  return new CliError(kind, message, { hint, status, code, cause: error });
}

/** A request has its own projects. Throws a usage error if an option names one. */
export function refuseOneProject({ options }: Context): void {
  if (options.project === undefined && options.host === undefined) return;
  const option = options.project === undefined ? '--host' : '--project';
  throw usageError(
    `a request covers several projects, so ${option} cannot choose one`,
    'leave it out, or name one run of the request',
  );
}
