import type { Context } from '../cli/context.ts';
import { CliError, counted } from '../errors.ts';
import type { SkippedLine } from './collect-ids.ts';
import { inPages } from './report.ts';

/** Writes the lines that are left out, with their own columns, for whoever made the list; readable by its owner only. */
export async function writeSkipped(
  file: string,
  skipped: readonly SkippedLine[],
  context: Context,
): Promise<void> {
  const own = new Set(skipped.flatMap((line) => Object.keys(line.own)));
  const names = ['line', 'reason'].map((name) => (own.has(name) ? `hogctl_${name}` : name));
  const [lineName = '', reasonName = ''] = names;
  const rows = skipped.map((one) => ({ ...one.own, [lineName]: one.line, [reasonName]: one.reason }));
  const columns = [...names, ...own].map((key) => ({ key }));
  const { output = 'table' } = context.options;
  const how = { format: output === 'table' ? 'csv' : output, columns: undefined } as const;
  await context.files.writeRows(file, inPages(rows), columns, how);
  context.warn(`warning: ${countLines(skipped)} left out, see ${file}`);
}

function countLines({ length }: readonly SkippedLine[]): string {
  return `${counted(length, 'line')} ${length === 1 ? 'is' : 'are'}`;
}

/** Throws `partial` if lines were left out: not all that was asked for is done. */
export function endWithSkipped(
  skipped: readonly SkippedLine[],
  { skipOdd = '' }: { readonly skipOdd?: string | undefined },
  { dryRun }: Pick<Context, 'dryRun'>,
): void {
  if (skipped.length === 0) return;
  throw new CliError('partial', `${countLines(skipped)} left out`, {
    hint: dryRun
      ? `without --dry-run, ${skipOdd} tells which and why`
      : `correct the lines of ${skipOdd} and give them again; all others were taken`,
  });
}
