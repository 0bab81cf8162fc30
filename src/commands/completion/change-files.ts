import type { Context } from '../../cli/context.ts';
import type { FileChange } from './plan-changes.ts';

/** Shows the changes and makes them, the script before the lines that name it. A dry run shows the lines as well. */
export async function changeFiles(changes: readonly FileChange[], context: Context): Promise<void> {
  for (const { file, change, text } of context.dryRun ? [] : changes) {
    if (change === 'none') continue;
    if (text === undefined) await context.files.remove(file);
    else await context.files.writeText(file, text);
  }
  const rows = changes.map(({ file, change, lines }) => ({ change, file, lines: lines ?? null }));
  await context.print(rows, [{ key: 'change' }, { key: 'file', kind: 'id' }]);
  if (!context.dryRun) return;
  for (const { file, change, lines = [] } of changes) {
    if (change === 'none' || lines.length === 0) continue;
    context.note(`The lines of ${file}, between two marks:`);
    for (const line of lines) context.note(`  ${line}`);
  }
}
