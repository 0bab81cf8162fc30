import { insights } from '../../../api/endpoints/insights.ts';
import type { Insight } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { idText } from '../../id-text.ts';
import { inPart } from '../in-part.ts';
import { describeInsight } from '../say-insight.ts';
import type { Definition } from './definition.ts';
import { fileText } from './insight-file.ts';
import { type Change, isStale } from './plan-push.ts';
import type { LocalInsight } from './read-folder.ts';
import { isForPeople } from './show-changes.ts';

type Wish = { readonly local: readonly LocalInsight[]; readonly force: boolean };

/** What was done, as a row. */
type Done = { readonly action: string; readonly file: string | null; readonly insight: Insight | undefined };

/** Sends the changes one by one and writes what came of each into its file. Throws `partial` where some were done. */
export async function carryOut(changes: readonly Change[], wish: Wish, context: Context): Promise<void> {
  const done: Done[] = [];
  try {
    for (const change of changes) {
      const one = await carryOutOne(change, wish, context);
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

async function carryOutOne(change: Change, wish: Wish, context: Context): Promise<Done> {
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
  if (!wish.force && !context.dryRun) await refuseStale(change, { id, local: wish.local }, context);
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
