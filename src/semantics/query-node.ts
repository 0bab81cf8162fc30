import { closest } from '../errors.ts';
import { isExactNumber, isList, isObject, type Json, type JsonObject } from '../json/kinds.ts';

/** A part of a query node that the service does not know. */
export type NodeFault = {
  /** Where in the node: keys and positions. */
  readonly path: readonly (string | number)[];
  /** What is wrong there, without the place. */
  readonly message: string;
  /** The key or word that was most likely meant. */
  readonly likely: string | undefined;
};

export type CheckedNode = {
  readonly faults: readonly NodeFault[];
  /** Kinds of the service in it that are not described here, so that nothing is known of their fields. */
  readonly undescribed: readonly string[];
};

/** As much of JSON Schema as `queries.json` uses. */
type Schema = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly items?: Schema;
  readonly properties?: { readonly [key: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
};

type Descriptions = {
  readonly kinds: readonly string[];
  readonly otherKinds: readonly string[];
  readonly definitions: { readonly [name: string]: Schema };
};

/** Compares a query node with what PostHog publishes of its fields, types and words. */
export async function checkQueryNode(node: JsonObject): Promise<CheckedNode> {
  const { default: published } = await import('../service/queries.json', { with: { type: 'json' } });
  // Its literal type is that of each single line.
  const descriptions = published as unknown as Descriptions;
  const { kind } = node;
  const { kinds, otherKinds, definitions } = descriptions;
  if (typeof kind === 'string' && otherKinds.includes(kind)) return { faults: [], undescribed: [kind] };
  const undescribed = kindsIn(node).filter((one) => otherKinds.includes(one));
  if (typeof kind === 'string' && kinds.includes(kind))
    return {
      faults: faultsOf(node, definitions[kind] ?? {}, { definitions, path: [], name: kind }),
      undescribed,
    };
  return { faults: [wrongWord(kind, [...kinds, ...otherKinds], ['kind'])], undescribed };
}

/** The place as people write it: `source.series[0].event`. */
export function pathText(path: NodeFault['path']): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function kindsIn(value: Json): readonly string[] {
  if (isList(value)) return [...new Set(value.flatMap(kindsIn))];
  if (!isObject(value)) return [];
  const own = typeof value.kind === 'string' ? [value.kind] : [];
  return [...new Set([...own, ...Object.values(value).flatMap(kindsIn)])];
}

type Place = {
  readonly definitions: Descriptions['definitions'];
  readonly path: NodeFault['path'];
  /** What the object here is called. */
  readonly name: string;
};

function faultsOf(value: Json, schema: Schema, place: Place): readonly NodeFault[] {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return faultsOf(value, place.definitions[name] ?? {}, { ...place, name });
  }
  if (schema.anyOf !== undefined) return faultsOfUnion(value, branchesOf(schema, place), place);
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== undefined) return words.includes(value) ? [] : [wrongWord(value, words, place.path)];
  if (!fits(value, schema))
    return [{ path: place.path, message: wrongType(value, schema), likely: undefined }];
  if (isList(value)) {
    const { items = {} } = schema;
    return value.flatMap((item, at) => faultsOf(item, items, { ...place, path: [...place.path, at] }));
  }
  return isObject(value) && schema.properties !== undefined ? faultsOfFields(value, schema, place) : [];
}

function faultsOfFields(value: JsonObject, schema: Schema, place: Place): readonly NodeFault[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const keys = Object.keys(properties);
  const missing = required.filter((key) => value[key] === undefined);
  return [
    ...Object.entries(value).flatMap(([key, field]) => {
      const path = [...place.path, key];
      const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (known !== undefined) return faultsOf(field, known, { ...place, path, name: key });
      if (additionalProperties !== false) return [];
      const message = `${place.name} has no such field`;
      return [
        {
          path,
          message,
          likely: likelyOf(
            key,
            keys.filter((one) => value[one] === undefined),
          ),
        },
      ];
    }),
    ...missing.map((key) => ({
      path: [...place.path, key],
      message: `${place.name} needs this field`,
      likely: undefined,
    })),
  ];
}

type Branch = { readonly name: string; readonly schema: Schema };

/** All that a value may be, unions in unions included. */
function branchesOf({ anyOf = [] }: Schema, { definitions, name }: Place): readonly Branch[] {
  return anyOf.flatMap((part): readonly Branch[] => {
    const named = part.$ref === undefined ? name : nameOf(part.$ref);
    const schema = part.$ref === undefined ? part : (definitions[named] ?? {});
    if (schema.anyOf === undefined) return [{ name: named, schema }];
    return branchesOf(schema, { definitions, path: [], name: named });
  });
}

/** The faults of the branch that was meant: the one whose kind or type the value bears, else the one with fewest. */
function faultsOfUnion(value: Json, branches: readonly Branch[], place: Place): readonly NodeFault[] {
  const words = branches.flatMap(({ schema }) => schema.enum ?? []);
  const possible = branches.filter(({ schema }) => fits(value, schema) && schema.enum === undefined);
  if (words.includes(value)) return [];
  if (possible.length === 0 && words.length > 0) return [wrongWord(value, words, place.path)];
  if (possible.length === 0) {
    const type = branches.flatMap(({ schema }) => schema.type ?? []);
    return [{ path: place.path, message: wrongType(value, { type }), likely: undefined }];
  }
  const marked = isObject(value) ? markedBranches(value, possible) : undefined;
  if (marked?.branches.length === 0)
    return [wrongWord(marked.mark, marked.words, [...place.path, marked.key])];
  const all = (marked?.branches ?? possible).map(({ name, schema }) =>
    faultsOf(value, schema, { ...place, name }),
  );
  return all.reduce((least, faults) => (faults.length < least.length ? faults : least));
}

/** The branches whose word for `kind` or `type` is the value's; undefined if the value or the branches have none. */
function markedBranches(value: JsonObject, branches: readonly Branch[]) {
  for (const key of ['kind', 'type']) {
    const mark = value[key];
    const words = branches.flatMap(({ schema }) => schema.properties?.[key]?.const ?? []);
    if (mark === undefined || words.length < 2) continue;
    const meant = branches.filter(({ schema: { properties = {} } }) => {
      const field = properties[key];
      return field !== undefined && (field.const === undefined || field.const === mark);
    });
    const open = meant.filter(({ schema }) => schema.properties?.[key]?.const === mark);
    return { key, mark, words, branches: open.length > 0 ? open : meant };
  }
  return undefined;
}

/** The service takes a number or a flag as text, too. */
function fits(value: Json, { type, properties }: Schema): boolean {
  const types = typeof type === 'string' ? [type] : type;
  if (types === undefined) return properties === undefined || isObject(value);
  if (types.includes(typeOf(value))) return true;
  if (typeof value !== 'string') return false;
  return (
    (types.includes('boolean') && /^(true|false)$/i.test(value)) ||
    (types.includes('number') && /^-?\d+(\.\d+)?$/.test(value))
  );
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (isExactNumber(value)) return 'number';
  return isList(value) ? 'array' : typeof value;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function wrongType(value: Json, { type = [] }: Schema): string {
  const types = [...new Set(typeof type === 'string' ? [type] : type)].filter((one) => one !== 'null');
  const wanted = types.map((one) => TYPE_WORDS[one] ?? one).join(' or ');
  return `takes ${wanted}, not ${TYPE_WORDS[typeOf(value)]}`;
}

const MOST_CHOICES = 12;

function wrongWord(value: Json | undefined, words: readonly Json[], path: NodeFault['path']): NodeFault {
  const choices = [...new Set(words)].filter((word) => typeof word === 'string');
  const likely = typeof value === 'string' ? likelyOf(value, choices) : undefined;
  const listed = choices.length <= MOST_CHOICES ? `: ${choices.join(', ')}` : '';
  const given = value === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`;
  return { path, message: `${given}${listed}`, likely };
}

/** The choice that is spelt alike, or the only one that begins alike. */
function likelyOf(word: string, choices: readonly string[]): string | undefined {
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const same = choices.find((choice) => bare(choice) === bare(word));
  const [alike, second] = choices.filter((choice) => bare(choice).startsWith(bare(word).slice(0, 4)));
  return same ?? closest(word, choices) ?? (second === undefined ? alike : undefined);
}

function nameOf(reference: string): string {
  return decodeURIComponent(reference.slice(reference.lastIndexOf('/') + 1));
}
