import { join } from 'node:path';
import { configDirectory } from '../../config/directories.ts';
import { readSmallFile } from '../../system/small-files.ts';
import type { System } from '../../system/system.ts';
import type { Place } from './known.ts';
import { optionValue } from './typed-words.ts';

type Where = Pick<System, 'environment' | 'platform'>;

const PROJECT = ['--project', '-p'];
const HOST = ['--host'];

/** A stored project without its key. */
type Stored = { readonly name: string; readonly host: string; readonly id: string };
type StoredNames = { readonly projects: readonly Stored[]; readonly default: unknown };

/** The stored projects by name. Nothing is checked, since nothing is done with them: a damaged file holds none. */
export function storedNames({ environment, platform }: Where): StoredNames {
  const directory = configDirectory(environment, platform);
  const text = directory === undefined ? '' : readSmallFile(join(directory, 'config.json'));
  const found: unknown = text === '' ? undefined : JSON.parse(text);
  if (typeof found !== 'object' || found === null) return { projects: [], default: undefined };
  const projects = 'projects' in found && Array.isArray(found.projects) ? found.projects : [];
  return {
    projects: projects.filter(isStored).map(({ name, host, id }) => ({ name, host, id })),
    default: 'default' in found ? found.default : undefined,
  };
}

function isStored(entry: unknown): entry is Stored {
  if (typeof entry !== 'object' || entry === null) return false;
  const { name, host, id }: { name?: unknown; host?: unknown; id?: unknown } = entry;
  return [name, host, id].every((text) => typeof text === 'string');
}

/**
 * The project and host that the line seems to be about, without loading more: the stored project, or what is given
 * beside a key, as it was typed.
 */
export function guessPlace(line: readonly string[], where: Where): Place {
  const { environment } = where;
  const project = optionValue(line, PROJECT) ?? (environment.HOGCTL_PROJECT || undefined);
  const host = optionValue(line, HOST) ?? (environment.HOGCTL_HOST || undefined);
  if (environment.HOGCTL_API_KEY !== undefined) return host && project ? { host, project } : undefined;
  if (environment.POSTHOG_CLI_API_KEY !== undefined) return undefined;
  const stored = storedNames(where);
  const wanted = project ?? stored.default;
  const found = stored.projects.filter(({ name, id }) => name === wanted || id === wanted);
  const [first, second] = found.filter((one) => host === undefined || one.host === host);
  return first && !second ? { host: first.host, project: first.id } : undefined;
}

/** The project and host that a command would turn to. Throws a usage error where it would turn to none. */
export async function findPlace(line: readonly string[], { environment, platform }: Where): Promise<Place> {
  const [{ findAccess }, { projectFile, readProjectFile }] = await Promise.all([
    import('../../config/find-access.ts'),
    import('../../config/project-file.ts'),
  ]);
  const directory = configDirectory(environment, platform);
  const stored =
    directory === undefined
      ? { projects: [], warnings: [] }
      : readProjectFile(projectFile(directory), platform);
  const options = { project: optionValue(line, PROJECT), host: optionValue(line, HOST) };
  const access = findAccess({ options, environment, stored });
  return { host: access.host.address, project: access.id };
}
