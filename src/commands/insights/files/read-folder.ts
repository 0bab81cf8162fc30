import { join } from 'node:path';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import type { Json } from '../../../json/kinds.ts';
import { type InsightFile, readInsightFile } from './insight-file.ts';

/** A file with its path and its text. */
export type LocalInsight = InsightFile & { readonly file: string; readonly text: string };

/**
 * The insights in a folder, undefined where there is no such folder. Throws a usage error for a JSON file that is not
 * one of an insight, and for two files of one insight.
 */
export async function readFolder(
  directory: string,
  context: Context,
): Promise<readonly LocalInsight[] | undefined> {
  const names = await context.files.list(directory);
  if (names === undefined) return undefined;
  const found: LocalInsight[] = [];
  const seen = new Map<string, string>();
  for (const name of names.filter((one) => one.endsWith('.json') && !one.startsWith('.'))) {
    const file = join(directory, name);
    const text = await context.files.readText(file);
    const insight = { ...readInsightFile(file, await parse(file, text, context)), file, text };
    const twin = insight.shortId === undefined ? undefined : seen.get(insight.shortId);
    if (twin !== undefined)
      throw usageError(
        `${twin} and ${file} both are insight ${insight.shortId}`,
        'take short_id and version out of the copy to create another insight of it',
      );
    if (insight.shortId !== undefined) seen.set(insight.shortId, file);
    found.push(insight);
  }
  return found;
}

async function parse(file: string, text: string, context: Context): Promise<Json> {
  try {
    return await context.files.parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(`${file} is not JSON, ${cause.message}`);
  }
}
