import type { Client, Description } from '../client/client.ts';
import { clearCache } from '../completion/cache.ts';
import type { Watcher } from '../completion/watch.ts';
import { createProjectStore } from '../config/create-project-store.ts';
import { createRedactor, maskKey } from '../config/create-redactor.ts';
import { configDirectory, stateDirectory } from '../config/directories.ts';
import { resolveSettings, type Settings } from '../config/resolve-settings.ts';
import { checkPlace, prepareProject } from '../config/stored-project.ts';
import { usageError } from '../errors.ts';
import { readFileChunks } from '../system/files.ts';
import { ask, interruption, isInteractive } from '../system/prompt.ts';
import type { System } from '../system/system.ts';
import { type Connection, connect, interceptClient } from './client.ts';
import type { Command, Group } from './command/groups.ts';
import type { GlobalOptions } from './command/options.ts';
import { type Asker, confirmAct, refuseSilence } from './confirm.ts';
import type { Context } from './context.ts';
import { createFiles } from './create-files.ts';
import { createFallback } from './fallback.ts';
import { type ListTalk, listRows } from './list-rows.ts';
import { hasColor, lookOf } from './look.ts';
import type { Printing } from './printing.ts';
import type { Talk } from './stderr.ts';
import { startProgress } from './stderr.ts';

export type Situation = {
  readonly system: System;
  readonly groups: readonly Group[];
  readonly command: Command;
  readonly options: GlobalOptions;
  readonly talk: Talk;
  readonly printing: Printing;
  readonly watcher: Watcher;
  keepRequest(request: Description): void;
};

/** What one command gets. Everything that costs time is done when it is first asked for, and once. */
export function createContext(situation: Situation): Context {
  const { system, options, talk, printing } = situation;
  const settings = once(async () => findSettings(situation));
  const dryRun = options.dryRun ?? false;
  const signal = situation.command.graceful ? system.forcedSignal : system.signal;
  const connection: Connection = { system, options, talk, signal };
  const client = once(async () => openClient(await settings(), connection, situation));
  const asker = createAsker(situation, settings);
  return {
    options,
    environment: system.environment,
    settings,
    client,
    connect: async (project) => {
      talk.hide(createRedactor([project.key]));
      return intercept(await connect(project, connection), situation);
    },
    projects: () => ({ ...projectStore(system), checkPlace, prepare: prepareProject }),
    maskKey,
    clearCompletionCache: (project) => clearCache(system, project),
    groups: situation.groups,
    print: printing.print,
    look: () => lookOf(system, options),
    printRaw: printing.printRaw,
    passOn: printing.passOn,
    list: async (row, input, options) =>
      listRows({ client: await client(), row, input, options, ...listTalk(situation) }),
    ...createFallback({ client, settings, talk, listTalk: listTalk(situation) }),
    files: createFiles({ system, options, talk }),
    get color() {
      return options.save === undefined && hasColor(system, options, system.stdout);
    },
    note: talk.note,
    warn: talk.warn,
    report: (text) => {
      if (!dryRun) talk.note(text);
    },
    progress: (work) => startProgress(work, situation),
    requireConsent: (question) => {
      if (!dryRun) refuseSilence(question, asker);
    },
    confirm: async (question) => {
      if (dryRun) return;
      await confirmAct(question, asker);
    },
    ask: (question) => ask(system, question),
    readInput: (source) => (source === '-' ? standardInput(system) : readFileChunks(source)),
    stateDirectory: () => findStateDirectory(system),
    get interactive() {
      return asker.interactive;
    },
    dryRun,
    ...passedOn(system),
  };
}

/** What a command may touch as it is. */
function passedOn(system: System) {
  const { signal, forcedSignal, now, wait, random, spawn, capture, saveMemory } = system;
  const { self, platform, nodeVersion } = system;
  const owner = { pid: system.pid, isAlive: system.isAlive };
  const functions = { now, wait, random, spawn, capture, saveMemory };
  return { signal, forcedSignal, ...functions, self, platform, nodeVersion, owner };
}

/** Looking at stdin and stderr makes these streams, which a command that asks nothing need not pay for. */
function createAsker({ system, options }: Situation, settings: () => Promise<Settings>): Asker {
  return {
    options,
    environment: system.environment,
    settings,
    get interactive() {
      return isInteractive(system);
    },
    ask: (text) => ask(system, { text }),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function openClient(settings: Settings, connection: Connection, situation: Situation): Promise<Client> {
  const { watcher } = situation;
  watcher.at(settings);
  return intercept(watcher.watchClient(await connect(settings, connection)), situation);
}

function intercept(client: Client, { options, command, printing, keepRequest }: Situation): Client {
  return interceptClient(client, {
    dryRun: options.dryRun ?? false,
    serverFormat: options.serverFormat,
    rows: command.endpoints,
    keep: keepRequest,
    passOn: printing.passOn,
  });
}

/** What is said while a list is read. */
function listTalk(situation: Situation): ListTalk {
  return {
    warn: situation.talk.warn,
    progress: (work) => startProgress({ ...work, amidRows: true }, situation),
  };
}

function projectStore(system: System) {
  const { environment, platform, wait, random, pid, isAlive } = system;
  const directory = configDirectory(environment, platform);
  return createProjectStore({ directory, platform, wait, random, pid, isAlive });
}

function findSettings({ system, options, talk }: Situation): Settings {
  const settings = resolveSettings({
    options: { project: options.project, host: options.host },
    environment: system.environment,
    stored: projectStore(system).read(),
  });
  talk.hide(createRedactor([settings.key]));
  for (const warning of settings.warnings) talk.warn(`warning: ${warning}`);
  return settings;
}

async function* standardInput(system: System): AsyncGenerator<Uint8Array> {
  if (system.stdin.isTTY) {
    throw usageError('standard input is a terminal', 'pipe the data in, or name a file');
  }
  const { stdin, signal } = system;
  // An open pipe to which no one writes would keep the process alive.
  const close = () => void stdin.destroy();
  signal.addEventListener('abort', close, { once: true });
  try {
    yield* stdin;
  } catch (failure) {
    throw signal.aborted ? interruption(signal) : failure;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

function findStateDirectory({ environment, platform }: System): string {
  const directory = stateDirectory(environment, platform);
  if (directory !== undefined) return directory;
  throw usageError(
    'there is no place to keep a record of the run',
    'set HOGCTL_STATE_DIR, or give --run-dir',
  );
}
