import { usageError } from '../../errors.ts';
import type { StoredProjects } from '../../settings/project-file.ts';
import { findProject } from '../../settings/project-store.ts';
import type { RunProject } from '../../settings/resolve-settings.ts';
import { EVERY_PROJECT, type StoredProject } from '../../settings/stored-project.ts';
import type { Call } from '../command/command.ts';
import { createPrinting, type Printing } from '../printing.ts';
import { makeFolderOf } from './create-files.ts';

export type Severally = {
  /** Whether `all` may stand for every stored project. */
  readonly all?: boolean;
  /** What is printed for a project goes into this file or folder of its own. */
  readonly saveTo?: (name: string) => string;
};

/** One of several projects of a command, with the key that is stored for it. */
export type OneOfSeveral<Context> = {
  readonly name: string;
  readonly id: string;
  readonly host: string;
  readonly context: Context;
  /** Makes what was printed into its own file complete, or leaves no half file. */
  readonly finish: Printing['finish'];
  readonly abandon: Printing['abandon'];
};

type Opening<Context> = Call & {
  readonly printing: Printing;
  readonly stored: () => StoredProjects;
  readonly open: (only: RunProject, own: Pick<Call, 'options'> & { readonly printing: Printing }) => Context;
};

/** Only stored projects count, whatever project, host and key the environment names. */
export async function openProjects<Context>(
  names: readonly string[],
  { all = false, saveTo }: Severally,
  { system, options, stderr, printing: shared, stored, open }: Opening<Context>,
): Promise<readonly OneOfSeveral<Context>[]> {
  if (options.project !== undefined || options.host !== undefined) {
    const option = options.project === undefined ? '--host' : '--project';
    throw usageError(`${option} and --projects cannot be used together`, `leave out ${option}`);
  }
  const opened: OneOfSeveral<Context>[] = [];
  for (const { name, id, host } of chooseProjects(names, { all, stored: stored() })) {
    const own = saveTo === undefined ? options : { ...options, save: saveTo(name) };
    if (own.save !== undefined && saveTo !== undefined) makeFolderOf(own.save);
    const printing =
      saveTo === undefined
        ? shared
        : createPrinting({ system, options: own, stderr, watcher: undefined, paged: false });
    const context = open({ name, id, host }, { options: own, printing });
    opened.push({ name, id, host, context, finish: printing.finish, abandon: printing.abandon });
  }
  return opened;
}

function chooseProjects(
  names: readonly string[],
  { all, stored }: { readonly all: boolean; readonly stored: StoredProjects },
): readonly StoredProject[] {
  const isEvery = names.length === 1 && names[0] === EVERY_PROJECT;
  if (isEvery && !all)
    throw usageError(
      '--projects all can only be used with persons export or --dry-run',
      'list the projects, separated by commas',
    );
  const chosen = isEvery ? stored.projects : names.map((name) => findProject(stored, name, '--projects'));
  for (const [at, one] of chosen.entries()) {
    const before = chosen.slice(0, at).find(({ id, host }) => id === one.id && host === one.host);
    // Every name that is stored is meant by all, and a project may have several.
    if (before !== undefined && !isEvery)
      throw usageError(
        `--projects names project ${one.id} at ${one.host} twice, as ${before.name} and ${one.name}`,
        'name each project once',
      );
  }
  const places = chosen.map(({ id, host }) => `${id} ${host}`);
  const each = chosen.filter((_, at) => places.indexOf(places[at] ?? '') === at);
  if (each.length > 0) return each;
  throw usageError('no project is stored', 'store one with hogctl auth login');
}
