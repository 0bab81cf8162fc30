import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSqlFault } from '../../src/semantics/sql-parser.ts';

/** Where stub servers note the SQL that they are sent, one JSON text a line. The sandbox reads its own. */
const NOTES = 'SQL_TEXTS';

/** Random words that tests hand to `hogctl query` are no SQL. */
const SQL = /^select\b.*\bfrom\b/is;

const noted = new Set<string>();

/** Notes the SQL of a request, if it is one of SQL. */
export function noteSql(request: unknown): void {
  const { query } = Object(Object(request).query);
  const path = process.env[NOTES];
  if (typeof query !== 'string' || !SQL.test(query) || path === undefined || noted.has(query)) return;
  noted.add(query);
  appendFileSync(path, `${JSON.stringify(query)}\n`);
}

/** Each different text of a whole run is read once, at its end, by the service's own parser. */
export function setup(): (() => Promise<void>) | undefined {
  // Each project asks; the first one makes the place.
  if (process.env[NOTES] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'hogctl-sql-'));
  const path = join(folder, 'texts');
  process.env[NOTES] = path;
  return async () => {
    const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    rmSync(folder, { recursive: true });
    delete process.env[NOTES];
    const texts: readonly string[] = [...new Set(lines)].map((line) => JSON.parse(line));
    const faults = await findFaults(texts);
    if (faults.length === 0) return;
    process.exitCode = 1;
    throw new Error(`the service would refuse SQL that hogctl sent to stub servers:\n${faults.join('\n')}`);
  };
}

async function findFaults(texts: readonly string[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const text of texts) {
    const fault = await findSqlFault(text, AbortSignal.timeout(20_000));
    if (fault !== undefined) faults.push(`${JSON.stringify(text)}: ${fault.message}`);
  }
  return faults;
}
