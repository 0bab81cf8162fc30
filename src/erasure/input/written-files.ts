import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';

type FileOptions = {
  readonly from?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
  readonly receipt?: string | undefined;
  readonly force?: boolean | undefined;
};

/**
 * Tries the files that a command is to write, unless it is a dry run. Throws a usage error for one that cannot be
 * written, and for one that would take the place of what the command reads or writes beside it, or of an older answer.
 */
export async function tryFiles(input: FileOptions, context: Context): Promise<void> {
  const { from = [], except = [], receipt, force } = input;
  const { save } = context.options;
  const written = { '--receipt': receipt, '--save': save };
  if (Object.values(written).every((file) => file === undefined)) return;
  const { dryRun, files } = context;
  const named = [
    ...from.map((file) => ({ option: '--from', file })),
    ...except.map((file) => ({ option: '--except', file })),
  ];
  const known = new Map(named.map(({ option, file }) => [files.realPathOf(file), option]));
  for (const [option, file] of Object.entries(written)) {
    if (file === undefined) continue;
    const path = files.realPathOf(file);
    const other = known.get(path);
    // A device, such as /dev/null, is no file that could be lost.
    if (other !== undefined && !/^\/dev\/(?!shm\/)/.test(path))
      throw usageError(`${option} and ${other} name one file, ${file}`, 'give each a file of its own');
    known.set(path, option);
    if (option === '--receipt' && !force && files.isFile(path))
      throw usageError(`${file} is there already`, 'name another file, or write over it with --force');
    if (!dryRun && option !== '--save') await files.tryPrivate(file);
  }
}
