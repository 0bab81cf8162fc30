import { isKept, isShortId, plainName } from './kept-words.ts';

/** What ordinary commands have shown of one project, for completion: names alone, no values. */
export type Known = {
  readonly insights: readonly (readonly [shortId: string, name: string])[];
  /** Keys of properties of persons. */
  readonly properties: readonly string[];
  /** Of the last answer of each command. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
};

/** Project and host that something is known of; `undefined` for what belongs to no project. */
export type Place = { readonly host: string; readonly project: string } | undefined;

/** What one command has shown. */
export type Seen = {
  readonly insights: ReadonlyMap<string, string>;
  /** Short ids of insights that are deleted. */
  readonly gone: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
};

const VERSION = 1;
const MOST = { insights: 200, properties: 500, columns: 150, commands: 60 };
export const NOTHING: Known = { insights: [], properties: [], columns: {} };

/** What was known, and what a command has shown now. Where a list is full, what was seen longest ago goes. */
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

/** What a file keeps. One that is damaged, of another version or of another project holds nothing. */
export function readKnown(text: string, place: Place): Known {
  const found = parse(text);
  if (found.version !== VERSION || found.host !== place?.host || found.project !== place?.project)
    return NOTHING;
  return {
    insights: list(found.insights).filter(isInsight).slice(0, MOST.insights),
    properties: keys(found.properties).slice(0, MOST.properties),
    columns: Object.fromEntries(
      Object.entries(record(found.columns))
        .slice(0, MOST.commands)
        .map(([command, names]) => [command, keys(names).slice(0, MOST.columns)]),
    ),
  };
}

/** The name of that file: readable, and safe on every disk. Long ones may meet, so the text names the place too. */
export function fileNameOf(place: Place): string {
  if (place === undefined) return 'no-project.json';
  const host = place.host.replace(/^https?:\/\//, '').replace(/[^\w.-]+/g, '-');
  return `${host.slice(0, 150)}-${place.project.replace(/[^\w-]+/g, '-').slice(0, 40)}.json`;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text));
  } catch {
    // A damaged file is worth nothing, and the next command writes it anew.
    return {};
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function keys(value: unknown): readonly string[] {
  return list(value).filter((key): key is string => typeof key === 'string' && isKept(key));
}

/** Checked again on the way in, so that a file that somebody else wrote offers nothing that we would not. */
function isInsight(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [shortId, name] = value;
  return (
    typeof shortId === 'string' && isShortId(shortId) && typeof name === 'string' && plainName(name) === name
  );
}
