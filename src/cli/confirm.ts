import { CliError, usageError } from '../errors.ts';
import type { Settings } from '../settings/resolve-settings.ts';
import { readProtected } from '../settings/resolve-settings.ts';
import type { GlobalOptions } from './command/options.ts';

/** What a destructive command asks before it acts. */
export type Question = {
  /** What will happen, as the end of "This will …": `delete person 42 (ana@example.org)`. */
  readonly action: string;
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

export type Asker = {
  readonly interactive: boolean;
  readonly options: GlobalOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  settings(): Promise<Settings>;
  ask(text: string): Promise<string>;
};

/**
 * Returns when a destructive act may go on. `--yes` counts only for a project that was named, and a protected project
 * needs its name in any case. Throws `usage` if there is no terminal to ask at, `cancelled` if the answer is no.
 */
export async function confirmAct(question: Question, asker: Asker): Promise<void> {
  const { options, interactive } = asker;
  refuseSilence(question, asker);
  if (question.local) return confirmLocal(question, asker);
  if (question.several !== undefined) return confirmSeveral(question, question.several, asker);
  const settings = await asker.settings();
  refuseCurrent(settings);
  const { confirm = [] } = options;
  const named = confirm.length > 0;
  const other = confirm.find((name) => !isNameOf(settings, name));
  if (other !== undefined)
    throw usageError(`--confirm names "${other}", but the project is ${projectText(settings)}`);
  if (options.yes && !settings.named) {
    throw usageError(
      `--yes needs a named project, and ${projectText(settings)} is only the default`,
      `add --project ${settings.project.name ?? settings.project.id}`,
    );
  }
  const wantsName = settings.project.protected || question.strict === true;
  if (wantsName && !named && (options.yes || !interactive))
    throw wantsConfirm(settings.project.name ?? settings.project.id);
  const text = `This will ${question.action}\nin project ${projectText(settings)} at ${settings.host.address}.`;
  const type = wantsName && !named ? (settings.project.name ?? settings.project.id) : question.type;
  return askToType(text, { ...question, ...(type ? { type } : {}), skip: options.yes }, asker);
}

/** One question for all of them; each that must be named needs its own `--confirm`, or is typed. */
async function confirmSeveral(
  question: Question,
  projects: NonNullable<Question['several']>,
  asker: Asker,
): Promise<void> {
  const { yes, confirm = [] } = asker.options;
  const other = confirm.find((wanted) => !projects.some(({ name }) => name === wanted));
  if (other !== undefined)
    throw usageError(
      `--confirm names "${other}", but the projects are ${projects.map(({ name }) => name).join(', ')}`,
    );
  const open = projects.filter(({ name, mustName }) => mustName && !confirm.includes(name));
  const names = open.map(({ name }) => name);
  if (names.length > 0 && yes) {
    const what = names.length === 1 ? `project ${names[0]}` : `projects ${names.join(' and ')}`;
    throw usageError(`${what} must be confirmed by name`, `add --confirm ${names.join(' --confirm ')}`);
  }
  const type = names.length > 0 ? names.join(',') : question.type;
  const text = `This will ${question.action}`;
  return askToType(text, { ...question, ...(type ? { type } : {}), skip: yes }, asker);
}

async function confirmLocal(question: Question, asker: Asker): Promise<void> {
  const { yes, confirm } = asker.options;
  const { stored, type } = question;
  const other = stored && confirm?.find((name) => name !== stored.name);
  if (other !== undefined) throw usageError(`--confirm names "${other}", but the project is ${stored?.name}`);
  const isProtected = stored !== undefined && (readProtected(asker.environment) || stored.protected);
  const wanted = isProtected && confirm === undefined ? stored.name : undefined;
  if (wanted !== undefined && yes) throw wantsConfirm(wanted);
  const typed = wanted ?? type;
  await askToType(
    `This will ${question.action}.`,
    { ...question, ...(typed ? { type: typed } : {}), skip: yes },
    asker,
  );
}

/** Throws a usage error if there is neither a terminal to ask at nor `--yes`. */
export function refuseSilence(
  question: Question,
  { options, interactive }: Pick<Asker, 'options' | 'interactive'>,
): void {
  if (options.yes || interactive) return;
  throw usageError(
    `cannot ask without a terminal: this would ${question.action}`,
    question.local || question.several ? 'add --yes' : 'add --yes, and name the project with --project',
  );
}

function wantsConfirm(name: string): CliError {
  return usageError(`project ${name} must be confirmed by name`, `add --confirm ${name}`);
}

function isNameOf({ project }: Settings, text: string): boolean {
  return text === (project.name ?? project.id);
}

function refuseCurrent({ project }: Settings): void {
  if (project.id !== '@current') return;
  throw usageError(
    '@current can change with the web app, so nothing is changed there',
    'give the project id',
  );
}

function projectText({ project }: Settings): string {
  return project.name === undefined ? project.id : `${project.name} (${project.id})`;
}

async function askToType(
  text: string,
  question: Question & { skip: boolean | undefined },
  asker: Asker,
): Promise<void> {
  if (question.skip) return;
  const prompt = question.type === undefined ? 'Continue? [y/N] ' : `Type ${question.type} to confirm: `;
  const answer = (await asker.ask(`${text}\n${prompt}`)).trim();
  const agreed = question.type === undefined ? /^y(es)?$/i.test(answer) : answer === question.type;
  if (!agreed) throw new CliError('cancelled', 'cancelled, nothing was changed');
}
