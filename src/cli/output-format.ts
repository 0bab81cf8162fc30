import type { Page } from '../http/pages.ts';
import type { Json } from '../json/kinds.ts';
import type { Column } from '../json/path.ts';
import type { Look } from '../print/columns.ts';
import type { DataStream, System } from '../system/system.ts';
import type { GlobalOptions } from './command/options.ts';

/** Rows of a list (an array, or pages as they arrive), or one record. */
export type Printable = Json | AsyncIterable<Pick<Page, 'rows'>> | AsyncIterable<readonly Json[]>;

/** How data is shown: options first, then the environment, then what the stream can do. */
export function outputFormat(system: System, options: GlobalOptions, columns?: readonly Column[]): Look {
  const terminal = options.save === undefined && system.stdout.isTTY === true;
  return {
    format: options.output ?? 'table',
    columns: options.columns,
    defaultColumns: columns,
    headers: options.headers ?? true,
    width: terminal ? Math.max(40, system.stdout.columns ?? 80) : undefined,
    color: options.save === undefined && hasColor(system, options, system.stdout),
    unicode: hasUnicode(system),
    spreadsheetSafe: options.spreadsheetSafe ?? false,
  };
}

/** `--color` decides; then `NO_COLOR` (set and not empty), `FORCE_COLOR`, and whether it is a terminal that can. */
export function hasColor(
  system: System,
  { color }: GlobalOptions,
  stream: Pick<DataStream, 'isTTY'>,
): boolean {
  if (color === 'always') return true;
  if (color === 'never' || system.environment.NO_COLOR) return false;
  const forced = system.environment.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && system.environment.TERM !== 'dumb';
}

/** Whether the terminal and its locale show more than ASCII. */
export function hasUnicode({ environment, platform }: System): boolean {
  if (environment.TERM === 'dumb') return false;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG;
  return platform === 'win32' || !locale || /utf-?8/.test(locale.toLowerCase());
}
