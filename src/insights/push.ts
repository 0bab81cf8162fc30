import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import type { Json } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { type Difference, differenceText } from '../print/difference.ts';
import { idText } from '../service/answer.ts';
import { insights } from '../service/insights.ts';
import type { Insight } from '../service/schemas.ts';
import {
  changedFields,
  DEFINITION_FIELDS,
  type Definition,
  type DefinitionField,
  definitionOf,
  fileText,
  type LocalInsight,
  type Present,
  shortIdOf,
  versionOf,
} from './definition-files.ts';
import { describeInsight } from './insight.ts';

/** One thing that a push does. */
type Change =
  | { readonly action: 'create'; readonly file: string; readonly wanted: Definition }
  | {
      readonly action: 'change';
      readonly file: string;
      readonly wanted: Definition;
      readonly insight: Insight;
      readonly fields: readonly DefinitionField[];
    }
  | { readonly action: 'delete'; readonly insight: Insight };

type PlanInput = {
  readonly local: readonly LocalInsight[];
  readonly present: Present;
  /** Overwrite what was changed since. */
  readonly force: boolean;
  /** Delete insights that have no file. */
  readonly prune: boolean;
};

/** What differs. Throws `check`, naming every file, where an insight has changed since its file was pulled or is gone. */
export function planPush({
  local,
  present: { insights: present, missing },
  force,
  prune,
}: PlanInput): readonly Change[] {
  if (prune && missing > 0) throw incompleteError(missing);
  const gone = local.filter(({ shortId }) => shortId !== undefined && !present.has(shortId));
  if (gone.length > 0) throw goneError(gone);
  const changes = local.flatMap((one) => changeOf(one, present));
  const stale = local.filter((one) => {
    const change = changes.find((candidate) => candidate.action === 'change' && candidate.file === one.file);
    return change?.action === 'change' && isStale(one, change.insight);
  });
  if (stale.length > 0 && !force) throw staleError(stale);
  const kept = new Set(local.map(({ shortId }) => shortId));
  const extra = prune ? [...present.values()].filter((insight) => !kept.has(shortIdOf(insight))) : [];
  return [...changes, ...extra.map((insight) => ({ action: 'delete', insight }) as const)];
}

function changeOf(local: LocalInsight, present: ReadonlyMap<string, Insight>): readonly Change[] {
  const { file, shortId, definition: wanted } = local;
  const insight = shortId === undefined ? undefined : present.get(shortId);
  if (insight === undefined) return [{ action: 'create', file, wanted }];
  const fields = changedFields(wanted, definitionOf(insight));
  return fields.length === 0 ? [] : [{ action: 'change', file, wanted, insight, fields }];
}

/**
 * Whether an insight says something else than when its file was pulled. Its time of change alone is no reason: a pull
 * would leave a file with edits as it is, and so would send people back here.
 */
function isStale({ version }: Pick<LocalInsight, 'version'>, insight: Insight): boolean {
  return version?.digest !== versionOf(insight).digest;
}

function staleError(stale: readonly LocalInsight[]): CliError {
  const files = stale.map(({ file }) => file).join(', ');
  return new CliError('check', `changed in the project since the file was pulled: ${files}`, {
    hint: 'push --force keeps the files and overwrites the project, pull --force the other way round',
  });
}

/** An insight that was not read may have been renamed, or be one that a file stands for. */
function incompleteError(missing: number): CliError {
  return new CliError(
    'unavailable',
    `the service has ${missing} more insights than it listed, so nothing was deleted`,
    {
      hint: 'try again later, or leave out --prune',
    },
  );
}

function goneError(gone: readonly LocalInsight[]): CliError {
  const files = gone.map(({ file, shortId }) => `${file} (${shortId})`).join(', ');
  return new CliError('check', `the project has no such insight any more: ${files}`, {
    hint: 'remove the file, or its short_id to create the insight anew; insights restore undoes a deletion',
  });
}

/** Shows what a push will do: on stdout, or on stderr where stdout carries rows for a program. */
export async function showChanges(changes: readonly Change[], context: Context): Promise<void> {
  if (changes.length === 0) {
    context.note('The project is what the files say; there is nothing to push.');
    return;
  }
  const forPeople = isForPeople(context);
  const text = differenceText(changes.map(differenceOf), { color: forPeople && context.color });
  if (forPeople) await context.printRaw(text);
  else context.note(text.trimEnd());
}

/** Whether stdout is read by somebody, and not by a program or a file. */
function isForPeople({ options }: Pick<Context, 'options'>): boolean {
  return (options.output ?? 'table') === 'table' && options.save === undefined;
}

/** `change 2, create 1 and softly delete 3 insights` */
export function actionText(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const parts = [
    { word: 'change', number: count('change') },
    { word: 'create', number: count('create') },
    { word: 'softly delete', number: count('delete') },
  ].flatMap(({ word, number }) => (number > 0 ? [`${word} ${number}`] : []));
  const last = parts.at(-1) ?? '';
  const lost = count('delete') > 0 ? '; their alerts and subscriptions are gone for good' : '';
  const joined = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last;
  return `${joined} ${changes.length === 1 ? 'insight' : 'insights'}${lost}`;
}

function differenceOf(change: Change): Difference {
  if (change.action === 'create') {
    return { mark: '+', title: `${change.file}: a new insight`, parts: partsOf({}, change.wanted) };
  }
  const { insight } = change;
  const name = typeof insight.name === 'string' && insight.name !== '' ? `, ${insight.name}` : '';
  if (change.action === 'delete')
    return { mark: '-', title: `${describeInsight(insight)}${name}: no file`, parts: [] };
  const present = definitionOf(insight);
  const parts = partsOf(present, change.wanted).filter(({ name: field }) =>
    change.fields.some((one) => one === field),
  );
  return { mark: '~', title: `${change.file}: ${describeInsight(insight)}${name}`, parts };
}

function partsOf(before: Definition, after: Definition): Difference['parts'] {
  return DEFINITION_FIELDS.flatMap((name) =>
    after[name] === undefined
      ? []
      : [{ name, before: fieldText(before[name]), after: fieldText(after[name]) }],
  );
}

function fieldText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : toJsonText(value, { indent: 2 });
}

type PushInput = { readonly local: readonly LocalInsight[]; readonly force: boolean };

/** What was done, as a row. */
type Done = { readonly action: string; readonly file: string | null; readonly insight: Insight | undefined };

/** Sends the changes one by one and writes what came of each into its file. Throws `partial` where some were done. */
export async function carryOut(
  changes: readonly Change[],
  options: PushInput,
  context: Context,
): Promise<void> {
  const done: Done[] = [];
  try {
    for (const change of changes) {
      const one = await carryOutOne(change, options, context);
      context.report(`${WORDS[change.action]} ${describeInsight(one.insight)}.`);
      done.push(one);
    }
  } catch (failure) {
    throw inPart(failure, { done: context.dryRun ? 0 : done.length, total: changes.length });
  }
  if (context.dryRun || isForPeople(context)) return;
  await context.print(done.map(rowOf));
}

const WORDS: Readonly<Record<Change['action'], string>> = {
  create: 'Created',
  change: 'Changed',
  delete: 'Soft-deleted',
};

async function carryOutOne(change: Change, options: PushInput, context: Context): Promise<Done> {
  const client = await context.client();
  if (change.action === 'delete') {
    await client.call(insights.update, { id: idText(change.insight.id), deleted: true });
    return { action: 'deleted', file: null, insight: change.insight };
  }
  const { file } = change;
  if (change.action === 'create') {
    const answer = await client.call(insights.create, { saved: true, ...sendable(change.wanted) });
    await keep(file, answer, context);
    return { action: 'created', file, insight: answer };
  }
  const id = idText(change.insight.id);
  if (!options.force && !context.dryRun) await refuseStale(change, { id, local: options.local }, context);
  const fields = Object.fromEntries(change.fields.map((name) => [name, change.wanted[name] ?? null]));
  const answer = await client.call(insights.update, { id, ...sendable(fields) });
  await keep(file, answer, context);
  return { action: 'changed', file, insight: answer ?? change.insight };
}

/** Somebody may have changed it while the question stood. */
async function refuseStale(
  { file }: { readonly file: string },
  { id, local }: { readonly id: string; readonly local: readonly LocalInsight[] },
  context: Context,
): Promise<void> {
  const client = await context.client();
  const insight = await client.call(insights.get, { id });
  const found = local.find((one) => one.file === file);
  if (found !== undefined && !isStale(found, insight)) return;
  throw new CliError('check', `${describeInsight(insight)} was changed just now, so ${file} was not pushed`, {
    hint: 'pull and look again',
  });
}

/** The types of the fields were looked at when the file was read; null stands for no name or description. */
function sendable(fields: Definition) {
  return fields as { readonly name?: string; readonly tags?: readonly string[] };
}

/** The file becomes what the service made of it, so that the next pull and push find nothing to do. */
async function keep(file: string, answer: Insight | undefined, context: Context): Promise<void> {
  if (context.dryRun) return;
  if (answer?.short_id !== undefined) return context.files.writeText(file, fileText(answer));
  context.warn(
    `warning: the service did not say what became of ${file}; pull before you push it again, or it is sent twice`,
  );
}

function rowOf({ action, file, insight }: Done) {
  return {
    action,
    file,
    id: insight?.id ?? null,
    short_id: insight?.short_id ?? null,
    name: insight?.name ?? null,
  };
}

/** What to throw when a row of changes fails in its midst: `partial` where some were made, unless a signal ended it. */
export function inPart(
  failure: unknown,
  { done, total }: { readonly done: number; readonly total: number },
): unknown {
  if (!(failure instanceof CliError) || done === 0) return failure;
  const kind = failure.kind === 'interrupted' ? failure.kind : 'partial';
  const message = `${failure.message}; ${done} of ${total} changes were made before`;
  return new CliError(kind, message, { ...failure, cause: failure });
}
