import { join } from 'node:path';
import type { PersonReference } from '../cli/command/options.ts';
import type { Context, OneOfSeveral } from '../cli/context.ts';
import { CliError, counted, joinKinds, usageError } from '../errors.ts';
import { exportOne, isForThePerson, isTables } from './one-person.ts';

type Target = Omit<Input, 'projects'> & {
  readonly projects: readonly string[] | undefined;
  readonly withCohorts?: boolean | undefined;
  /** The ids of all persons who are meant: several may have one address. Throws `not-found` for none. */
  readonly findAll: (person: PersonReference, context: Context) => Promise<readonly string[]>;
};

/** Exports everything about one person: as a record for the project, or in a file for the person. */
export async function exportPerson({ projects, ...input }: Target, context: Context): Promise<void> {
  const { person, findAll, withEvents = false } = input;
  if (projects !== undefined && person !== undefined && 'id' in person)
    throw usageError(
      'a person id is only valid in one project',
      'use --email or --distinct-id with --projects',
    );
  if (person !== undefined && isForThePerson(context.options)) {
    const { exportAccess } = await import('./access-request.ts');
    return exportAccess({ ...input, person, projects }, context);
  }
  if (projects !== undefined || person === undefined)
    return exportFromProjects({ ...input, projects: projects ?? [] }, context);
  const [id = '', ...others] = await findAll(person, context);
  if (others.length > 0)
    throw usageError(
      `${others.length + 1} persons have the ${nameOf(person)}: ${[id, ...others].join(', ')}`,
      'give the id of one, or --save <name>.zip for all of them in one file',
    );
  await exportOne(id, { withEvents }, context);
}

function nameOf(person: PersonReference): string {
  return 'email' in person ? `email "${person.email}"` : 'same id';
}

type Input = {
  readonly projects: readonly string[];
  readonly person: PersonReference | undefined;
  /** The id of the person; throws `not-found` without one. */
  readonly find: (person: PersonReference, context: Context) => Promise<string>;
  readonly withEvents?: boolean | undefined;
};

/**
 * Exports everything about one person from each project, into a file or folder of its own. A project that fails does not
 * stop the others, and a project without the person is not a failure.
 */
async function exportFromProjects(
  { projects, person, find, withEvents = false }: Input,
  context: Context,
): Promise<void> {
  if (person === undefined)
    throw usageError('--projects can only be used for one person', 'give --email or --distinct-id');
  const folder = readFolder(context);
  const opened = await context.projects.several(projects, {
    all: true,
    saveTo: (name) => join(folder, fileOf(name, context)),
  });
  refuseSameFiles(opened);
  const failed: string[] = [];
  const errors: CliError[] = [];
  let found = 0;
  for (const project of opened) {
    try {
      const isThere = await exportFrom(project, { person, find, withEvents });
      if (isThere) found += 1;
      else context.note(`${project.name}: the person was not found.`);
    } catch (error) {
      if (!(error instanceof CliError) || context.signal.aborted) throw error;
      context.warn(`warning: ${project.name}: ${error.message}`);
      failed.push(project.name);
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    const kind = joinKinds(errors, { isAnyDone: found > 0 });
    const message = `${errors.length} of ${counted(opened.length, 'project')} ${errors.length === 1 ? 'was' : 'were'} not exported: ${failed.join(', ')}`;
    throw new CliError(kind, message, { hint: errors[0]?.hint });
  }
  if (found > 0) return;
  const names = opened.map(({ name }) => name).join(', ');
  throw new CliError('not-found', `the person was not found in ${names}`, {
    hint: 'search more widely with hogctl persons list --search',
  });
}

async function exportFrom(
  { context, finish, abandon }: OneOfSeveral,
  { person, find, withEvents }: Pick<Input, 'find'> & { person: PersonReference; withEvents: boolean },
): Promise<boolean> {
  try {
    await exportOne(await find(person, context), { withEvents }, context);
    await finish();
    return true;
  } catch (error) {
    await abandon();
    // With a status the service did not look, as with a wrong project.
    if (error instanceof CliError && error.kind === 'not-found' && error.status === undefined) return false;
    throw error;
  }
}

function readFolder({ options: { save } }: Context): string {
  if (save === undefined)
    throw usageError('the export from several projects needs a folder', 'give a folder with --save');
  if (/\.(?:json|parquet)$/i.test(save))
    throw usageError(
      `${save} names a file, but several projects need a folder`,
      `give a folder, as in --save ${save.slice(0, save.lastIndexOf('.'))}`,
    );
  return save;
}

/** What stands for a device on Windows, with any ending. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** JSON is one file, and tables are a folder. What a file system reads in another way is written as %2F. */
function fileOf(name: string, { options: { output } }: Context): string {
  const plain = name
    .replace(/[^\p{L}\p{N}._ -]|^\.|[. ]$/gu, (one) => (one === '.' ? '%2E' : encodeURIComponent(one)))
    .replace(DEVICES, (device) => `%${device.charCodeAt(0).toString(16).toUpperCase()}${device.slice(1)}`);
  return isTables(output) ? plain : `${plain}.json`;
}

/** Some file systems do not tell upper from lower case. */
function refuseSameFiles(opened: readonly OneOfSeveral[]): void {
  const names = opened.map(({ name }) => name.toLowerCase());
  const same = opened.find((_, at) => names.indexOf(names[at] ?? '') !== at);
  if (same === undefined) return;
  throw usageError(
    `the names of two projects differ in case only: ${same.name}`,
    'export one after the other, each into its own folder',
  );
}
