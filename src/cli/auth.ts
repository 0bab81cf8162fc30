import { CliError, changed, usageError } from '../errors.ts';
import type { Client } from '../http/client.ts';
import type { LegalHold } from '../semantics/legal-hold.ts';
import type { AnswerOf, Dialect, Endpoint } from '../service/endpoint.ts';
import { platform } from '../service/platform.ts';
import {
  checkEncryption,
  checkPlace,
  type KeySource,
  requireKey,
  type StoredProject,
} from '../settings/stored-project.ts';
import { findKeyVariables } from '../system/children.ts';
import type { Group } from './command/command.ts';
import type { Options, OptionsInput } from './command/options.ts';
import type { Context } from './context.ts';

/** The project as it will be stored, asked for if options leave something open. Throws a usage error for what cannot be. */
export async function prepareLogin(
  input: OptionsInput<typeof loginOptions> & {
    /** The legal hold that is to be stored, or that none is. */
    readonly hold?: LegalHold | undefined;
    readonly noExcept?: boolean | undefined;
  },
  context: Context,
) {
  if (context.dryRun)
    throw usageError('--dry-run cannot be used here: auth login sends no change', 'leave it out');
  const known = findStored(input.name, context);
  const host =
    context.options.host ?? known?.host ?? (await askFor('Host (us, eu or a URL): ', '--host', context));
  const id = context.options.project ?? known?.id ?? (await askFor('Project id: ', '--project', context));
  const place = checkPlace({ name: input.name ?? `project-${id}`, host, id });
  const name = context.projects.stored().nameFor(place, input.name && place.name);
  const before = findStored(name, context);
  // Before the key is typed, so that people know where it will go.
  const clear = checkEncryption(place.host, context.options.insecure);
  if (clear !== undefined) context.warn(`warning: ${clear}`);
  // The service shows a key once only, so a change of the legal hold alone must not need it again.
  const kept = input.hold !== undefined || input.noExcept ? before : undefined;
  const { key, source } = await readKey(input, { host: place.host, kept, context });
  // A new key takes neither protection nor a legal hold away.
  const except = input.hold ?? (input.noExcept ? undefined : before?.except);
  const project: StoredProject = {
    ...place,
    ...source,
    name,
    protected: input.protected ?? before?.protected ?? false,
    ...(except === undefined ? {} : { except }),
    ...(input.dialect === undefined ? {} : { dialect: input.dialect }),
  };
  return { project, key };
}

function findStored(name: string | undefined, context: Context): StoredProject | undefined {
  return context.projects
    .stored()
    .list()
    .projects.find((stored) => stored.name === name);
}

/** Asks for what an option would have said. Throws a usage error that names the option if there is no terminal to ask at. */
async function askFor(text: string, option: string, context: Context): Promise<string> {
  if (!context.terminal.interactive)
    throw usageError(`${option} is missing`, `give ${option}; it is only asked for at a terminal`);
  return context.terminal.ask({ text });
}

type Reading = {
  readonly host: string;
  /** What is stored already, and stays if no other key is given. */
  readonly kept: KeySource | undefined;
  readonly context: Context;
};

/** The key, and what is stored of it. */
async function readKey(
  { keyStdin, keyCommand }: OptionsInput<typeof loginOptions>,
  { host, kept, context }: Reading,
): Promise<{ readonly key: string; readonly source: KeySource }> {
  const fromCommand = async (command: string) => ({
    key: await context.projects.runKeyCommand(command),
    source: { keyCommand: command },
  });
  if (keyCommand !== undefined) {
    if (keyStdin)
      throw usageError('--key-stdin and --key-command cannot be used together', 'give one of them');
    return fromCommand(keyCommand);
  }
  const usable = (text: string, from: string) => {
    const key = requireKey(text, from);
    return { key, source: { key } };
  };
  if (keyStdin) return usable(await readAll(context.readInput('-')), 'standard input');
  const { HOGCTL_API_KEY: own } = context.system.environment;
  if (own) return usable(own, 'HOGCTL_API_KEY');
  if (kept?.key !== undefined) return usable(kept.key, 'the stored project');
  if (kept !== undefined) return fromCommand(kept.keyCommand);
  if (!context.terminal.interactive)
    throw usageError(
      'a key is missing',
      'pipe it in with --key-stdin, give a command that prints it with --key-command, or set HOGCTL_API_KEY',
    );
  context.note(
    `Create a key at ${host}/settings/user-api-keys. Erasure with proof needs the scopes person:write and query:read; hogctl endpoints lists the scopes of each command.`,
  );
  return usable(
    await context.terminal.ask({ text: 'Personal API key (not shown): ', secret: true }),
    'the prompt',
  );
}

/** More than any key; a whole file piped in by mistake is not read to its end. */
const LONGEST_KEY = 10_000;

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LONGEST_KEY) throw usageError('standard input is too long to be a key');
  }
  return text;
}

type KeyCheck = {
  readonly dialect: Dialect;
  readonly label?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly notes: readonly string[];
  /** The key does not work here. */
  readonly failure?: CliError;
};

type Project = {
  readonly id: string;
  readonly host: string;
  readonly key: string | (() => Promise<string>);
  readonly dialect?: Dialect;
  /** Whether it is to be stored, so that a key that does not reach it is a failure. */
  readonly isNew?: true;
};

/**
 * Asks the service what the key may do. A service that answers is a live one; one without that address is taken for one
 * of the specification.
 */
export async function checkKey(project: Project, context: Context): Promise<KeyCheck> {
  const client = await context.projects.connect({
    project: { id: project.id },
    host: { address: project.host },
    key: project.key,
    dialect: project.dialect ?? 'live',
  });
  let own: OwnKey;
  try {
    own = await client.call(platform.ownKey, {});
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const dialect = project.dialect ?? 'specification';
    if (failure.kind !== 'not-found') return { dialect, notes: [], failure };
    return { dialect, notes: ['The service does not say which scopes the key has.'] };
  }
  const { label, scopes } = own;
  const reach = await askReach(own, project, client);
  const dialect = project.dialect ?? 'live';
  return { ...reach, dialect, label, scopes, notes: [...scopeNotes(scopes), ...reach.notes] };
}

function scopeNotes(scopes: readonly string[] | undefined): readonly string[] {
  return scopes
    ? [`The key has ${scopes.includes('*') ? 'all scopes' : `the scopes ${scopes.join(', ')}`}.`]
    : [];
}

type OwnKey = AnswerOf<typeof platform.ownKey>;
type Reach = Pick<KeyCheck, 'notes' | 'failure'>;

/** The projects that a key is narrowed to, if this is none of them: it is refused there. */
function othersOf({ scoped_teams: reached }: OwnKey, id: string): string | undefined {
  if (!Array.isArray(reached) || reached.length === 0) return undefined;
  return reached.map(String).includes(id) ? undefined : reached.join(', ');
}

/** Whether the service shows the project to the key; a key that may not read projects leaves it open. */
async function askReach(own: OwnKey, { id, isNew }: Project, client: Client): Promise<Reach> {
  const others = othersOf(own, id);
  if (!isNew) {
    const note = `The key is only for project ${others}, so the service will refuse it for project ${id}.`;
    return { notes: others === undefined ? [] : [note] };
  }
  const hint = 'nothing was stored; check --project and --host, or use a key with access to that project';
  const message = `the key has no access to project ${id}`;
  if (others !== undefined) {
    const failure = new CliError('authentication', `${message}: it is only for ${others}`, { hint });
    return { notes: [], failure };
  }
  if (!hasScopes(['project:read'], own.scopes ?? ['*'])) {
    const note = `The key lacks the scope project:read, so its access to project ${id} was not checked.`;
    return { notes: [note] };
  }
  try {
    await client.call(platform.project, {});
    return { notes: [] };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    if (![403, 404].includes(failure.status ?? 0)) return { notes: [], failure };
    return { notes: [], failure: changed(failure, { message: `${message}: ${failure.message}`, hint }) };
  }
}

/** Removes what is kept of a project for completion. The key has gone by then, so a failure is a warning. */
export function forgetNames(project: { readonly host: string; readonly id: string }, context: Context): void {
  try {
    context.projects.clearCompletionCache({ host: project.host, project: project.id });
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    context.warn(`warning: cannot remove the names kept for completion: ${reason}`);
  }
}

export const loginOptions = {
  name: {
    type: 'text',
    placeholder: 'name',
    description: 'Name of the stored project (default project-<id>)',
  },
  protected: { type: 'flag', description: 'Require its name before anything is destroyed' },
  keyStdin: { type: 'flag', description: 'Read the key from standard input' },
  keyCommand: {
    type: 'text',
    placeholder: 'command',
    description: 'Store a command that prints the key, instead of the key',
  },
  dialect: {
    type: 'text',
    choices: ['specification', 'live'],
    description: 'Form of the requests, if the host does not show it',
  },
} as const satisfies Options;

/** `yes`, `no`, or `by query`: the service refuses the operation to keys, and a query does its job. */
type Right = 'yes' | 'no' | 'by query';

/** Whether a key with these scopes may run an operation. `:write` includes `:read`, `*` everything. */
export function keyRight(row: Endpoint, scopes: readonly string[], dialect: Dialect): Right {
  if (dialect === 'live' && row.keyAccess !== undefined)
    return hasScopes(['query:read'], scopes) ? 'by query' : 'no';
  return hasScopes(neededScopes(row, dialect), scopes) ? 'yes' : 'no';
}

/** The scopes an operation needs, as the specification or the live service has it. */
export function neededScopes(row: Endpoint, dialect: Dialect): readonly string[] {
  return (dialect === 'live' ? row.live?.scopes : undefined) ?? row.scopes;
}

function hasScopes(needed: readonly string[], scopes: readonly string[]): boolean {
  return needed.every(
    (scope) =>
      scopes.includes('*') || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write')),
  );
}

/** What the key may do. Without a key, or if the service does not say, a note and nothing. */
export async function findRights(context: Context) {
  try {
    const { dialect } = await context.settings();
    const { scopes } = await (await context.client()).call(platform.ownKey, {});
    return scopes && { dialect, scopes };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    const reason = failure.kind === 'not-found' ? 'the service does not say' : failure.message;
    context.note(`Cannot show what the key may run: ${reason}.`);
    return undefined;
  }
}

type Named = { readonly path: string; readonly place: number };

/**
 * The command of each operation, by the operation's id: the one that points at the row before all others, and of
 * several such the first. A command that reads a row along the way does not stand for it.
 */
export async function commandsByRow(groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, Named>();
  for (const group of groups) {
    for (const command of await group.load()) {
      const path = group.single ? group.name : `${group.name} ${command.name}`;
      for (const [place, row] of command.endpoints.entries()) {
        const known = found.get(row.id);
        if (known === undefined || place < known.place) found.set(row.id, { path, place });
      }
    }
  }
  return new Map([...found].map(([id, { path }]) => [id, path]));
}

/** What takes every real key out of a child's environment, said by name: the child works on a sandbox. */
export function withoutRealKeys(context: Context): Readonly<Record<string, undefined>> {
  const names = findKeyVariables(context.system.environment, storedKeys(context));
  if (names.length > 0)
    context.note(`Not passed to the command, which has a key of the sandbox: ${names.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

function storedKeys(context: Context): readonly string[] {
  try {
    return context.projects
      .stored()
      .list()
      .projects.flatMap(({ key }) => (key === undefined ? [] : [key]));
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    context.warn(
      `warning: cannot read the stored keys, so keys are only recognised by name and form: ${failure.message}`,
    );
    return [];
  }
}
