import type { Context } from '../../../cli/context.ts';
import { failedIds } from '../../../erasure/failed-ids.ts';
import type { IdKind } from '../../../erasure/ids.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import { counted } from '../../../errors.ts';

/**
 * Writes the ids to feed back in, readable by their owner only: CSV that `--from --as` takes again, a file for each kind
 * if there are several. Where nothing failed the file holds its heading alone, so that an older one is not taken for it.
 */
export async function writeFailed(file: string, run: RunRecord, context: Context): Promise<void> {
  const kinds = new Map<IdKind, string[]>();
  for (const { kind, id } of failedIds(run)) {
    const ids = kinds.get(kind) ?? [];
    ids.push(id);
    kinds.set(kind, ids);
  }
  const [first = 'ids'] = run.plan.groups.map(({ kind }) => kind);
  if (kinds.size === 0) {
    await context.files.writePrivate(file, [heading(first)]);
    context.note(`No id is left to do: ${file} holds none.`);
  }
  for (const [kind, ids] of kinds) {
    const name = kinds.size > 1 ? `${file}.${kind}` : file;
    await context.files.writePrivate(name, [heading(kind), ...ids.map((id) => `${csvCell(id)}\n`)]);
    context.note(`${counted(ids.length, 'id')} to feed back in: --from ${name} --as ${kind}`);
  }
}

function heading(kind: IdKind): string {
  return kind === 'ids' ? 'id\n' : 'distinct_id\n';
}

/** Quoted always, so that every reader takes the file for CSV of one column. */
function csvCell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
