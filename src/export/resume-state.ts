import { basename, dirname, join } from 'node:path';
import type { Context } from '../cli/context.ts';
import { excerpt, usageError } from '../errors.ts';
import { asList, asObject, filled, type Json, type JsonObject } from '../json/kinds.ts';
import { parseJson, toJsonText } from '../json/text.ts';
import { conditionParameters, type PersonConditions } from '../service/person-conditions.ts';
import { exportColumns, type ListPlace } from './persons-by-list.ts';

export type Way = 'query' | 'list';

/** How far an export is: the way it goes, the id of its last row, how many rows it has, and its place in the list. */
export type Place = {
  readonly way: Way;
  readonly after: string | null;
  readonly rows: number;
  readonly list?: ListPlace;
};

/** How far an export is, and what it must have in common with the command that goes on with it. */
export type State = {
  readonly host: string;
  readonly project: string;
  readonly file: string;
  readonly format: string;
  readonly columns: string;
  /** What selects the persons, as JSON; `{}` for all of them. */
  readonly conditions: string;
  /** Length of the file up to the place. */
  readonly bytes: number;
  readonly place: Place | null;
  readonly complete: boolean;
};

const SAME = ['host', 'project', 'file', 'format', 'columns', 'conditions'] as const;

/** The state in a file, or the first one: after a complete export too, which a note says. Throws for another export's. */
export async function readState(
  path: string,
  conditions: PersonConditions,
  context: Context,
): Promise<State> {
  const fresh = await firstState(conditions, context);
  const names = await context.files.list(dirname(path));
  if (names?.includes(basename(path)) !== true) return fresh;
  const found = asState(await parse(path, context));
  if (found === undefined) throw usageError(`${path} is not the state of an export`, 'choose another file');
  const other = SAME.find((name) => found[name] !== fresh[name]);
  if (other !== undefined) {
    throw usageError(
      `${path} belongs to another export: its ${other} ${other.endsWith('s') ? 'are' : 'is'} ${excerpt(found[other])}, not ${excerpt(fresh[other])}`,
      'repeat the command of that export, or choose another file',
    );
  }
  if (!found.complete) return found;
  context.note(`The export to ${found.file} is complete, so a new one starts.`);
  return fresh;
}

/** Writes the state, whole. It names persons. */
export async function writeState(path: string, state: State, context: Context): Promise<void> {
  await context.files.writeText(path, `${toJsonText(state, { indent: 2 })}\n`, { secret: true });
}

/** Removes what is left of an export that was killed while it wrote the state. None may be at work. */
export async function removeUnfinished(path: string, { files }: Context): Promise<void> {
  const start = `.${basename(path)}.`;
  for (const name of (await files.list(dirname(path))) ?? []) {
    const isUnfinished = name.startsWith(start) && /^\d+-\w+\.part$/.test(name.slice(start.length));
    if (isUnfinished) await files.remove(join(dirname(path), name));
  }
}

async function firstState(conditions: PersonConditions, context: Context): Promise<State> {
  const { host, project } = await context.settings();
  const { save = '', output = '', columns, headers } = context.options;
  return {
    host: host.address,
    project: project.id,
    file: save,
    format: output,
    columns: `${(columns ?? exportColumns.map(({ key }) => key)).join(',')}${headers === false ? ', no headers' : ''}`,
    conditions: toJsonText(filled(conditionParameters(conditions))),
    bytes: 0,
    place: null,
    complete: false,
  };
}

async function parse(path: string, context: Context): Promise<Json> {
  try {
    return parseJson(await context.files.readText(path));
  } catch {
    // Whatever it is, it was not written by an export.
    return null;
  }
}

function asState(value: Json): State | undefined {
  // Earlier versions took no conditions, and wrote none down.
  const object: JsonObject = { conditions: '{}', ...asObject(value) };
  if (!SAME.every((name) => typeof object[name] === 'string')) return undefined;
  const place = object.place === null ? null : asPlace(asObject(object.place));
  const isWhole =
    typeof object.bytes === 'number' && typeof object.complete === 'boolean' && place !== undefined;
  // Each field was looked at.
  return isWhole ? (object as State) : undefined;
}

function asPlace(object: JsonObject | undefined): Place | undefined {
  if (object === undefined) return undefined;
  const { way, after, rows } = object;
  const list = asListPlace(asObject(object.list));
  const isPlace =
    (way === 'query' || (way === 'list' && list !== undefined)) &&
    (after === null || typeof after === 'string') &&
    typeof rows === 'number';
  return isPlace ? { way, after, rows, ...(list === undefined ? {} : { list }) } : undefined;
}

function asListPlace(object: JsonObject | undefined): ListPlace | undefined {
  const { offset } = object ?? {};
  const { count, first } = asObject(object?.unmet) ?? {};
  const unmet =
    typeof count === 'number' && typeof first === 'string' ? { count, first } : { count: 0, first: '' };
  const last = asList(object?.last)?.filter((id) => typeof id === 'string');
  return typeof offset === 'number' && last !== undefined ? { offset, last, unmet } : undefined;
}
