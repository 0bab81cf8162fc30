import type { Context } from '../cli/context.ts';
import { CliError, changed } from '../errors.ts';
import { asObject, type Json, type JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { type Difference, differenceText } from '../print/difference.ts';
import { idText } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import type { Insight } from '../service/schemas.ts';
import { describeInsight } from './answers/insight.ts';
import { examineNode, refuseUnknown } from './answers/query-node.ts';
import { type Carried, carryOver, currentOrigin, madeOf, sortFiles } from './definitions/carry-over.ts';
import {
  changedFields,
  DEFINITION_FIELDS,
  type Definition,
  definitionOf,
  fileText,
  hasPulledQuery,
  type LocalInsight,
  type Origin,
  type Present,
  shortIdOf,
  versionOf,
  withPushed,
} from './definitions/files.ts';
import { usedNames } from './definitions/uses.ts';
import { readService } from './pull.ts';

type Change =
  | (FileChange & { readonly action: 'create'; readonly insight?: undefined })
  | (FileChange & { readonly action: 'change'; readonly insight: Insight })
  | { readonly action: 'delete'; readonly insight: Insight; readonly local?: undefined };

type FileChange = {
  readonly local: LocalInsight;
  /** The fields that differ, all of them for a new insight. */
  readonly wanted: Definition;
  /** For a file of another project. */
  readonly carried?: Carried;
};

type PlanInput = {
  readonly local: readonly LocalInsight[];
  readonly present: Present;
  readonly force: boolean;
  readonly prune: boolean;
};

type PushOptions = Pick<PlanInput, 'force' | 'prune'> & {
  /** Whether queries are sent that hold what the service is not known to take. */
  readonly unchecked: boolean;
};

/** Brings the project to what files say: shows the difference, asks, and sends it. */
export async function pushFiles(
  local: readonly LocalInsight[],
  { force, prune, unchecked }: PushOptions,
  context: Context,
): Promise<void> {
  const notes = unchecked ? new Map<string, string>() : await examineQueries(local);
  const { own, others } = await sortFiles(local, { prune }, context);
  const here = await currentOrigin(context);
  const named = [...own.map(({ shortId }) => shortId), ...others.map((one) => madeOf(one, here)?.short_id)];
  const present = await readService(named, context);
  const { carried, from } = await carryOver(others, present, context);
  const changes = [
    ...planPush({ local: own, present, force, prune }),
    ...carried.flatMap((one) =>
      changeOf({ local: one.local, wanted: one.definition, carried: one }, one.insight),
    ),
  ];
  await showChanges(changes, context);
  if (!force) refuseOverwriting(changes);
  if (changes.length === 0) return;
  for (const change of changes) {
    if (change.action === 'delete' || change.wanted.query === undefined) continue;
    const told = notes.get(change.local.file);
    if (told !== undefined) context.note(told);
  }
  await context.confirm({ action: actionText(changes) + from });
  await carryOut(changes, here, context);
}

/** What could not be compared, by file. Throws a usage error for what the service would refuse, unless it came from there. */
async function examineQueries(local: readonly LocalInsight[]): Promise<ReadonlyMap<string, string>> {
  const notes = new Map<string, string>();
  const wrong = [];
  for (const one of local) {
    const { file, text, definition } = one;
    const node = asObject(definition.query);
    if (node === undefined) continue;
    const { faults, note } = await examineNode(node, { file, text, path: ['query'] });
    const [first] = faults;
    if (!hasPulledQuery(one)) for (const fault of faults) wrong.push(fault);
    const told = first === undefined ? note : `It is sent as it was pulled: ${first.message}.`;
    if (told !== undefined) notes.set(file, told);
  }
  refuseUnknown(wrong);
  return notes;
}

/** What differs. Throws `check`, naming every file, if an insight has changed since its file was pulled or is gone. */
export function planPush({
  local,
  present: { insights: present, missing },
  force,
  prune,
}: PlanInput): readonly Change[] {
  if (prune && missing > 0) throw incompleteError(missing);
  const gone = local.filter(({ shortId }) => shortId !== undefined && !present.has(shortId));
  if (gone.length > 0) throw goneError(gone);
  const changes = local.flatMap((one) => {
    const insight = one.shortId === undefined ? undefined : present.get(one.shortId);
    return changeOf({ local: one, wanted: one.definition }, insight);
  });
  // Its time of change is not enough: a pull leaves a file with edits as it is, and would send people back here.
  const stale = changes.flatMap(({ insight, local: { file, version } }) =>
    insight !== undefined && version?.digest !== versionOf(insight).digest ? [file] : [],
  );
  if (stale.length > 0 && !force)
    throw new CliError('check', `changed in the project since the file was pulled: ${stale.join(', ')}`, {
      hint: 'use push --force to overwrite the project, or pull --force to overwrite the files',
    });
  const kept = new Set(local.map(({ shortId }) => shortId));
  const extra = prune ? [...present.values()].filter((insight) => !kept.has(shortIdOf(insight))) : [];
  return [...changes, ...extra.map((insight) => ({ action: 'delete', insight }) as const)];
}

function changeOf(
  change: FileChange,
  insight: Insight | undefined,
): readonly Exclude<Change, { readonly action: 'delete' }>[] {
  if (insight === undefined) return [{ ...change, action: 'create' }];
  const fields = changedFields(change.wanted, definitionOf(insight));
  const wanted: Definition = Object.fromEntries(fields.map((name) => [name, change.wanted[name] ?? null]));
  return fields.length === 0 ? [] : [{ ...change, wanted, action: 'change', insight }];
}

/** Throws `check` if files of another project would overwrite what no push of them made. */
function refuseOverwriting(changes: readonly Change[]): void {
  const files = changes.flatMap((change) => {
    if (change.action !== 'change' || change.carried === undefined) return [];
    const { made } = change.carried;
    if (made === undefined) return [`${change.local.file} (only its name is the same)`];
    const isSame = made.digest === versionOf(change.insight).digest;
    return isSame ? [] : [`${change.local.file} (changed there since the last push)`];
  });
  if (files.length === 0) return;
  throw new CliError(
    'check',
    `these files would overwrite insights that no push of them made: ${files.join(', ')}`,
    {
      hint: 'look at the difference; --force overwrites them',
    },
  );
}

/** An insight that was not read may have been renamed, or be one that a file stands for. */
function incompleteError(missing: number): CliError {
  return new CliError(
    'unavailable',
    `the service has ${missing} more insights than it listed, so nothing was deleted`,
    { hint: 'try again later, or leave out --prune' },
  );
}

function goneError(gone: readonly LocalInsight[]): CliError {
  const files = gone.map(({ file, shortId }) => `${file} (${shortId})`).join(', ');
  const hint = gone.some(({ project }) => project === undefined)
    ? 'if another project has it, pull again there, so that the file says so; remove its short_id to create a new insight'
    : 'remove the file, remove its short_id to create a new insight, or restore the insight with insights restore';
  return new CliError('check', `the project no longer has the insight: ${files}`, { hint });
}

/** Shows what a push will do: on stdout, or on stderr if stdout carries rows for a program. */
async function showChanges(changes: readonly Change[], context: Context): Promise<void> {
  if (changes.length === 0) {
    context.note('The project is what the files say; there is nothing to push.');
    return;
  }
  const forPeople = isForPeople(context);
  const text = differenceText(changes.map(differenceOf), { color: forPeople && context.output.color });
  if (forPeople) await context.output.text(text);
  else context.note(text.trimEnd());
}

/** Whether people read stdout, and not a program or a file. */
function isForPeople({ options }: Pick<Context, 'options'>): boolean {
  return (options.output ?? 'table') === 'table' && options.save === undefined;
}

/** `change 2, create 1 and soft-delete 3 insights` */
function actionText(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const parts = [
    { word: 'change', number: count('change') },
    { word: 'create', number: count('create') },
    { word: 'soft-delete', number: count('delete') },
  ].flatMap(({ word, number }) => (number > 0 ? [`${word} ${number}`] : []));
  const lost = count('delete') > 0 ? '; their alerts and subscriptions cannot be restored' : '';
  return `${new Intl.ListFormat('en-GB').format(parts)} ${changes.length === 1 ? 'insight' : 'insights'}${lost}`;
}

function differenceOf(change: Change): Difference {
  const { insight, local } = change;
  const name = typeof insight?.name === 'string' && insight.name !== '' ? `, ${insight.name}` : '';
  const described = `${describeInsight(insight)}${name}`;
  if (change.action === 'delete') return { mark: '-', title: `${described}: no file`, parts: [] };
  const before: Definition = insight === undefined ? {} : definitionOf(insight);
  const parts = DEFINITION_FIELDS.filter((field) => change.wanted[field] !== undefined).map((field) => ({
    name: field,
    before: fieldText(before[field]),
    after: fieldText(change.wanted[field]),
  }));
  return insight === undefined
    ? { mark: '+', title: `${local?.file}: a new insight`, parts }
    : { mark: '~', title: `${local?.file}: ${described}`, parts };
}

function fieldText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : toJsonText(value, { indent: 2 });
}

/** Writes what came of each change into its file. Throws `partial` if only some were made. */
async function carryOut(
  changes: readonly Change[],
  project: Origin | undefined,
  context: Context,
): Promise<void> {
  const done: JsonObject[] = [];
  try {
    for (const change of changes) {
      const insight = await carryOutOne(change, project, context);
      context.report(`${WORDS[change.action]} ${describeInsight(insight)}.`);
      const { id = null, short_id = null, name = null } = insight ?? {};
      done.push({ action: `${change.action}d`, file: change.local?.file ?? null, id, short_id, name });
    }
  } catch (failure) {
    throw inPart(failure, { done: context.dryRun ? 0 : done.length, total: changes.length });
  }
  if (context.dryRun || isForPeople(context)) return;
  await context.print(done);
}

const WORDS: Readonly<Record<Change['action'], string>> = {
  create: 'Created',
  change: 'Changed',
  delete: 'Soft-deleted',
};

async function carryOutOne(
  change: Change,
  project: Origin | undefined,
  context: Context,
): Promise<Insight | undefined> {
  const client = await context.client();
  const { insight } = change;
  const id = idText(insight?.id);
  if (change.action === 'delete') {
    await client.call(insights.update, { id, deleted: true });
    return insight;
  }
  if (insight !== undefined && !context.dryRun) {
    const now = await client.call(insights.get, { id });
    if (versionOf(now).digest !== versionOf(insight).digest) throw changedError(now, change.local.file);
  }
  const fields = sendable(change.wanted);
  const answer = await (insight === undefined
    ? client.call(insights.create, { saved: true, ...fields })
    : client.call(insights.update, { id, ...fields }));
  await keep(change, { answer, project }, context);
  return answer ?? insight;
}

/** It may have been changed while the question was open. */
function changedError(insight: Insight, file: string): CliError {
  return new CliError(
    'check',
    `${describeInsight(insight)} was changed meanwhile, so ${file} was not pushed`,
    { hint: 'pull again, check the change, and push again' },
  );
}

/** The types of the fields were looked at when the file was read; null stands for no name or description. */
function sendable(fields: Definition) {
  return fields as { readonly name?: string; readonly tags?: readonly string[] };
}

/** The file becomes what the service made of it; one of another project stays, with a record of what was made here. */
async function keep(
  { local, carried }: FileChange,
  { answer, project }: { readonly answer: Insight | undefined; readonly project: Origin | undefined },
  context: Context,
): Promise<void> {
  if (context.dryRun) return;
  const { file, names, pushed } = local;
  if (answer?.short_id === undefined) {
    const advice = carried ? 'the next push of it may need --force' : PULL_FIRST;
    return context.warn(`warning: the service did not confirm ${file}; ${advice}`);
  }
  if (carried === undefined)
    return context.files.writeText(
      file,
      fileText(answer, { project, names: usedNames(definitionOf(answer), names), pushed }),
    );
  if (project === undefined) return;
  const made = { ...project, short_id: shortIdOf(answer), digest: versionOf(answer).digest };
  await context.files.writeText(file, withPushed(local, made));
}

const PULL_FIRST = 'pull before you push it again, or it is sent twice';

/** What to throw when a row of changes fails in its midst: `partial` where some were made, unless a signal ended it. */
export function inPart(
  failure: unknown,
  { done, total }: { readonly done: number; readonly total: number },
): unknown {
  if (!(failure instanceof CliError) || done === 0) return failure;
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `${failure.message}; ${done} of ${total} changes were already made`;
  return changed(failure, { kind, message });
}
