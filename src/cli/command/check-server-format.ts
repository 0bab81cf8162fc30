import { usageError } from '../../errors.ts';
import type { GlobalOptions } from './global-options.ts';
import type { RawOptions } from './parsed.ts';

/**
 * Throws a usage error for what has no effect on an answer that is passed on as it came: it is one page, whose rows
 * nobody has looked at.
 */
export function checkServerFormat(
  { serverFormat, columns, headers, spreadsheetSafe }: GlobalOptions,
  { all, paginate }: RawOptions,
): void {
  if (serverFormat === undefined) return;
  const idle = [
    ...(all === true ? ['--all'] : []),
    ...(paginate === true ? ['--paginate'] : []),
    ...(columns === undefined ? [] : ['--columns']),
    ...(headers === false ? ['--no-headers'] : []),
    ...(spreadsheetSafe === true ? ['--spreadsheet-safe'] : []),
  ];
  if (idle.length === 0) return;
  throw usageError(
    `--server-format passes one answer on as it came, so ${idle.join(' and ')} would do nothing`,
    'take -o csv or -o json in its place, which heed every option',
  );
}
