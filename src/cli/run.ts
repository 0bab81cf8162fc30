import { openWatcher, type Watcher } from '../completion/cache.ts';
import { bounded, CliError, changed, type ErrorKind, Unwritten, usageError } from '../errors.ts';
import type { Description } from '../http/client.ts';
import { ClosedPipe, createStderr, type Stderr, streamPrinter } from '../system/output.ts';
import { createRedactor } from '../system/redactor.ts';
import type { System } from '../system/system.ts';
import { interruption } from '../system/terminal.ts';
import type { Command, Group } from './command/command.ts';
import { GLOBAL_OPTIONS, type GlobalOptions } from './command/options.ts';
import { type Parsed, parseArguments, scan } from './command/program.ts';
import { type ReadText, readCommandInput, readOptions } from './command/read-input.ts';
import { createContext } from './context/create-context.ts';
import { readText } from './context/create-files.ts';
import { Finished, printRequests } from './context/intercept.ts';
import type { Context } from './context.ts';
import { createPrinting, withFormat } from './printing.ts';
import { VERSION } from './version.ts';

/**
 * The program: argv without node and script, and the system. Returns the exit code and never throws;
 * failures were printed on stderr.
 */
export async function run(
  argv: readonly string[],
  system: System,
  groups: readonly Group[],
): Promise<number> {
  // Until the words are parsed, a look at them says how to report what is wrong with them.
  const said: Said = { ...scan(argv, groups) };
  const stderr = createStderr(system, () => said.quiet === true);
  // Settings hide their key when they are read; a crash, or a word that was refused, may come before.
  const { HOGCTL_API_KEY: own = '', POSTHOG_CLI_API_KEY: vendors = '' } = system.environment;
  stderr.hide(createRedactor([own, vendors]));
  try {
    const parsed = await parseArguments(argv, groups);
    if (parsed.kind === 'command') return await runCommand({ ...parsed, system, groups, stderr, said });
    if (parsed.kind === 'version') await streamPrinter(system.stdout).write(`${VERSION}\n`);
    else if (parsed.wanted) await printHelp(parsed.text, system, stderr);
    else system.stderr.write(parsed.text);
    return parsed.kind === 'version' || parsed.wanted ? DONE : 2;
  } catch (failure) {
    if (failure instanceof ClosedPipe) return DONE;
    // Somebody at a terminal reads it there, whatever becomes of stdout.
    const json = (said.output === 'json' || said.output === 'ndjson') && system.stderr.isTTY !== true;
    const stopped = asStopped(failure, system.signal);
    const isBug = stopped instanceof Error && !(stopped instanceof CliError);
    // Before the error, whose line of JSON is the last one.
    if (isBug && argv.includes('--debug')) stderr.warn(stopped.stack ?? '');
    return printError(stopped, stderr, { json, path: said.path });
  }
}

/** The options that decide how messages look, and the command, as they are known so far. */
type Said = { output?: string | undefined; quiet?: boolean | undefined; path?: string | undefined };

/** What a signal broke off, told apart by the signal. */
function asStopped(failure: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || !(failure instanceof Error)) return failure;
  if (failure.name === 'AbortError') return interruption(signal);
  const { kind } = interruption(signal);
  const isStopped = failure instanceof CliError && failure.kind === 'interrupted';
  return isStopped ? new CliError(kind, failure.message, { ...failure, cause: failure }) : failure;
}

async function printHelp(text: string, system: System, stderr: Stderr): Promise<void> {
  const options = { save: undefined };
  const printing = createPrinting({ system, options, stderr, watcher: undefined, paged: true });
  await printing.printRaw(text);
  await printing.finish();
}

type Running = Extract<Parsed, { kind: 'command' }> & {
  readonly system: System;
  readonly groups: readonly Group[];
  readonly stderr: Stderr;
  readonly said: Said;
};

async function runCommand(running: Running): Promise<number> {
  const { command, system, groups, stderr, path } = running;
  const read: ReadText = (source) => readText(source, system);
  running.said.path = `hogctl ${path}`;
  const globals = await readGlobals(running, read);
  Object.assign(running.said, { quiet: globals.quiet, output: globals.output });
  const options = withFormat(globals, running.options, command);
  const columns = options.columns?.join() ?? '';
  if (stderr.redact(columns) !== columns)
    throw usageError('--columns holds a key, which would be shown', 'name fields of the rows');
  const watcher = watcherFor(running, options);
  const printing = createPrinting({ system, options, stderr, watcher, paged: isPaged(running) });
  const requests: Description[] = [];
  const keepRequest = (request: Description) => requests.push(request);
  let isChanged = false;
  const onChange = () => {
    isChanged = true;
  };
  const situation = { system, groups, command, options, stderr, printing, watcher, keepRequest, onChange };
  const context = createContext({ ...situation, signature: { version: VERSION } });
  try {
    const input = await readCommandInput(command, running, read);
    // Every command takes this context, which is made of commands, so their type cannot name its type.
    const runIt = command.run as (read: typeof input, context: Context) => ReturnType<Command['run']>;
    const code = await runIt(input, context);
    if (requests.length > 0) await printing.printRaw(printRequests(requests, options));
    await printing.finish();
    watcher?.save();
    return code ?? DONE;
  } catch (failure) {
    if (failure instanceof Finished) {
      await printing.finish();
      return DONE;
    }
    if (printing.isWhole() && isAnswer(failure, command)) await printing.finish();
    else if (await printing.abandon()) return DONE;
    throw isChanged && failure instanceof Unwritten ? afterChange(failure) : failure;
  }
}

function afterChange(failure: Unwritten): CliError {
  const message = `the change was sent, but its answer was not shown: ${failure.message}`;
  return changed(failure, { kind: 'partial', message });
}

/** Whether what was printed before is what was asked for, and says what is amiss. */
function isAnswer(failure: unknown, { reports }: Command): boolean {
  return (
    failure instanceof CliError &&
    (reports === true || failure.kind === 'check' || failure.kind === 'partial')
  );
}

/** Nothing that may change something, ask, or print a key. */
function isPaged({ command: { endpoints, paged }, options }: Running): boolean {
  // It draws in place.
  if (options.watch !== undefined) return false;
  return endpoints.length > 0 ? endpoints.every(({ effect }) => effect === 'read') : paged === true;
}

/** Jobs and scripts have no terminal, so they have no use for completion. */
function watcherFor({ system, stderr, path }: Running, options: GlobalOptions): Watcher | undefined {
  // The fields of an answer to `api` may be anything, people's ids among them.
  const isWatched = system.attended && !options.dryRun && path !== 'api';
  return isWatched ? openWatcher({ system, options, stderr, path }) : undefined;
}

/** A format of this command only leaves `output` as if nothing had been said. */
async function readGlobals({ options: given, command }: Running, read: ReadText): Promise<GlobalOptions> {
  const { special } = command;
  const { output, ...others } = given;
  const isSpecial = special !== undefined && Array.isArray(output) && output.at(-1) === special;
  // GLOBAL_OPTIONS is what GlobalOptions is derived from.
  const options = (await readOptions(GLOBAL_OPTIONS, isSpecial ? others : given, read)) as GlobalOptions;
  return isSpecial ? { ...options, special } : options;
}

type ErrorSettings = { readonly json: boolean; readonly path: string | undefined };

/**
 * Says what went wrong on stderr, as two lines or as one line of JSON, and returns the exit code.
 * What is not a `CliError` is a bug of ours, and says so.
 */
function printError(failure: unknown, stderr: Stderr, { json, path }: ErrorSettings): number {
  const error = failure instanceof CliError ? failure : undefined;
  const code = error ? EXIT_CODES[error.kind] : BUG;
  // What is cut before it is masked could end in half a key.
  const message = bounded(
    stderr.redact(
      error?.message ?? `unexpected: ${failure instanceof Error ? failure.message : String(failure)}`,
    ),
  );
  const said = error ? error.hint : `this is a bug in ${path ?? 'hogctl'}; --debug shows where`;
  const hint = said === undefined ? undefined : bounded(stderr.redact(said));
  if (json) {
    const kind = error?.kind ?? 'bug';
    const { status = null, code: serviceCode = null } = error ?? {};
    const body = {
      kind,
      message,
      hint: hint ?? null,
      status,
      code: serviceCode,
      exit_code: code,
    };
    stderr.warn(JSON.stringify({ error: body }));
    return code;
  }
  stderr.warn(`error: ${message}`);
  if (hint !== undefined) stderr.warn(`hint: ${hint}`);
  return code;
}

/** The one table from kinds of failure to exit codes; docs/exit-codes.md explains them. */
export const EXIT_CODES: Readonly<Record<ErrorKind, number>> = {
  usage: 2,
  'not-found': 3,
  authentication: 4,
  refused: 5,
  unavailable: 6,
  cancelled: 7,
  partial: 8,
  check: 9,
  interrupted: 130,
  terminated: 143,
};

export const DONE = 0;
/** Any failure that is not a `CliError`. */
export const BUG = 1;
