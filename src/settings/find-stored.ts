import { usageError } from '../errors.ts';
import type { Host } from './host.ts';
import type { StoredProjects } from './project-file.ts';
import { isProjectId, type StoredProject } from './stored-project.ts';

/** A value and where it came from, in words. */
export type Sourced<Value> = { readonly value: Value; readonly source: string };

/** What option and environment say about project and host. */
export type Wanted = {
  readonly project: Sourced<string> | undefined;
  readonly host: Sourced<Host> | undefined;
};

/**
 * The stored project that option or environment name, else the default one. Its host must be the host that
 * was asked for. Throws a usage error when there is none, or when several would do.
 */
export function findStored(wanted: Wanted, stored: StoredProjects): StoredProject {
  if (stored.unreadable !== undefined) {
    throw stored.unreadable;
  }
  const { project } = wanted;
  if (project !== undefined && isProjectId(project.value)) {
    return findById(project, wanted, stored);
  }
  const found = project === undefined ? findDefault(stored) : findByName(project, stored);
  if (wanted.host !== undefined && wanted.host.value.address !== found.host) {
    throw usageError(
      `the stored project ${found.name} is on ${found.host}, but ${wanted.host.source} says ${wanted.host.value.address}`,
      'its key is sent to its own host only: leave the host out, or name another project',
    );
  }
  return found;
}

function findById(project: Sourced<string>, wanted: Wanted, stored: StoredProjects): StoredProject {
  const sameId = stored.projects.filter(({ id }) => id === project.value);
  const host = wanted.host?.value.address;
  const found = host === undefined ? sameId : sameId.filter((candidate) => candidate.host === host);
  const [first, second] = found;
  if (first === undefined) {
    const place = host === undefined ? '' : ` on ${host}`;
    throw usageError(
      `no project is stored with the id ${project.value}${place} (${project.source})`,
      listOr(sameId.length > 0 ? sameId : stored.projects),
    );
  }
  if (second !== undefined) {
    const places = found.map(({ name, host: place }) => `${name} on ${place}`).join(', ');
    throw usageError(
      `several projects are stored with the id ${project.value}: ${places}`,
      'name one of them with --project, or give its --host',
    );
  }
  return first;
}

function findByName(project: Sourced<string>, stored: StoredProjects): StoredProject {
  const name = project.value.normalize('NFC');
  const found = stored.projects.find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw usageError(
      `no project is stored as ${JSON.stringify(name)} (${project.source})`,
      listOr(stored.projects),
    );
  }
  return found;
}

function findDefault(stored: StoredProjects): StoredProject {
  if (stored.projects.length === 0) {
    throw usageError('no project and no key are known', listOr([]));
  }
  if (stored.default === undefined) {
    throw usageError(
      'no project is named, and none is the default',
      `give one with --project or make it the default with hogctl auth use; ${listOr(stored.projects)}`,
    );
  }
  const found = stored.projects.find(({ name }) => name === stored.default);
  if (found === undefined) {
    throw usageError(
      'the project that is the default is no longer stored',
      `choose another with hogctl auth use; ${listOr(stored.projects)}`,
    );
  }
  return found;
}

function listOr(projects: readonly StoredProject[]): string {
  if (projects.length === 0) {
    return 'store one with hogctl auth login, or set HOGCTL_API_KEY, HOGCTL_PROJECT and HOGCTL_HOST';
  }
  return `stored are: ${projects.map(({ name, id, host }) => `${name} (${id} on ${host})`).join(', ')}`;
}
