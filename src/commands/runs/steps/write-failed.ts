import type { Context } from '../../../cli/context.ts';
import { failedIds } from '../../../erasure/failed-ids.ts';
import type { RunRecord } from '../../../erasure/run.ts';

/** Writes the ids to feed back in, readable by their owner only: CSV that `--from --as` takes again, a kind a file. */
export async function writeFailed(file: string, run: RunRecord, context: Context): Promise<void> {
  const kinds = new Map<string, string[]>();
  for (const { kind, id } of failedIds(run)) {
    const ids = kinds.get(kind) ?? [];
    ids.push(id);
    kinds.set(kind, ids);
  }
  const several = kinds.size > 1;
  for (const [kind, ids] of kinds) {
    const name = several ? `${file}.${kind}` : file;
    await context.writePrivate(name, [
      `${kind === 'ids' ? 'id' : 'distinct_id'}\n`,
      ...ids.map((id) => `${csvCell(id)}\n`),
    ]);
    context.note(`${ids.length} ids to feed back in: --from ${name} --as ${kind}`);
  }
  if (kinds.size === 0) context.note(`No id failed, so ${file} was not written.`);
}

/** Quoted always, so that every reader takes the file for CSV of one column. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
