import type { Column, Look } from '../output/look.ts';
import type { GlobalOptions } from './command/global-options.ts';
import type { DataStream, Outside } from './outside/outside.ts';

/** How data is shown: options first, then the environment, then what the stream can do. */
export function lookOf(outside: Outside, options: GlobalOptions, columns?: readonly Column[]): Look {
  const terminal = options.save === undefined && outside.stdout.isTTY === true;
  return {
    format: options.output ?? 'table',
    columns: options.columns,
    defaultColumns: columns,
    headers: options.headers ?? true,
    width: terminal ? Math.max(40, outside.stdout.columns ?? 80) : undefined,
    color: options.save === undefined && hasColor(outside, options, outside.stdout),
    unicode: hasUnicode(outside),
    spreadsheetSafe: options.spreadsheetSafe ?? false,
  };
}

/** `--color` decides; then `NO_COLOR` (set and not empty), `FORCE_COLOR`, and whether it is a terminal that can. */
export function hasColor(
  outside: Outside,
  { color }: GlobalOptions,
  stream: Pick<DataStream, 'isTTY'>,
): boolean {
  if (color === 'always') return true;
  if (color === 'never' || outside.environment.NO_COLOR) return false;
  const forced = outside.environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && outside.environment.TERM !== 'dumb';
}

/** Whether the terminal and its locale show more than ASCII. */
export function hasUnicode({ environment, platform }: Outside): boolean {
  if (environment.TERM === 'dumb') return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return platform === 'win32' || !locale || /utf-?8/.test(locale.toLowerCase());
}
