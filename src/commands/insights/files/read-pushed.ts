import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { type LocalInsight, readFolder } from './read-folder.ts';

/** The files to push. Throws a usage error for a folder without any: with --prune it would delete everything. */
export async function readPushed(directory: string, context: Context): Promise<readonly LocalInsight[]> {
  const local = await readFolder(directory, context);
  if (local === undefined) throw usageError(`there is no folder ${directory}`, 'insights pull makes one');
  if (local.length === 0)
    throw usageError(`${directory} holds no files of insights`, 'insights pull fills it');
  return local;
}
