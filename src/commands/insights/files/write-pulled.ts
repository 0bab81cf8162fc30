import type { Insight } from '../../../api/schemas.ts';
import type { Context } from '../../../cli/context.ts';
import type { Pulled } from './plan-pull.ts';
import type { LocalInsight } from './read-folder.ts';

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
