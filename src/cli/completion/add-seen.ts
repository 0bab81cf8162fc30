import { type Known, MOST, type Place, VERSION } from './known.ts';

/** What one command has shown. */
export type Seen = {
  readonly insights: ReadonlyMap<string, string>;
  /** Short ids of insights that are deleted. */
  readonly gone: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
};

/** What was known, and what a command has shown now. Where a list is full, what was found first goes. */
export function addSeen(known: Known, seen: Seen, command: string): Known {
  const insights = new Map(known.insights);
  for (const [shortId, name] of seen.insights) insights.set(shortId, name);
  for (const shortId of seen.gone) insights.delete(shortId);
  const properties = [...new Set([...known.properties, ...seen.properties])];
  const columns = new Map(Object.entries(known.columns));
  if (seen.columns.size > 0) columns.set(command, [...seen.columns].slice(0, MOST.columns));
  return {
    insights: [...insights].slice(-MOST.insights),
    properties: properties.slice(-MOST.properties),
    columns: Object.fromEntries([...columns].slice(-MOST.commands)),
  };
}

/** The text of a file that keeps it. */
export function writeKnown(known: Known, place: Place): string {
  return `${JSON.stringify({ version: VERSION, ...place, ...known })}\n`;
}
