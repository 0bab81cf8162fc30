import { parseSql } from './sql-parser.ts';
import { checkCalls, refuseOffset, SqlError } from './sql-tree.ts';

/** What the service would refuse in a text, and where, in characters. */
export type SqlFault = { readonly message: string; readonly at: number | undefined };

/**
 * Reads a text as the service does with a personal API key: grammar, functions and their numbers of arguments, OFFSET.
 * Names of tables and columns are not looked at. Throws a usage error if the parser is not installed.
 */
export async function findSqlFault(text: string, signal: AbortSignal): Promise<SqlFault | undefined> {
  try {
    const tree = await parseSql(text, signal);
    checkCalls(tree);
    refuseOffset(tree);
    return undefined;
  } catch (cause) {
    if (cause instanceof SqlError) return { message: cause.message, at: cause.at };
    throw cause;
  }
}
