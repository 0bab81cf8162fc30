import { usageError } from '../errors.ts';
import { changeProjectFile, type Patience } from './change-project-file.ts';
import { projectFile, readProjectFile, type StoredProjects } from './project-file.ts';
import { type ProjectList, withoutProject, withProject } from './project-list.ts';
import { checkProjectName, type StoredProject } from './stored-project.ts';

/** What `login` did. */
export type LoginResult = {
  readonly outcome: 'added' | 'replaced';
  /** What had this name before. */
  readonly previous?: StoredProject;
  readonly isDefault: boolean;
};

/** What `use` did. */
export type UseResult = { readonly project: StoredProject; readonly previousDefault?: string };

/** What `logout` did. */
export type LogoutResult = {
  readonly removed: StoredProject;
  readonly wasDefault: boolean;
  readonly remaining: readonly StoredProject[];
};

/** The projects on this computer. */
export type ProjectStore = {
  /** Path of the file; `undefined` when there is no place for one. */
  readonly file: string | undefined;
  /** For resolving settings: a file that may not be read is a field of the answer, not an error. */
  readonly read: () => StoredProjects;
  /** For showing them: throws when the file may not be read. */
  readonly list: () => StoredProjects;
  /** The project of that name. Throws a usage error that names the stored ones. */
  readonly find: (name: string) => StoredProject;
  readonly login: (project: StoredProject) => Promise<LoginResult>;
  readonly use: (name: string) => Promise<UseResult>;
  readonly logout: (name: string) => Promise<LogoutResult>;
};

/**
 * The store in a directory, as `configDirectory` gives it. Reading loads nothing; writing loads conf. Every
 * function throws a usage error for a damaged file, those that write also for a place that cannot be written.
 */
export function createProjectStore(
  place: { readonly directory: string | undefined; readonly platform: string } & Patience,
): ProjectStore {
  const file = place.directory === undefined ? undefined : projectFile(place.directory);

  function read(): StoredProjects {
    return file === undefined ? { projects: [], warnings: [] } : readProjectFile(file, place.platform);
  }

  function change(alter: (list: ProjectList) => ProjectList) {
    if (place.directory === undefined) {
      throw usageError(
        'there is no home directory to store projects in',
        'set HOGCTL_CONFIG_DIR, or give the key by HOGCTL_API_KEY',
      );
    }
    return changeProjectFile(place.directory, alter, place);
  }

  function list(): StoredProjects {
    const stored = read();
    if (stored.unreadable !== undefined) {
      throw stored.unreadable;
    }
    return stored;
  }

  return {
    file,
    read,
    list,
    find: (name) => findProject(list(), name),
    async login(project) {
      const { before, after } = await change((list) => withProject(list, project));
      const previous = before.projects.find(({ name }) => name === project.name);
      const isDefault = after.default === project.name;
      return previous === undefined
        ? { outcome: 'added', isDefault }
        : { outcome: 'replaced', previous, isDefault };
    },
    async use(name) {
      const { before } = await change((list) => ({ ...list, default: findProject(list, name).name }));
      const project = findProject(before, name);
      return before.default === undefined ? { project } : { project, previousDefault: before.default };
    },
    async logout(name) {
      const { before, after } = await change((list) => withoutProject(list, findProject(list, name).name));
      const removed = findProject(before, name);
      return { removed, wasDefault: before.default === removed.name, remaining: after.projects };
    },
  };
}

function findProject(list: ProjectList, text: string): StoredProject {
  const name = checkProjectName(text);
  const project = list.projects.find((stored) => stored.name === name);
  if (project === undefined) {
    const names = list.projects.map((stored) => stored.name).join(', ');
    throw usageError(
      `no project is stored as "${name}"`,
      names === '' ? 'store one with hogctl auth login' : `stored are: ${names}`,
    );
  }
  return project;
}
