import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { chooseShell } from './choose-shell.ts';
import { withLines, withoutLines } from './marked-lines.ts';
import { type Places, shellPlaces } from './shell-places.ts';
import type { Shell } from './write-completion.ts';

/** What happens to one file; `text` is what it will hold, undefined where it goes. */
export type FileChange = {
  readonly file: string;
  readonly change: 'write' | 'add lines' | 'change lines' | 'remove lines' | 'remove' | 'none';
  readonly text: string | undefined;
  /** The lines of ours, where they are but a part of the file. */
  readonly lines?: readonly string[];
};

type Asked = { readonly shell?: Shell | undefined; readonly startFile?: string | undefined };

/** The shell that is meant, and where its files are. */
export async function placesFor({ shell: named, startFile }: Asked, context: Context) {
  const shell = await chooseShell(named, context);
  const file = startFile === undefined ? undefined : context.files.absolutePath(startFile);
  const { environment, platform } = context;
  return { shell, places: shellPlaces(shell, { environment, platform, startFile: file }) };
}

/** Every script says so in its first lines. */
const OURS = '# Completion of hogctl for ';

async function readOwn(file: string, context: Context): Promise<string | undefined> {
  const text = await context.files.readIfThere(file);
  if (text === undefined || text.slice(0, 200).includes(OURS)) return text;
  throw usageError(`${file} was not written by hogctl`, 'move it away first');
}

/** What puts the script in its place. Reads, and writes nothing. */
export async function planInstall(
  { script, start }: Places,
  text: string,
  context: Context,
): Promise<readonly FileChange[]> {
  const before = await readOwn(script, context);
  const own: FileChange = { file: script, change: before === text ? 'none' : 'write', text };
  if (start === undefined) return [own];
  const { file, lines } = start;
  const old = (await context.files.readIfThere(file)) ?? '';
  const after = withLines(old, lines, file);
  const kind = withoutLines(old, file) === old ? 'add lines' : 'change lines';
  return [own, { file, change: after === old ? 'none' : kind, text: after, lines }];
}

/** What takes it away again. */
export async function planUninstall(
  { script, start }: Places,
  context: Context,
): Promise<readonly FileChange[]> {
  const before = await readOwn(script, context);
  const own: FileChange = { file: script, change: before === undefined ? 'none' : 'remove', text: undefined };
  const old = start && (await context.files.readIfThere(start.file));
  if (start === undefined || old === undefined) return [own];
  const { file, lines } = start;
  const after = withoutLines(old, file);
  return [own, { file, change: after === old ? 'none' : 'remove lines', text: after, lines }];
}
