import { isKept, isShortId } from './kept-words.ts';

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

export const VERSION = 1;
export const MOST = { insights: 200, properties: 500, columns: 150, commands: 60 };
export const NOTHING: Known = { insights: [], properties: [], columns: {} };

/**
 * What a file keeps. Its words are checked again, since somebody else may have written it. One that is damaged, of
 * another version or of another project holds nothing.
 */
export function readKnown(text: string, place: Place): Known {
  const found = parse(text);
  if (found.version !== VERSION || found.host !== place?.host || found.project !== place?.project)
    return NOTHING;
  // Tab asks for one of the three, and pays for no more.
  return {
    get insights() {
      return list(found.insights).filter(isInsight).slice(0, MOST.insights);
    },
    get properties() {
      return keys(found.properties).slice(0, MOST.properties);
    },
    get columns() {
      const commands = Object.entries(record(found.columns)).slice(0, MOST.commands);
      return Object.fromEntries(
        commands.map(([command, names]) => [command, keys(names).slice(0, MOST.columns)]),
      );
    },
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

function isInsight(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [shortId, name] = value;
  return typeof shortId === 'string' && isShortId(shortId) && typeof name === 'string';
}
