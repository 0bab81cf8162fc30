import { join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { CliError } from '../errors.ts';
import { toJsonText } from '../json/text.ts';
import type { Insight } from '../service/schemas.ts';
import {
  changedFields,
  definitionOf,
  digestOf,
  fileName,
  fileText,
  type LocalInsight,
  type Names,
  NO_NAMES,
  type Origin,
  versionOf,
} from './definition-files.ts';
import { usedNames } from './uses.ts';

/** What a pull does with one file. `edited`: it has edits that were not pushed, and stays as it is. */
type Pulled = {
  readonly file: string;
  readonly shortId: string;
  readonly name: string | null;
  readonly state: 'new' | 'changed' | 'same' | 'edited';
  /** What the file is to hold; undefined where it stays as it is. */
  readonly text: string | undefined;
};

type PullInput = {
  readonly directory: string;
  readonly local: readonly LocalInsight[];
  readonly present: ReadonlyMap<string, Insight>;
  /** Where they are pulled from. */
  readonly project?: Origin | undefined;
  readonly names?: Names;
  /** Overwrite edits that were not pushed. */
  readonly force: boolean;
};

/** Decides for every insight. Throws `check` where both the file and the insight have changed since they were the same. */
export function planPull(input: PullInput): readonly Pulled[] {
  const { directory, local, present, project, names = NO_NAMES, force } = input;
  const files = new Map(local.map((one) => [one.shortId, one]));
  const conflicts: string[] = [];
  const plan = [...present].map(([shortId, insight]): Pulled => {
    const found = files.get(shortId);
    const marks = { project, names: usedNames(definitionOf(insight), names) };
    const text = fileText(insight, marks);
    const pulled = { shortId, name: insight.name ?? null, file: join(directory, fileName(insight)), text };
    if (found === undefined) return { ...pulled, state: 'new' };
    const kept = { ...pulled, file: found.file };
    if (found.text === text || isSame(found, insight, marks))
      return { ...kept, state: 'same', text: undefined };
    if (force || !hasOwnEdits(found, insight)) return { ...kept, state: 'changed' };
    if (versionOf(insight).digest !== found.version?.digest) conflicts.push(found.file);
    return { ...kept, state: 'edited', text: undefined };
  });
  if (conflicts.length === 0) return plan;
  throw new CliError('check', `changed both here and in the project: ${conflicts.join(', ')}`, {
    hint: 'keep a copy of your edits; --force overwrites them, and push --force overwrites the project',
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

/** Writes the files that are to change. */
export async function writePulled(plan: readonly Pulled[], context: Context): Promise<void> {
  for (const { file, text } of plan) {
    if (text !== undefined) await context.files.writeText(file, text);
  }
}

/** Prints what a pull did with each file, and warns about files that are not what the project has. */
export async function showPulled(
  plan: readonly Pulled[],
  {
    local,
    present,
  }: { readonly local: readonly LocalInsight[]; readonly present: ReadonlyMap<string, Insight> },
  context: Context,
): Promise<void> {
  const rows = plan.map(({ file, shortId, name, state }) => ({ file, short_id: shortId, name, state }));
  await context.print(rows, [
    { key: 'file' },
    { key: 'short_id', kind: 'id' },
    { key: 'name' },
    { key: 'state' },
  ]);
  for (const { file } of plan.filter(({ state }) => state === 'edited')) {
    context.warn(`warning: ${file} has edits that were not pushed, so it stays as it is`);
  }
  for (const { file, shortId } of local) {
    if (shortId === undefined || present.has(shortId)) continue;
    context.warn(`warning: ${file} stays, but the project has no insight ${shortId} any more`);
  }
}
