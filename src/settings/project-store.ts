import { CliError, systemCode, usageError } from '../errors.ts';
import { type Lock, type Owner, tryLock } from '../system/lock.ts';
import type { System } from '../system/system.ts';
import { markOf, targetOf, writeWhole } from '../system/write-whole.ts';
import {
  configName,
  makeConfigDirectory,
  type ProjectList,
  parseProjectList,
  projectFile,
  type Reader,
  readProjectFile,
  type StoredProjects,
  toFileError,
  withoutProject,
  withProject,
} from './project-file.ts';
import { checkProjectName, type Host, isProjectId, type StoredProject } from './stored-project.ts';

/** The projects on this computer. */
export type ProjectStore = ReturnType<typeof createProjectStore>;

/**
 * The store in a directory, as `configDirectory` gives it. Reading loads nothing; writing loads conf. Every
 * function throws a usage error for a damaged file, those that write also for a place that cannot be written.
 */
export function createProjectStore(directory: string | undefined, patience: Patience) {
  function change(alter: (list: ProjectList) => ProjectList) {
    if (directory === undefined) {
      throw usageError(
        'no home directory was found to store projects in',
        'set HOGCTL_CONFIG_DIR, or give the key by HOGCTL_API_KEY',
      );
    }
    return changeProjectFile(directory, alter, patience);
  }

  function list(): StoredProjects {
    const stored = readProjectFile(directory, patience);
    if (stored.unreadable !== undefined) throw stored.unreadable;
    return stored;
  }

  return {
    /** Throws when the file may not be read. */
    list,
    find: (name: string) => findProject(list(), name),
    /** The name to store a project under. Throws a usage error if the given one is another project's. */
    nameFor: (place: Place, given: string | undefined) => nameFor(place, given, list()),
    /** Adds a project, or replaces the key of one. Throws a usage error if its name is another project's. */
    async login(project: StoredProject) {
      const { before, after } = await change((list) => {
        refuseOther(list, project.name, project);
        return withProject(list, project);
      });
      const isNew = !before.projects.some(({ name }) => name === project.name);
      return { isNew, isDefault: after.default === project.name };
    },
    async use(name: string) {
      const { before } = await change((list) => ({
        ...list,
        default: findProject({ ...list, directory }, name).name,
      }));
      return findProject(before, name);
    },
    async logout(name: string) {
      const { before } = await change((list) =>
        withoutProject(list, findProject({ ...list, directory }, name).name),
      );
      const removed = findProject(before, name);
      return { removed, wasDefault: before.default === removed.name };
    },
  };
}

type Place = Pick<StoredProject, 'host' | 'id'>;

/** Without a given name, projects of the same id on several hosts are told apart by the host. */
function nameFor(place: Place, given: string | undefined, list: ProjectList): string {
  const plain = given ?? `project-${place.id}`;
  const owner = ownerOf(plain, list);
  const name =
    given !== undefined || owner === undefined || isAt(owner, place) ? plain : `${plain}-${hostWord(place)}`;
  refuseOther(list, name, place);
  return name;
}

/** Scripts name projects for deletions, so a name never comes to mean another project. */
function refuseOther(list: ProjectList, name: string, place: Place): void {
  const owner = ownerOf(name, list);
  if (owner === undefined || isAt(owner, place)) return;
  throw usageError(
    `the name ${name} is already stored for project ${owner.id} at ${owner.host}`,
    `give another --name, or first remove that project with hogctl auth logout ${name}`,
  );
}

function ownerOf(name: string, { projects }: ProjectList): StoredProject | undefined {
  return projects.find((stored) => stored.name === name);
}

/** Whether it is the project with that id at that host, under whatever name. */
export function isAt(owner: Place, { host, id }: Place): boolean {
  return owner.host === host && owner.id === id;
}

function hostWord({ host }: Place): string {
  const { host: name } = new URL(host);
  return /^(us|eu)\.posthog\.com$/.exec(name)?.[1] ?? name;
}

/** The project of a name. Throws a usage error that names the stored ones; `option` is what named it. */
export function findProject(
  { projects, directory }: Pick<StoredProjects, 'projects' | 'directory'>,
  text: string,
  option?: string,
): StoredProject {
  const name = checkProjectName(text);
  const project = projects.find((stored) => stored.name === name);
  if (project !== undefined) return project;
  const names = projects.map((stored) => stored.name).join(', ');
  throw usageError(
    `the stored project "${name}" was not found${option === undefined ? '' : ` (${option})`}`,
    names === '' ? `${placeOf(directory)}: store one with hogctl auth login` : `stored projects: ${names}`,
  );
}

/** This process, waiting and chance, for the time in which another process holds the lock. */
export type Patience = Owner & Reader & Pick<System, 'wait' | 'random'>;

/** With 25 to 75 milliseconds between them, some 30 seconds. */
const lockAttempts = 600;

/**
 * Changes the stored projects under a lock, and answers with what `alter` was given and what it made of it.
 * The file is written whole and renamed, with mode 0600 from its first byte, and a new directory has 0700.
 * Throws a usage error for a damaged file, which stays as it is, and for a place that cannot be written, and
 * an error of kind `unavailable` when the lock is held for too long.
 */
async function changeProjectFile(
  directory: string,
  alter: (list: ProjectList) => ProjectList,
  patience: Patience,
): Promise<{ readonly before: ProjectList; readonly after: ProjectList }> {
  makeConfigDirectory(directory, patience);
  const file = projectFile(directory);
  // Loaded before the lock is taken, so that it is held for the time of one read and one write.
  const { default: Conf } = await import('conf');
  const lock = await takeLock(file, patience);
  try {
    // If it were written again, what others put there would look like ours.
    const { distrusted, unreadable } = readProjectFile(directory, patience);
    if (distrusted && unreadable) throw unreadable;
    const conf = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      // In place of JSON.parse, whose errors quote the file.
      deserialize: (text) => ({ ...parseProjectList(text, file, patience).raw }),
    });
    // conf's own writer takes a file that a full disk cut short for a whole one, and replaces a link.
    Object.defineProperty(conf, '_write', {
      value: (store: unknown) =>
        writeWhole(file, JSON.stringify(store, undefined, '\t'), { mark: markOf(patience), isOwn: true }),
    });
    const raw = conf.store;
    const { list: before } = parseProjectList(JSON.stringify(raw), file, patience);
    const after = alter(before);
    // What could not be read again is not written.
    parseProjectList(JSON.stringify(after), file, patience);
    // What a later version may have put beside the two is kept.
    conf.store = { ...raw, projects: after.projects, default: after.default };
    return { before, after };
  } catch (error) {
    throw systemCode(error) === undefined ? error : toFileError(error, { verb: 'write', path: file });
  } finally {
    lock.release();
  }
}

async function takeLock(file: string, patience: Patience): Promise<Lock> {
  for (let attempt = 1; attempt <= lockAttempts; attempt += 1) {
    try {
      // Two directories may link to one file, and its lock must be one.
      const taken = tryLock(`${targetOf(file)}.lock`, patience, { isBrief: true });
      if ('release' in taken) return taken;
    } catch (error) {
      throw toFileError(error, { verb: 'write', path: file });
    }
    await patience.wait(25 + 50 * patience.random());
  }
  throw new CliError('unavailable', `${file} is being changed by another hogctl`, { hint: 'try again' });
}

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
  if (stored.unreadable !== undefined) throw stored.unreadable;
  const { project } = wanted;
  if (project !== undefined && isProjectId(project.value)) return findById(project, wanted, stored);
  const found = project === undefined ? findDefault(stored) : findByName(project, stored);
  if (wanted.host !== undefined && wanted.host.value.address !== found.host) {
    throw usageError(
      `the stored project ${found.name} is on ${found.host}, but ${wanted.host.source} says ${wanted.host.value.address}`,
      'its key is only sent to its own host: leave out the host, or choose another project',
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
      `no stored project has the id ${project.value}${place} (${project.source})`,
      listOr(sameId.length > 0 ? { projects: sameId } : stored),
    );
  }
  if (second !== undefined) {
    const places = found.map(({ name, host: place }) => `${name} on ${place}`).join(', ');
    throw usageError(
      `several stored projects have the id ${project.value}: ${places}`,
      'give the name of one with --project, or its --host',
    );
  }
  return first;
}

function findByName(project: Sourced<string>, stored: StoredProjects): StoredProject {
  const name = project.value.normalize('NFC');
  const found = stored.projects.find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw usageError(
      `the stored project ${JSON.stringify(name)} was not found (${project.source})`,
      listOr(stored),
    );
  }
  return found;
}

function findDefault(stored: StoredProjects): StoredProject {
  if (stored.projects.length === 0) throw usageError('no project and no key are set up', STORE_ONE);
  if (stored.default === undefined) {
    throw usageError(
      'no project was given, and no default is set',
      `give one with --project, or set the default with hogctl auth use; ${listOr(stored)}`,
    );
  }
  const found = stored.projects.find(({ name }) => name === stored.default);
  if (found === undefined) {
    throw usageError(
      'the default project is no longer stored',
      `set another with hogctl auth use; ${listOr(stored)}`,
    );
  }
  return found;
}

const STORE_ONE = 'store one with hogctl auth login, or set HOGCTL_API_KEY, HOGCTL_PROJECT and HOGCTL_HOST';

/** Cron and services often run without HOME, or with another one. */
function placeOf(directory: string | undefined): string {
  return directory === undefined ? 'no home directory is known' : `none is stored in ${directory}`;
}

function listOr({ projects, directory }: Pick<StoredProjects, 'projects' | 'directory'>): string {
  if (projects.length === 0) {
    return `${placeOf(directory)}: ${STORE_ONE}`;
  }
  return `stored projects: ${projects.map(({ name, id, host }) => `${name} (${id} on ${host})`).join(', ')}`;
}
