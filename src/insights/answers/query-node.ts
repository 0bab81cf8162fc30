import type { GivenNode, Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { asObject, type Json, type JsonObject } from '../../json/kinds.ts';
import { parseJson } from '../../json/text.ts';
import { checkQueryNode, type NodeFault, pathText } from '../../semantics/query-node.ts';

/** Options of commands that store a query node. */
export const nodeOptions = {
  query: { type: 'node', description: 'Query node as JSON' },
  unchecked: { type: 'flag', description: 'Send the query without comparing it with the known fields' },
} as const satisfies Options;

/** A query node, or a string that holds one. Throws a usage error for anything that would wipe the insight. */
export function readDefinition(given: Json): JsonObject {
  const node = asObject(typeof given === 'string' ? parseNested(given) : given);
  if (node !== undefined && Object.keys(node).length > 0) return node;
  throw usageError(
    '--query is not a query node',
    'a node is an object such as {"kind":"InsightVizNode","source":{…}}',
  );
}

function parseNested(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw usageError(
      `--query is a string that contains no JSON, ${cause.message}`,
      'give the query node itself',
    );
  }
}

/** The node of `--query`, compared with what the service knows unless `unchecked`. Throws a usage error that names the place. */
export async function readGivenNode(
  { value, text, source }: GivenNode,
  unchecked: boolean,
  { note }: Pick<Context, 'note'>,
): Promise<JsonObject> {
  const node = readDefinition(value);
  if (unchecked) return node;
  const { faults, note: told } = await examineNode(node, {
    file: source ?? '--query',
    // The text of a nested one has other lines.
    text: source === undefined || typeof value === 'string' ? undefined : text,
    path: [],
  });
  refuseUnknown(faults);
  if (told !== undefined) note(told);
  return node;
}

type Origin = {
  readonly file: string;
  /** The text of the file, if lines can be counted in it. */
  readonly text: string | undefined;
  /** Where the node stands in the text. */
  readonly path: NodeFault['path'];
};

/** What the service would refuse, with its place. */
type UnknownPart = { readonly message: string; readonly likely: string | undefined };

type Examined = {
  readonly faults: readonly UnknownPart[];
  /** What could not be compared. */
  readonly note?: string;
};

/** Compares a node with what the service knows. */
export async function examineNode(node: JsonObject, { file, text, path }: Origin): Promise<Examined> {
  const { faults, undescribed } = await checkQueryNode(node);
  const toPart = async ({ path: inner, message, likely }: NodeFault) => {
    const place = [...path, ...inner];
    const line = text === undefined ? undefined : await lineOf(place, text);
    const where = line === undefined ? file : `${file}, line ${line}`;
    return { message: `${where}: ${pathText(place)}: ${message}`, likely };
  };
  if (faults.length > 0) return { faults: await Promise.all(faults.map(toPart)) };
  if (undescribed.length === 0) return { faults };
  const kinds = undescribed.join(' and ');
  return { faults, note: `${kinds} in ${file} was not checked: hogctl does not know its fields.` };
}

const MOST_TOLD = 20;

/** Throws a usage error that names all of the parts, if there are any. */
export function refuseUnknown(parts: readonly UnknownPart[]): void {
  const [first, second] = parts;
  if (first === undefined) return;
  const meant = ({ likely }: UnknownPart) => (likely === undefined ? [] : [`did you mean "${likely}"?`]);
  if (second === undefined) {
    const nothing = first.likely === undefined ? 'nothing' : 'Nothing';
    const hint = [...meant(first), `${nothing} was sent; --unchecked sends it as it is`];
    throw usageError(first.message, hint.join(' '));
  }
  const told = parts.slice(0, MOST_TOLD).map((part) => [part.message, ...meant(part)].join('; '));
  const more = parts.length > MOST_TOLD ? [`and ${parts.length - MOST_TOLD} more`] : [];
  throw usageError(
    `the service does not take ${parts.length} parts of what was to be sent:\n${[...told, ...more].join('\n')}`,
    'nothing was sent; --unchecked sends it as it is',
  );
}

/** The line of a place in JSON text, or of the innermost thing around it that is there. */
async function lineOf(path: NodeFault['path'], text: string): Promise<number | undefined> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  // JSON is YAML.
  let node: unknown = parseDocument(text, { lineCounter, uniqueKeys: false }).contents;
  let found = isMap(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    const pair = isMap(node)
      ? node.items.findLast(({ key }) => isScalar(key) && key.value === step)
      : undefined;
    const item = isSeq(node) && typeof step === 'number' ? node.items[step] : pair?.value;
    const place = (isScalar(pair?.key) ? pair.key.range : rangeOf(item))?.[0];
    if (place === undefined) break;
    found = place;
    node = item;
  }
  return found === undefined ? undefined : lineCounter.linePos(found).line;
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? node.range
    : undefined;
}
