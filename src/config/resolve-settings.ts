import { usageError } from '../errors.ts';
import type { Dialect } from '../service/endpoint.ts';
import type { Environment } from './directories.ts';
import { type Access, type AskedFor, findAccess } from './find-access.ts';
import { isCloudHost } from './normalize-host.ts';
import type { StoredProjects } from './project-file.ts';
import { readProtected } from './read-protected.ts';
import type { StoredProject } from './stored-project.ts';

/** Where each setting came from, in words: `option --host`, `environment HOGCTL_HOST`, `stored project shop`. */
export type Provenance = {
  readonly project: string;
  readonly host: string;
  readonly key: string;
  readonly dialect: string;
};

/** What a command needs to reach the service. */
export type Settings = {
  readonly project: {
    /** Digits, or `@current` with a key from the environment. */
    readonly id: string;
    /** The name it is stored under on this computer. */
    readonly name?: string;
    readonly protected: boolean;
  };
  readonly host: {
    /** Origin and base path, without a trailing slash. */
    readonly address: string;
    readonly origin: string;
    /** Empty, or such as `/ph`. */
    readonly basePath: string;
  };
  readonly key: string;
  /** The service's label of a stored key. */
  readonly keyLabel?: string;
  readonly dialect: Dialect;
  readonly provenance: Provenance;
  /** The project was named by option or environment, and is not just the stored default. */
  readonly named: boolean;
  readonly warnings: readonly string[];
};

export type SettingsInput = {
  /** As typed; `undefined` where an option was not given. */
  readonly options: AskedFor & { readonly dialect?: string | undefined };
  readonly environment: Environment;
  readonly stored: StoredProjects;
};

/**
 * The settings by precedence: option, environment, stored project, default. Throws a usage error where no key,
 * project or host is to be had, and where two sources would be mixed: a key goes only to the host and project
 * it belongs to.
 */
export function resolveSettings({ options, environment, stored }: SettingsInput): Settings {
  const access = findAccess({ options, environment, stored });
  const dialect = findDialect({ option: options.dialect, environment, access });
  // Protection belongs to the project, whichever key reaches it.
  const same = access.stored ?? findSameProject(access, stored);
  const isProtected = readProtected(environment) || same?.protected === true;
  const { address, origin, basePath, warnings } = access.host;
  return {
    project: {
      id: access.id,
      ...(same === undefined ? {} : { name: same.name }),
      protected: isProtected,
    },
    host: { address, origin, basePath },
    key: access.key,
    ...(access.stored?.label === undefined ? {} : { keyLabel: access.stored.label }),
    dialect: dialect.value,
    provenance: { ...access.sources, dialect: dialect.source },
    named: access.named,
    warnings: access.stored === undefined ? warnings : [...stored.warnings, ...warnings],
  };
}

/** The stored project that a key from the environment reaches; a protected one of several. */
function findSameProject(access: Access, stored: StoredProjects): StoredProject | undefined {
  const same = stored.projects.filter(({ id, host }) => id === access.id && host === access.host.address);
  return same.find((project) => project.protected) ?? same[0];
}

type Found = { readonly value: Dialect; readonly source: string };

function findDialect(input: {
  readonly option: string | undefined;
  readonly environment: Environment;
  readonly access: Access;
}): Found {
  if (input.option !== undefined) {
    return { value: readDialect(input.option, 'the dialect'), source: 'option --dialect' };
  }
  const fromEnvironment = input.environment.HOGCTL_DIALECT?.trim();
  if (fromEnvironment) {
    return { value: readDialect(fromEnvironment, 'HOGCTL_DIALECT'), source: 'environment HOGCTL_DIALECT' };
  }
  const { stored, host } = input.access;
  if (stored?.dialect !== undefined) {
    return { value: stored.dialect, source: `stored project ${stored.name}` };
  }
  return isCloudHost(host.address)
    ? { value: 'live', source: 'PostHog Cloud' }
    : { value: 'specification', source: 'default' };
}

function readDialect(text: string, what: string): Dialect {
  if (text !== 'live' && text !== 'specification') {
    throw usageError(`${what} is neither live nor specification`, 'use one of the two');
  }
  return text;
}
