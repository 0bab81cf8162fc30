import { basename, join } from 'node:path';
import type { Context, OneOfSeveral } from '../../cli/context.ts';
import { CliError, counted, foreseen, joinKinds, systemCode, usageError } from '../../errors.ts';
import { asObject, type Column, type Json, type JsonObject } from '../../json/kinds.ts';
import { inPages } from '../../print/rows.ts';
import { makeDirectory } from '../../system/files.ts';
import { createRunId, isPath, listDirectories, runsDirectory, useRunDirectory } from '../record/directory.ts';
import { findNewest, newest, theOnly } from '../record/find.ts';
import { projectText } from '../record/plan.ts';
import { type AnsweredSources, readAnswered, writeReceipt } from '../report/receipt.ts';

/** The runs of one request in several projects. It names no person. */
export type Case = {
  readonly format: 1;
  readonly case: string;
  readonly created_at: string;
  /** Each id leads to somebody in one of the projects, or it was said to be fine that some do not. */
  readonly ignore_missing: boolean;
  readonly runs: readonly CaseRun[];
};

export type CaseRun = {
  readonly project: string;
  readonly id: string;
  readonly host: string;
  /** Null if no person to delete was found there, so that nothing was planned. */
  readonly run: string | null;
};

const prefix = 'case-';

function casesIn(stateDirectory: string): string {
  return join(stateDirectory, 'cases');
}

/** Writes down which runs belong together, before the first of them sends anything. */
export function createCase(
  { runs, ignore_missing }: Pick<Case, 'runs' | 'ignore_missing'>,
  context: Context,
): Case {
  const { now, random } = context;
  const name = `${prefix}${createRunId({ now, random })}`;
  const at = new Date(now()).toISOString();
  const held: Case = { format: 1, case: name, created_at: at, ignore_missing, runs };
  const path = casesIn(context.stateDirectory());
  try {
    makeDirectory(path);
    const directory = useRunDirectory(path);
    directory.writeNew(`${name}.json`, [`${JSON.stringify(held, null, 2)}\n`]);
    directory.sync();
    return held;
  } catch (cause) {
    const code = systemCode(cause);
    if (code === undefined) throw cause;
    throw new CliError('usage', `the case cannot be written to ${path} (${code})`, {
      hint: 'nothing was sent; set HOGCTL_STATE_DIR to a directory of your own',
      cause,
    });
  }
}

/**
 * The case of that name, or the only one that begins so, or that of the newest run; nothing for a name that is no
 * case's. Throws `not-found` if there is none, `check` if its file was damaged.
 */
export function findCase(name: string, context: Context): Case | undefined {
  if (name === newest) return findNewestCase(context);
  if (!name.startsWith(prefix) || isPath(name)) return undefined;
  const directory = useRunDirectory(casesIn(context.stateDirectory()));
  const hint = 'hogctl runs list shows the case of each run';
  return readCase(theOnly('case', name, caseNames(directory.path), hint), directory.path);
}

/** What came last is all that one command began, unless an option names one project: one run would hide the others. */
function findNewestCase(context: Context): Case | undefined {
  if (context.options.project !== undefined || context.options.host !== undefined) return undefined;
  const last = basename(findNewest(runsDirectory(context.stateDirectory()), context));
  const held = readCases(context).find(({ runs }) => runs.some(({ run }) => run === last));
  if (held !== undefined)
    context.note(`${newest} is ${held.case}, in ${held.runs.map(({ project }) => project).join(', ')}.`);
  return held;
}

/** The case of each run that belongs to one. */
export function casesByRun(context: Context): ReadonlyMap<string, string> {
  const cases = new Map<string, string>();
  for (const { case: name, runs } of readCases(context))
    for (const { run } of runs) if (run !== null) cases.set(run, name);
  return cases;
}

/** A damaged case is warned of, and hides no other. */
function readCases(context: Context): readonly Case[] {
  const path = casesIn(context.stateDirectory());
  return caseNames(path).flatMap((name) => {
    try {
      return readCase(name, path);
    } catch (error) {
      context.warn(`warning: ${foreseen(error).message}`);
      return [];
    }
  });
}

/** The cases of which no run is kept here any more, as rows of what to prune. */
export function listGoneCases(context: Context) {
  const kept = new Set(listDirectories(runsDirectory(context.stateDirectory())));
  return readCases(context)
    .filter(({ runs }) => !runs.some(({ run }) => run !== null && kept.has(run)))
    .map((held) => ({
      run: held.case,
      planned_at: held.created_at,
      path: casesIn(context.stateDirectory()),
      action: 'remove case' as const,
      reason: 'its runs are gone',
    }));
}

export function removeCase(name: string, context: Context): void {
  useRunDirectory(casesIn(context.stateDirectory())).remove(`${name}.json`);
  context.report(`Removed ${name}, whose runs are gone.`);
}

function caseNames(path: string): readonly string[] {
  const directory = useRunDirectory(path);
  if (!useRunDirectory(join(path, '..')).has('cases')) return [];
  return directory
    .names()
    .filter((name) => /^case-[\dTZ]+-[a-z0-9]+\.json$/.test(name))
    .map((name) => name.slice(0, -'.json'.length))
    .sort();
}

function readCase(name: string, path: string): Case {
  const held = parseCase(useRunDirectory(path).readText(`${name}.json`));
  if (held?.case === name) return held;
  throw new CliError('check', `the file of ${name} is damaged`, {
    hint: `hogctl runs list shows its runs, which are still there; the file is in ${path}`,
  });
}

/** Nothing for what this program did not write: a run's name leads to a directory. */
function parseCase(text: string): Case | undefined {
  try {
    const { format, case: name, created_at, ignore_missing, runs } = asObject(JSON.parse(text)) ?? {};
    if (format !== 1 || typeof name !== 'string' || typeof created_at !== 'string') return undefined;
    if (typeof ignore_missing !== 'boolean' || !Array.isArray(runs)) return undefined;
    const read = runs.flatMap((one: Json) => toCaseRun(asObject(one)) ?? []);
    if (read.length < runs.length) return undefined;
    return { format, case: name, created_at, ignore_missing, runs: read };
  } catch {
    return undefined;
  }
}

function toCaseRun({ project, id, host, run }: JsonObject = {}): CaseRun | undefined {
  if (typeof project !== 'string' || typeof id !== 'string' || typeof host !== 'string') return undefined;
  if (run === null) return { project, id, host, run };
  if (typeof run !== 'string' || !/^[\dTZ]+-[a-z0-9]+$/.test(run)) return undefined;
  return { project, id, host, run };
}

/** A project and its host. */
export function placeText(name: string, { id, host }: Pick<CaseRun, 'id' | 'host'>): string {
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
  const files = new Map<string, JsonObject[]>();
  const written = new Set<string>();
  const order = new Set<string>();
  const readInput = readOnce(context);
  // Rows for programs are one list, whatever fields they have.
  const isTable = context.outputFormat().format === 'table';
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
        files: {
          ...there.files,
          writeRows: async (file, pages, columns, how) => {
            const key = columns.some((column) => column.key === 'project') ? 'hogctl_project' : 'project';
            const all = files.get(file) ?? [];
            for await (const rows of named(name, pages, key)) all.push(...rows);
            files.set(file, all);
            written.add(name);
            await context.files.writeRows(file, inPages(all), [{ key }, ...columns], how);
          },
        },
      };
    },
    /** Whether a file of one of them has been written. */
    hasWritten: (name: string) => written.has(name),
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

async function* joined(pages: readonly Rows[]): AsyncGenerator<readonly Json[]> {
  for (const each of pages) yield* each;
}

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

/** Throws the one error that all projects come to; nothing if each is done, or found no person and another did. */
export function endCase(results: readonly PartResult[], { hint, ignoreMissing }: Ending, context: Context) {
  const open = results.filter(({ state }) => state === 'failed' || state === 'not begun');
  const bug = open.find(({ state, error }) => state === 'failed' && !(error instanceof CliError));
  if (bug !== undefined) throw bug.error;
  if (open.length > 0) {
    const failures = open.flatMap(({ error }) => (error instanceof CliError ? [error] : []));
    const isAnyDone = results.some(({ state }) => state === 'done');
    const stopped = context.signal.aborted ? [{ kind: 'interrupted' as const }] : [];
    const names = open
      .map(({ name, state }) => (state === 'not begun' ? `${name} (not begun)` : name))
      .join(', ');
    const message = `${open.length} of ${counted(results.length, 'project')} ${open.length === 1 ? 'is' : 'are'} not done: ${names}`;
    throw new CliError(joinKinds([...stopped, ...failures], { isAnyDone }), message, { hint });
  }
  if (ignoreMissing || results.some(({ state }) => state !== 'nobody')) return;
  throw notFoundIn(results.map(({ name }) => name));
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
  const message = `${name}: ${error.message}; nothing was deleted in any project`;
  return new CliError(kind, message, { hint, status, code, cause: error });
}

/** A case has its own projects. Throws a usage error if an option names one. */
export function refuseOneProject({ options }: Context): void {
  if (options.project === undefined && options.host === undefined) return;
  const option = options.project === undefined ? '--host' : '--project';
  throw usageError(
    `a case covers several projects, so ${option} cannot choose one`,
    'leave it out, or name one run of the case',
  );
}

/** The list that is answered for all projects has its lines for one without a run, too. */
export async function answerNobody(sources: AnsweredSources, there: Context): Promise<void> {
  if (sources.receipt === undefined) return;
  const answered = await readAnswered(sources, there);
  if (answered !== undefined) await writeReceipt(answered, undefined, there);
}
