import type { Insight } from '../../../api/schemas.ts';
import { CliError } from '../../../errors.ts';
import {
  changedFields,
  type Definition,
  type DefinitionField,
  definitionOf,
  versionOf,
} from './definition.ts';
import { shortIdOf } from './insight-file.ts';
import type { LocalInsight } from './read-folder.ts';

/** One thing that a push does. */
export type Change =
  | { readonly action: 'create'; readonly file: string; readonly wanted: Definition }
  | {
      readonly action: 'change';
      readonly file: string;
      readonly wanted: Definition;
      readonly insight: Insight;
      readonly fields: readonly DefinitionField[];
    }
  | { readonly action: 'delete'; readonly insight: Insight };

type Wish = {
  readonly local: readonly LocalInsight[];
  readonly present: ReadonlyMap<string, Insight>;
  /** Overwrite what was changed since. */
  readonly force: boolean;
  /** Delete insights that have no file. */
  readonly prune: boolean;
};

/** What differs. Throws `check`, naming every file, where an insight has changed since its file was pulled or is gone. */
export function planPush({ local, present, force, prune }: Wish): readonly Change[] {
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

/** Whether an insight is in another state than the one its file came from. */
export function isStale({ version }: Pick<LocalInsight, 'version'>, insight: Insight): boolean {
  const now = versionOf(insight);
  return version === undefined || version.digest !== now.digest || version.modified !== now.modified;
}

function staleError(stale: readonly LocalInsight[]): CliError {
  const files = stale.map(({ file }) => file).join(', ');
  return new CliError('check', `changed in the project since the file was pulled: ${files}`, {
    hint: 'keep a copy of your edits and pull; --force overwrites what the project has',
  });
}

function goneError(gone: readonly LocalInsight[]): CliError {
  const files = gone.map(({ file, shortId }) => `${file} (${shortId})`).join(', ');
  return new CliError('check', `the project has no such insight any more: ${files}`, {
    hint: 'remove the file, or its short_id to create the insight anew; insights restore undoes a deletion',
  });
}
