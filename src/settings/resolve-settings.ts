import { usageError } from '../errors.ts';
import { type LegalHold, legalHoldText } from '../semantics/legal-hold.ts';
import type { Dialect } from '../service/endpoint.ts';
import type { Environment } from '../system/system.ts';
import type { StoredProjects } from './project-file.ts';
import { findStored, isAt, type Sourced, type Wanted } from './project-store.ts';
import {
  cleanKey,
  type Host,
  isCloudHost,
  isProjectId,
  type KeySource,
  normalizeHost,
  type StoredProject,
} from './stored-project.ts';

/** Where each setting came from, in words: `option --host`, `environment HOGCTL_HOST`, `stored project shop`. */
export type Provenance = {
  readonly project: string;
  readonly host: string;
  readonly key: string;
  readonly dialect: string;
};

/** What a command needs to reach the service. */
export type Settings = KeySource & {
  readonly project: {
    /** Digits, or `@current` with a key from the environment. */
    readonly id: string;
    /** The name it is stored under on this computer. */
    readonly name?: string;
    readonly protected: boolean;
    /** Files of people whom no deletion may be about, whichever key and name reach the project. */
    readonly holds: readonly LegalHold[];
  };
  /** Origin and base path, without a trailing slash. */
  readonly host: { readonly address: string };
  /** The service's label of a stored key. */
  readonly keyLabel?: string;
  readonly dialect: Dialect;
  readonly provenance: Provenance;
  /** The project was named by option or environment, and is not just the stored default. */
  readonly named: boolean;
  readonly warnings: readonly string[];
};

export type SettingsInput = {
  /** As typed; `undefined` if an option was not given. */
  readonly options: { readonly project?: string | undefined; readonly host?: string | undefined };
  readonly environment: Environment;
  readonly stored: StoredProjects;
};

/**
 * The settings by precedence: option, environment, stored project, default. Throws a usage error if no key,
 * project or host is to be had, and where two sources would be mixed: a key goes only to the host and project
 * it belongs to.
 */
export function resolveSettings({ options, environment, stored }: SettingsInput): Settings {
  const access = findAccess({ options, environment, stored });
  const { ignored, ...dialect } = findDialect(access, environment, stored);
  const sameProject = stored.projects.filter((one) =>
    isAt(one, { id: access.id, host: access.host.address }),
  );
  // Protection belongs to the project, whichever key and name reach it.
  const protector = sameProject.find((project) => project.protected);
  const same = access.stored ?? protector ?? sameProject[0];
  const isProtected = readProtected(environment) || protector !== undefined;
  const holds = new Map(
    sameProject.flatMap(({ except }) => (except ? [[legalHoldText(except), except]] : [])),
  );
  const { address } = access.host;
  return {
    project: {
      id: access.id,
      ...(same && { name: same.name }),
      protected: isProtected,
      holds: [...holds.values()],
    },
    host: { address },
    ...keySourceOf(access),
    ...(access.stored?.label === undefined ? {} : { keyLabel: access.stored.label }),
    dialect: dialect.value,
    provenance: { ...access.sources, dialect: dialect.source },
    named: access.named,
    warnings: [...(access.stored === undefined ? distrustOf(stored) : stored.warnings), ignored ?? []].flat(),
  };
}

function keySourceOf({ key, keyCommand }: KeySource): KeySource {
  return keyCommand === undefined ? { key } : { keyCommand };
}

/** A file that others can change takes no protection away without a word. */
function distrustOf({ distrusted, unreadable }: StoredProjects): readonly string[] {
  return distrusted && unreadable
    ? [`${unreadable.message}, and neither their protection nor their legal holds are known`]
    : [];
}

/** Where a run was planned. */
export type RunProject = { readonly id: string; readonly name: string; readonly host: string };

/** The stored projects with the one of a run as the default: under the name of its plan, else under any. */
export function preferRunProject(stored: StoredProjects, { id, name, host }: RunProject): StoredProjects {
  const fitting = stored.projects.filter((one) => isAt(one, { id, host }));
  const names = [name, stored.default, fitting[0]?.name];
  const preferred = names.find((wanted) => fitting.some((one) => one.name === wanted));
  return preferred === undefined ? stored : { ...stored, default: preferred };
}

/**
 * The settings of a stored project with the id and the host of a run, whatever options and environment name. Throws a
 * usage error if none is stored.
 */
export function resolveRunSettings(
  { id, name, host }: RunProject,
  { environment, stored }: Omit<SettingsInput, 'options'>,
): Settings {
  if (!stored.projects.some((one) => isAt(one, { id, host }))) {
    throw usageError(
      `no key is stored for project ${name === id ? id : `${name} (${id})`} at ${host}`,
      `store one with hogctl auth login --host ${host} --project ${id}`,
    );
  }
  const preferred = preferRunProject(stored, { id, name, host });
  const { HOGCTL_DIALECT, HOGCTL_PROTECTED } = environment;
  return resolveSettings({
    options: { project: preferred.default },
    environment: { HOGCTL_DIALECT, HOGCTL_PROTECTED },
    stored: preferred,
  });
}

type FoundDialect = Sourced<Dialect> & {
  /** What to say of a variable that was not followed. */
  readonly ignored?: string;
};

/**
 * What is known of a service wins over the variable: one that is left over would send a deletion in the form of another
 * service. A service that was told by a variable, as its key was, may be told its dialect too.
 */
function findDialect(
  { stored, host }: Access,
  environment: Environment,
  { projects }: StoredProjects,
): FoundDialect {
  const text = environment.HOGCTL_DIALECT?.trim();
  const given = text ? readDialect(text) : undefined;
  const known = isCloudHost(host.address)
    ? ({ value: 'live', source: 'PostHog Cloud' } as const)
    : dialectOf(stored);
  if (known !== undefined) {
    const ignored = `HOGCTL_DIALECT=${given} is ignored: ${known.source} is ${known.value}`;
    return given === undefined || given === known.value ? known : { ...known, ignored };
  }
  if (given !== undefined) return { value: given, source: 'environment HOGCTL_DIALECT' };
  const neighbour = projects.find((one) => one.host === host.address && one.dialect !== undefined);
  return dialectOf(neighbour) ?? { value: 'specification', source: 'default' };
}

function dialectOf(project: StoredProject | undefined): Sourced<Dialect> | undefined {
  return project?.dialect && { value: project.dialect, source: `stored project ${project.name}` };
}

function readDialect(text: string): Dialect {
  if (text === 'live' || text === 'specification') return text;
  throw usageError('HOGCTL_DIALECT must be live or specification', 'set it to one of the two, or unset it');
}

/** A key with the project and host it may be sent to. */
export type Access = KeySource & {
  readonly id: string;
  readonly host: Host;
  /** The stored project that the key is from. */
  readonly stored?: StoredProject;
  readonly named: boolean;
  readonly sources: { readonly project: string; readonly host: string; readonly key: string };
};

/**
 * Finds one complete source of key, project and host: a key in `HOGCTL_API_KEY`, the vendor's own three
 * variables, or a stored project. Throws a usage error if none is complete or two would be mixed.
 */
export function findAccess(input: SettingsInput): Access {
  const own = input.environment.HOGCTL_API_KEY;
  const wanted = readWanted(input.options, {
    project: fromEnvironment(input.environment, 'HOGCTL_PROJECT'),
    host: fromEnvironment(input.environment, 'HOGCTL_HOST'),
  });
  if (own !== undefined) {
    return completeKey({ value: readOwnKey(own), source: 'HOGCTL_API_KEY' }, wanted, input.stored);
  }
  return findVendorAccess(input) ?? findStoredAccess(wanted, input);
}

function readOwnKey(text: string): string {
  const key = cleanKey(text, 'HOGCTL_API_KEY');
  if (key === undefined) {
    // Falling back to a stored key would act on another project than the job was written for.
    throw usageError(
      'HOGCTL_API_KEY is set but empty: the key is missing',
      'set it, or unset it to use a stored project',
    );
  }
  return key;
}

function fromEnvironment(environment: Environment, name: string): Sourced<string> | undefined {
  const value = environment[name]?.trim();
  return value ? { value, source: `environment ${name}` } : undefined;
}

function readWanted(
  options: SettingsInput['options'],
  environment: { readonly project: Sourced<string> | undefined; readonly host: Sourced<string> | undefined },
): Wanted {
  const project = options.project?.trim();
  if (project === '') throw usageError('--project is empty', 'give the name or id of a project');
  const host =
    options.host === undefined ? environment.host : { value: options.host, source: 'option --host' };
  return {
    project: project === undefined ? environment.project : { value: project, source: 'option --project' },
    host: host === undefined ? undefined : { value: normalizeHost(host.value), source: host.source },
  };
}

/** A key from the environment, with project and host from option or environment and from nowhere else. */
function completeKey(key: Sourced<string>, wanted: Wanted, stored: StoredProjects): Access {
  const { project, host } = wanted;
  if (project === undefined) {
    throw usageError(
      `${key.source} is set, but no project was given; stored projects are not used with it`,
      'give the project id with --project or HOGCTL_PROJECT',
    );
  }
  if (!isProjectId(project.value) && project.value !== '@current') throw refuseName(project, key, stored);
  if (host === undefined) {
    throw usageError(
      `${key.source} is set, but no host was given; stored projects are not used with it`,
      'give us, eu or a URL with --host or HOGCTL_HOST',
    );
  }
  return {
    key: key.value,
    id: project.value,
    host: host.value,
    named: true,
    sources: { project: project.source, host: host.source, key: `environment ${key.source}` },
  };
}

function refuseName(project: Sourced<string>, key: Sourced<string>, stored: StoredProjects) {
  if (isStoredName(project.value, stored)) {
    return usageError(
      `${project.source} is the stored project ${project.value}, which has its own key, but ${key.source} is set too`,
      `unset ${key.source}, or give the project id and the host`,
    );
  }
  return usageError(
    `${JSON.stringify(project.value)} (${project.source}) is not a project id`,
    `with the key from ${key.source}, give the project id, which is a number`,
  );
}

function isStoredName(text: string, stored: StoredProjects): boolean {
  return stored.projects.some(({ name }) => name === text.normalize('NFC'));
}

/** The vendor's variables, only when all three are set and none of ours: they are there for another tool. */
function findVendorAccess({ options, environment, stored }: SettingsInput): Access | undefined {
  const ours = fromEnvironment(environment, 'HOGCTL_PROJECT') ?? fromEnvironment(environment, 'HOGCTL_HOST');
  if (ours !== undefined || (options.project !== undefined && isStoredName(options.project.trim(), stored))) {
    return undefined;
  }
  const project = fromEnvironment(environment, 'POSTHOG_CLI_PROJECT_ID');
  const host = fromEnvironment(environment, 'POSTHOG_CLI_HOST');
  if (project === undefined || host === undefined) return undefined;
  const key = cleanKey(environment.POSTHOG_CLI_API_KEY ?? '', 'POSTHOG_CLI_API_KEY');
  if (key === undefined) return undefined;
  const wanted = readWanted(options, { project, host });
  const bound = normalizeHost(host.value);
  if (wanted.host?.value.address !== bound.address) {
    throw usageError(
      `--host is not the host of POSTHOG_CLI_API_KEY, which is ${bound.address}`,
      'set HOGCTL_API_KEY for the other host, or choose a stored project',
    );
  }
  return completeKey({ value: key, source: 'POSTHOG_CLI_API_KEY' }, wanted, stored);
}

function findStoredAccess(wanted: Wanted, { stored }: SettingsInput): Access {
  const project = findStored(wanted, stored);
  const source = `stored project ${project.name}`;
  return {
    ...keySourceOf(project),
    id: project.id,
    host: normalizeHost(project.host),
    stored: project,
    named: wanted.project !== undefined,
    sources: {
      project: wanted.project?.source ?? `default project ${project.name}`,
      host: wanted.host?.source ?? source,
      key: source,
    },
  };
}

/** Whether the environment protects whatever project is acted on. Throws a usage error for a value that is neither. */
export function readProtected(environment: Environment): boolean {
  const text = environment.HOGCTL_PROTECTED?.trim().toLowerCase() ?? '';
  if (text === '1' || text === 'true') return true;
  if (text === '' || text === '0' || text === 'false') return false;
  throw usageError('HOGCTL_PROTECTED must be 1 or 0', 'set it to 1 to protect the project, or unset it');
}
