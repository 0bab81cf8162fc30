import { CliError, usageError } from '../../errors.ts';
import { readProtected, type Settings } from '../../settings/resolve-settings.ts';
import { isCiJob } from '../../system/output.ts';
import type { Environment } from '../../system/system.ts';
import type { GlobalOptions } from '../command/options.ts';

/** What a destructive command asks before it acts. */
export type Question = {
  /** What will happen, as the end of "This will …": `delete person 42 (ana@example.org)`. */
  readonly action: string;
  /** Whom it is about, a line for each. */
  readonly people?: readonly string[];
  /** The text to type instead of yes, such as the number of ids. */
  readonly type?: string;
  /** Ask for the project's name even if it is not protected. */
  readonly strict?: boolean;
  /** Nothing at the service is touched, so no project needs naming. */
  readonly local?: boolean;
  /** The projects that it is about, if they are several; the action says what will happen in each. */
  readonly several?: readonly { readonly name: string; readonly mustName: boolean }[];
  /** The stored project that a local act is about. */
  readonly stored?: { readonly name: string; readonly protected: boolean };
};

/** Who asks: the context of a command. */
export type Asker = {
  readonly interactive: boolean;
  readonly options: GlobalOptions;
  readonly environment: Environment;
  settings(): Promise<Settings>;
  ask(question: { readonly text: string }): Promise<string>;
};

/**
 * Returns when a destructive act may go on. `--yes` counts only for a project that was named, and a protected project
 * needs its name in any case. Throws `usage` if there is no terminal to ask at, `cancelled` if the answer is no.
 */
export async function confirmAct(question: Question, asker: Asker): Promise<void> {
  refuseSilence(question, asker);
  const { yes, confirm = [] } = asker.options;
  const { text, names, required, told } = await consider(question, asker);
  const other = confirm.find((name) => names?.includes(name) === false);
  if (other !== undefined) throw usageError(`--confirm names "${other}", but ${told}`);
  const open = required.filter((name) => !confirm.includes(name));
  if (yes && open.length > 0) {
    const what = `project${open.length > 1 ? 's' : ''} ${open.join(' and ')}`;
    throw usageError(`${what} must be confirmed by name`, `add --confirm ${open.join(' --confirm ')}`);
  }
  if (yes) return;
  const word = open.length > 0 ? open.join(',') : question.type;
  const prompt = word === undefined ? 'Continue? [y/N] ' : `Type ${word} to confirm: `;
  const lines = [text, ...(question.people ?? []), prompt];
  const answer = (await asker.ask({ text: lines.join('\n') })).trim();
  const agreed = word === undefined ? /^y(es)?$/i.test(answer) : answer === word;
  if (!agreed) throw new CliError('cancelled', 'cancelled, nothing was changed');
}

type Considered = {
  readonly text: string;
  /** What `--confirm` may name; undefined if it is of no use here. */
  readonly names?: readonly string[];
  /** Those of them that must be confirmed by name. */
  readonly required: readonly string[];
  /** Which projects it is about, for a `--confirm` that names another. */
  readonly told?: string;
};

async function consider(question: Question, asker: Asker): Promise<Considered> {
  const { local, several, stored, strict } = question;
  const text = `This will ${question.action}`;
  if (local && stored === undefined) return { text: `${text}.`, required: [] };
  if (local && stored) {
    const { name } = stored;
    const isProtected = readProtected(asker.environment) || stored.protected;
    return {
      text: `${text}.`,
      names: [name],
      required: isProtected ? [name] : [],
      told: `the project is ${name}`,
    };
  }
  if (several !== undefined) {
    const names = several.map(({ name }) => name);
    const required = several.filter(({ mustName }) => mustName).map(({ name }) => name);
    return { text, names, required, told: `the projects are ${names.join(', ')}` };
  }
  const { project, host, named } = await asker.settings();
  refuseCurrent(project);
  const name = project.name ?? project.id;
  const told = project.name === undefined ? project.id : `${name} (${project.id})`;
  if (asker.options.yes && !named)
    throw usageError(`--yes needs a named project, and ${told} is only the default`, `add --project ${name}`);
  return {
    text: `${text}\nin project ${told} at ${host.address}.`,
    names: [name],
    required: project.protected || strict ? [name] : [],
    told: `the project is ${told}`,
  };
}

/** Throws a usage error for a project that is another one tomorrow. */
export function refuseCurrent({ id }: Settings['project']): void {
  if (id !== '@current') return;
  throw usageError(
    '@current can become another project in the web app, so nothing is changed there',
    'give the project id',
  );
}

/** Throws a usage error if there is neither `--yes` nor a terminal at which somebody may answer. */
export function refuseSilence(
  question: Question,
  { options, interactive, environment }: Pick<Asker, 'options' | 'interactive' | 'environment'>,
): void {
  if (options.yes || interactive) return;
  const where = isCiJob({ environment }) ? 'in a CI job (CI is set)' : 'without a terminal';
  throw usageError(
    `cannot ask ${where}: this would ${question.action}`,
    question.local || question.several ? 'add --yes' : 'add --yes, and name the project with --project',
  );
}
