import { type CachedProject, clearCache, type Watcher } from '../../completion/cache.ts';
import type { Client, Description } from '../../http/client.ts';
import { programOf, runKeyCommand } from '../../settings/key-command.ts';
import { configDirectory, readProjectFile, trustedStateDirectory } from '../../settings/project-file.ts';
import { createProjectStore, type ProjectStore } from '../../settings/project-store.ts';
import {
  preferRunProject,
  type RunProject,
  resolveRunSettings,
  resolveSettings,
  type Settings,
} from '../../settings/resolve-settings.ts';
import { checkEncryption } from '../../settings/stored-project.ts';
import { runWithoutKeys } from '../../system/children.ts';
import { isInteractive, startProgress } from '../../system/output.ts';
import { createRedactor } from '../../system/redactor.ts';
import type { System } from '../../system/system.ts';
import { ask } from '../../system/terminal.ts';
import type { Call, Command, Group } from '../command/command.ts';
import type { Context } from '../context.ts';
import { hasColor, outputFormat, type Printing } from '../printing.ts';
import { createFallback, type ListMessages, listRows } from '../requests.ts';
import { type Asker, confirmAct, refuseCurrent, refuseSilence } from './confirm.ts';
import { connect, type Target } from './connect.ts';
import { createFiles, readInput } from './create-files.ts';
import { interceptClient } from './intercept.ts';
import { createRecords, type Signature } from './records.ts';
import { openProjects, type Severally } from './several-projects.ts';

export type Situation = Call & {
  readonly groups: readonly Group[];
  readonly command: Command;
  readonly printing: Printing;
  readonly watcher: Watcher | undefined;
  keepRequest(request: Description): void;
  /** Told before each request that may change something. */
  onChange(): void;
  /** The only project that is asked, with a stored key. */
  readonly only?: RunProject;
  /** The same for all projects of a command. */
  readonly signature: Signature;
};

/** What one command gets. Everything that costs time is done when it is first asked for, and once. */
export function createContext(situation: Situation): Context {
  const { system, options, stderr, printing, groups } = situation;
  const { now, running, wait, random, signal, forcedSignal, spawn } = system;
  const dryRun = options.dryRun ?? false;
  const { settings, client, list, fallback, ...ownProject } = openService(situation);
  const asker: Asker & Context['terminal'] = {
    options,
    environment: system.environment,
    settings,
    ask: (question) => ask(system, question),
    // Looking at a stream makes it, which not every command need pay for.
    get interactive() {
      return isInteractive(system);
    },
    requireConsent: (question) => {
      if (!dryRun) refuseSilence(question, asker);
    },
  };
  return {
    options,
    settings,
    client,
    list,
    fallback,
    projects: { ...ownProject, ...otherProjects(situation) },
    // In a dry run a change has no answer.
    print: async (data, columns) => {
      if (data !== undefined || !dryRun) await printing.print(data, columns);
    },
    output: outputOf(situation),
    note: stderr.note,
    warn: stderr.warn,
    command: stderr.command,
    report: dryRun ? () => {} : stderr.note,
    progress: (work) => startProgress(work, situation),
    confirm: async (question) => {
      if (!dryRun) await confirmAct(question, asker);
    },
    terminal: asker,
    dryRun,
    get files() {
      return createFiles({ system, options, stderr });
    },
    readInput: (source) => readInput(source, system),
    stateDirectory: () => trustedStateDirectory(system),
    records: createRecords(situation.signature, system),
    groups,
    system: {
      ...surroundingsOf(system),
      runProgram: (command, added = {}) => runWithoutKeys(command, added, system),
    },
    ...{ now, running, wait, random, signal, forcedSignal, spawn },
  };
}

function surroundingsOf(system: System) {
  const { environment, platform, nodeVersion, self, saveMemory, keepFilesPrivate } = system;
  return { environment, platform, nodeVersion, self, saveMemory, keepFilesPrivate };
}

function outputOf({ printing, system, options }: Situation): Context['output'] {
  return {
    raw: printing.printRaw,
    text: printing.printText,
    passOn: printing.passOn,
    format: () => outputFormat(system, options),
    get color() {
      return hasColor(system, options);
    },
  };
}

/** The projects beside that of the settings. */
function otherProjects(situation: Situation) {
  const { system } = situation;
  return {
    stored: () => projectStore(system),
    one: (project: RunProject) => createContext({ ...situation, only: project }),
    several: (names: readonly string[], how: Severally = {}) =>
      openProjects(names, how, {
        ...situation,
        stored: () => projectStore(system).list(),
        open: (only, own) => createContext({ ...situation, ...own, only }),
      }),
    runKeyCommand: (command: string) => runKeyCommand(command, system),
    clearCompletionCache: (project?: CachedProject) => clearCache(system, project),
  };
}

/** The service, as settings and options say. */
function openService(situation: Situation) {
  const { system, options, stderr, watcher, onChange } = situation;
  const signal = situation.command.graceful ? system.forcedSignal : system.signal;
  const connection = { system, options, stderr, signal, onChange };
  let preferred: RunProject | undefined;
  const settings = once(async () => {
    const found = findSettings(situation, preferred);
    // Before a look-up of whom the change is about.
    if (!options.dryRun && changes(situation.command)) refuseCurrent(found.project);
    return found;
  });
  const key = once(async () => findKey(await settings(), situation));
  const client = once(async () => {
    const target = await settings();
    watcher?.at(target);
    const opened = await connect({ ...target, key: target.key ?? key }, connection);
    return intercepted(watcher?.watchClient(opened) ?? opened, situation);
  });
  const messages: ListMessages = {
    warn: stderr.warn,
    whenPrinted: situation.printing.whenPrinted,
    save: options.save,
    progress: (work) => startProgress({ ...work, amidRows: true }, situation),
  };
  const list: Context['list'] = async (row, input, how) =>
    listRows({ client: await client(), row, input, options: how, ...messages });
  const debug = options.debug ? stderr.note : () => {};
  const fallback = createFallback({ client, settings, stderr, debug, listMessages: messages });
  return {
    settings,
    key,
    client,
    list,
    fallback,
    prefer: (project: RunProject) => {
      preferred = project;
    },
    connect: async (target: Target) => {
      if (typeof target.key === 'string') stderr.hide(createRedactor([target.key]));
      return intercepted(await connect(target, connection), situation);
    },
  };
}

function changes({ endpoints }: Command): boolean {
  return endpoints.some(({ effect }) => effect !== 'read');
}

function intercepted(client: Client, situation: Situation): Client {
  const { dryRun, serverFormat } = situation.options;
  return dryRun || serverFormat !== undefined ? interceptClient(client, situation) : client;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The key of the settings, hidden from here on. */
async function findKey({ key, keyCommand }: Settings, { system, stderr }: Situation): Promise<string> {
  if (keyCommand === undefined) return key;
  const printed = await runKeyCommand(keyCommand, system);
  stderr.hide(createRedactor([printed]));
  return printed;
}

function projectStore(system: System): ProjectStore {
  return createProjectStore(configDirectory(system.environment, system.platform), system);
}

function findSettings(
  { system, options, stderr, only }: Situation,
  preferred: RunProject | undefined,
): Settings {
  const { environment } = system;
  const stored = readProjectFile(configDirectory(environment, system.platform), system);
  const settings =
    only === undefined
      ? resolveSettings({
          options: { project: options.project, host: options.host },
          environment,
          stored: preferred === undefined ? stored : preferRunProject(stored, preferred),
        })
      : resolveRunSettings(only, { environment, stored });
  if (settings.key !== undefined) stderr.hide(createRedactor([settings.key]));
  const clear = checkEncryption(settings.host.address, options.insecure);
  for (const warning of [...settings.warnings, clear ?? []].flat()) stderr.warn(`warning: ${warning}`);
  const { keyCommand, provenance } = settings;
  if (keyCommand === undefined) return settings;
  const key = `${provenance.key}, ${keySourceText(keyCommand, system.platform)}`;
  return { ...settings, provenance: { ...provenance, key } };
}

/** Where a key comes from, in words; of a command only its program, since arguments may hold a secret. */
export function keySourceText(keyCommand: string | undefined, platform: string): string {
  return keyCommand === undefined ? 'stored' : `from a command (${programOf(keyCommand, platform)})`;
}
