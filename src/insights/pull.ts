import { basename, join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError, usageError } from '../errors.ts';
import type { Json, JsonObject } from '../json/kinds.ts';
import { toJsonText } from '../json/text.ts';
import { keyed } from '../semantics/answer.ts';
import { idText, objectRows } from '../service/endpoint.ts';
import { insights } from '../service/insights.ts';
import type { Insight } from '../service/schemas.ts';
import { listedAs, withoutResults } from './answers/insight.ts';
import { currentOrigin, isOther, listNumbered, originText } from './definitions/carry-over.ts';
import {
  changedFields,
  type Definition,
  definitionOf,
  digestOf,
  fileName,
  fileText,
  type LocalInsight,
  type Names,
  NO_NAMES,
  type Origin,
  type Present,
  readFolder,
  shortIdOf,
  versionOf,
} from './definitions/files.ts';
import { kindsOf, usedNames } from './definitions/uses.ts';

/** Brings the files of a folder to what the project says, and prints what it did with each. */
export async function pullFiles(
  directory: string,
  { force }: Pick<PullInput, 'force'>,
  context: Context,
): Promise<void> {
  const local = (await readFolder(directory, context)) ?? [];
  await refuseOtherFiles(local, context);
  const { insights: present } = await readService(
    local.map(({ shortId }) => shortId),
    context,
  );
  const names = await readNames([...present.values()].map(definitionOf), context);
  const project = await currentOrigin(context);
  const plan = planPull({ directory, local, present, project, names, force });
  for (const { file, text } of context.dryRun ? [] : plan)
    if (text !== undefined) await context.files.writeText(file, text);
  await showPulled(plan, { local, present }, context);
}

/** What a pull does with one file. `edited`: it has edits that were not pushed, and stays as it is. */
type Pulled = {
  readonly file: string;
  readonly shortId: string;
  readonly name: string | null;
  readonly state: 'new' | 'changed' | 'same' | 'edited';
  /** What the file is to hold; undefined if it stays as it is. */
  readonly text: string | undefined;
};

type PullInput = {
  readonly directory: string;
  readonly local: readonly LocalInsight[];
  readonly present: ReadonlyMap<string, Insight>;
  readonly project?: Origin | undefined;
  /** As far as they could be listed. */
  readonly names?: Partial<Names>;
  readonly force: boolean;
};

/** Decides for every insight. Throws `check` where both the file and the insight have changed since they were the same. */
export function planPull(input: PullInput): readonly Pulled[] {
  const { directory, local, present, project, names, force } = input;
  const files = new Map(local.map((one) => [one.shortId, one]));
  const taken = new Set(local.map(({ file }) => basename(file).toLowerCase()));
  const conflicts: string[] = [];
  const plan = [...present].map(([shortId, insight]): Pulled => {
    const found = files.get(shortId);
    const known = { ...(found?.names ?? NO_NAMES), ...names };
    const marks = { project, names: usedNames(definitionOf(insight), known), pushed: found?.pushed ?? [] };
    const text = fileText(insight, marks);
    const pulled = { shortId, name: insight.name ?? null, text };
    if (found === undefined) {
      const file = fileName(insight, taken);
      taken.add(file.toLowerCase());
      return { ...pulled, file: join(directory, file), state: 'new' };
    }
    const kept = { ...pulled, file: found.file };
    if (found.text === text || isSame(found, insight, marks))
      return { ...kept, state: 'same', text: undefined };
    if (force || !hasOwnEdits(found, insight)) return { ...kept, state: 'changed' };
    if (versionOf(insight).digest !== found.version?.digest) conflicts.push(found.file);
    return { ...kept, state: 'edited', text: undefined };
  });
  if (conflicts.length === 0) return plan;
  throw new CliError('check', `changed both here and in the project: ${conflicts.join(', ')}`, {
    hint: 'keep a copy of your edits, then use --force to overwrite them, or push --force to overwrite the project',
  });
}

/** Whether a file says what the insight says, whatever its lines look like. */
function isSame(
  { definition, version, project, names }: LocalInsight,
  insight: Insight,
  marks: Pick<LocalInsight, 'project' | 'names'>,
): boolean {
  const now = versionOf(insight);
  const isFrom = project?.host === marks.project?.host && project?.id === marks.project?.id;
  if (!isFrom || toJsonText(names) !== toJsonText(marks.names)) return false;
  return (
    version?.digest === now.digest && version.modified === now.modified && digestOf(definition) === now.digest
  );
}

/** Whether a file says something that neither the insight says nor the state it came from. */
function hasOwnEdits({ definition, version }: LocalInsight, insight: Insight): boolean {
  if (version !== undefined && digestOf(definition) === version.digest) return false;
  return changedFields(definition, definitionOf(insight)).length > 0;
}

/** Prints what a pull did with each file, and warns about files that are not what the project has. */
async function showPulled(
  plan: readonly Pulled[],
  { local, present }: Pick<PullInput, 'local' | 'present'>,
  context: Context,
): Promise<void> {
  const rows = plan.map(({ file, shortId, name, state }) => ({ file, short_id: shortId, name, state }));
  await context.print(rows, [...keyed('file'), { key: 'short_id', kind: 'id' }, ...keyed('name', 'state')]);
  for (const { file } of plan.filter(({ state }) => state === 'edited')) {
    context.warn(`warning: ${file} has edits that were not pushed, so it is kept as it is`);
  }
  for (const { file, shortId } of local) {
    if (shortId === undefined || present.has(shortId)) continue;
    context.warn(`warning: ${file} is kept, but the project no longer has insight ${shortId}`);
  }
}

/** Throws a usage error if files of another project stand in a folder that is pulled into. */
async function refuseOtherFiles(local: readonly LocalInsight[], context: Context): Promise<void> {
  const here = await currentOrigin(context);
  const other = local.find(({ project }) => isOther(project, here));
  if (other?.project === undefined || here === undefined) return;
  throw usageError(
    `${other.file} is from ${originText(other.project)}, and this is ${originText(here)}`,
    'pull each project into a folder of its own; if the project has moved, change host and id in its files',
  );
}

/** What the key may not list is left out with a warning, and files keep the names they have. */
async function readNames(definitions: readonly Definition[], context: Context): Promise<Partial<Names>> {
  const used = kindsOf(definitions);
  const read = async (kind: 'cohort' | 'action') => {
    const rows = used.has(kind) ? await listIfAllowed(kind, context) : [];
    const named = rows?.flatMap((row) => (isNamed(row) ? [[idText(row.id), row.name] as const] : []));
    return named === undefined ? {} : { [`${kind}s`]: Object.fromEntries(named) };
  };
  return { ...(await read('cohort')), ...(await read('action')) };
}

async function listIfAllowed(kind: 'cohort' | 'action', context: Context) {
  try {
    return await listNumbered(kind, context);
  } catch (failure) {
    if (!(failure instanceof CliError) || ![403, 404].includes(failure.status ?? 0)) throw failure;
    context.warn(
      `warning: the names of ${kind}s are not in the files, and another project needs them: ${failure.message}`,
    );
    return undefined;
  }
}

function isNamed(row: JsonObject): row is JsonObject & { readonly id: Json; readonly name: string } {
  return row.id !== undefined && typeof row.name === 'string' && row.deleted !== true;
}

const PAGE = 100;

/** An insight that a file names and the list lacks is looked up: what was not listed is not taken for deleted. */
export async function readService(
  named: readonly (string | undefined)[],
  context: Context,
): Promise<Present> {
  const client = await context.client();
  const found = new Map<string, Insight>();
  const input = await withoutResults(context);
  let listed = 0;
  let count = 0;
  for await (const page of client.pages(insights.list, input, { pageSize: PAGE })) {
    listed += page.rows.length;
    count = page.count ?? count;
    for (const insight of objectRows<Insight>(page)) {
      if (insight.deleted !== true) found.set(shortIdOf(insight), insight);
    }
  }
  for (const shortId of named) {
    if (shortId === undefined || found.has(shortId)) continue;
    const insight = (await listedAs(shortId, context)).find((one) => one.short_id === shortId);
    if (insight !== undefined && insight.deleted !== true) found.set(shortId, insight);
  }
  return { insights: found, missing: Math.max(0, count - listed) };
}
