import { isExactNumber, isList, type Json, type JsonObject } from '../../json/kinds.ts';
import { writeJson } from '../../json/text.ts';
import { invalid } from '../refusal.ts';
import { quoteText } from '../store/open-store.ts';

/** The type that a property's values share; undefined if there is none, or if they are lists or objects. */
type PropertyTypes = ReadonlyMap<string, 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'VARCHAR' | undefined>;

/** The properties that SQL names, as in `properties.plan` and `person.properties.plan`. */
export function propertiesIn(sql: string): ReadonlySet<string> {
  const tokens = tokensOf(sql);
  const names = tokens.map((_, index) => propertyEndingAt(tokens, index));
  return new Set(names.filter((name) => name !== undefined));
}

/** What stands in the place of names in braces and of cohorts. */
export type Substitutes = {
  readonly types: PropertyTypes;
  readonly values: JsonObject;
  /** Values of `{variables.name}`. */
  readonly variables: JsonObject;
  /** The condition that `{filters}` stands for. */
  readonly filters: string;
  /** A query for the ids of a cohort's members, by its number or name. */
  readonly membersOf: (cohort: string) => string;
};

/**
 * Puts values in the place of `{name}`, quotes names with a dollar sign, gives properties the type of their values and
 * raises the limit by one. Throws a `Refusal` 400 for a placeholder without a value or a limit beyond the maximum.
 */
export function rewriteSql(query: string, substitutes: Substitutes) {
  const { types } = substitutes;
  const tokens = withCohorts(withValues(tokensOf(query), substitutes), substitutes);
  const limit = numberAfter(tokens, 'limit');
  const wanted = limit?.value ?? DEFAULT_ROWS;
  if (wanted > MOST_ROWS) throw invalid('query', `A query gives ${MOST_ROWS} rows at most, not ${wanted}.`);
  const places: { readonly from: number; readonly at: number }[] = [];
  let sql = '';
  for (const [index, token] of tokens.entries()) {
    places.push({ from: sql.length, at: token.at });
    sql += token === limit?.token ? String(wanted + 1) : writeToken(tokens, index, types);
  }
  return {
    sql,
    limit: wanted,
    offset: numberAfter(tokens, 'offset')?.value ?? 0,
    /** Turns a place in this SQL into the place in the text as written, both in characters. */
    placeOf: (at: number) => {
      const place = places.findLast(({ from }) => from <= at);
      return place === undefined ? at : place.at + Math.max(0, at - place.from);
    },
  };
}

function writeToken(tokens: readonly Token[], index: number, types: PropertyTypes): string {
  const token = tokens[index];
  if (token === undefined) return '';
  // The database's parser takes minutes for comments within comments.
  if (token.kind === 'space' && /^(?:--|\/\*)/.test(token.text)) return ' ';
  const name = nameOfToken(token);
  const isPlain = token.kind === 'word' && !token.text.includes('$');
  const written = name === undefined || isPlain ? token.text : quoteName(name);
  const property = propertyEndingAt(tokens, index);
  const type = property === undefined ? undefined : types.get(property);
  // Deeper paths stay as they are: only whole properties have a type.
  if (type === undefined || ['.', '['].includes(tokens[index + 1]?.text ?? '')) return written;
  return `${written}::${type}`;
}

/** The property whose name is this token: what follows `properties.`. */
function propertyEndingAt(tokens: readonly Token[], index: number): string | undefined {
  const name = nameOfToken(tokens[index]);
  if (name === undefined || tokens[index - 1]?.text !== '.') return undefined;
  return nameOfToken(tokens[index - 2])?.toLowerCase() === 'properties' ? name : undefined;
}

/** The number after a keyword that stands outside of all brackets. */
function numberAfter(tokens: readonly Token[], keyword: string) {
  let depth = 0;
  let found: { readonly token: Token; readonly value: number } | undefined;
  const visible = tokens.filter(({ kind }) => kind !== 'space');
  for (const [index, token] of visible.entries()) {
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    const next = visible[index + 1];
    const isKeyword = token.kind === 'word' && token.text.toLowerCase() === keyword;
    if (depth === 0 && isKeyword && next?.kind === 'number') {
      found = { token: next, value: Number(next.text.replaceAll('_', '')) };
    }
  }
  return found;
}

function withValues(tokens: readonly Token[], substitutes: Substitutes): readonly Token[] {
  const replaced: Token[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined) continue;
    const end = token.text === '{' ? tokens.findIndex(({ text }, at) => at > index && text === '}') : -1;
    const names = tokens.slice(index + 1, end === -1 ? index : end).map(nameOfToken);
    const [name, , variable] = names;
    if (name === undefined || ![1, 3].includes(names.length)) {
      replaced.push(token);
      continue;
    }
    replaced.push({ kind: 'text', text: substituteOf(name, variable, substitutes), at: token.at });
    index = end;
  }
  return replaced;
}

function substituteOf(name: string, variable: string | undefined, substitutes: Substitutes): string {
  const { filters, values, variables } = substitutes;
  if (variable === undefined && name === 'filters' && !Object.hasOwn(values, name)) return filters;
  if (variable === undefined && Object.hasOwn(values, name)) return writeLiteral(values[name] ?? null);
  if (variable === undefined) throw invalid('query', `The placeholder {${name}} has no value.`);
  if (name === 'variables' && Object.hasOwn(variables, variable))
    return writeLiteral(variables[variable] ?? null);
  throw invalid('query', `The query has no variable {${name}.${variable}}.`);
}

/** `in cohort 1` and `in cohort 'name'` of the service's SQL. */
function withCohorts(tokens: readonly Token[], { membersOf }: Substitutes): readonly Token[] {
  const isWord = (token: Token | undefined, word: string) =>
    token?.kind === 'word' && token.text.toLowerCase() === word;
  const visible = tokens.filter(({ kind }) => kind !== 'space');
  const cohorts = new Map(
    visible.flatMap((token, index) => {
      const id = visible[index + 1];
      if (!isWord(token, 'cohort') || !isWord(visible[index - 1], 'in')) return [];
      return id?.kind === 'number' || id?.kind === 'text' ? [[token, id] as const] : [];
    }),
  );
  if (cohorts.size === 0) return tokens;
  const ids = new Set<Token>(cohorts.values());
  return tokens.flatMap((token): readonly Token[] => {
    const id = cohorts.get(token);
    if (id === undefined) return ids.has(token) ? [] : [token];
    const name = id.kind === 'text' ? id.text.slice(1, -1).replaceAll("''", "'") : id.text;
    return [{ ...token, kind: 'text', text: `(${membersOf(name)})` }];
  });
}

function writeLiteral(value: Json): string {
  if (isList(value)) return `[${value.map(writeLiteral).join(', ')}]`;
  const isPlain = value === null || ['number', 'boolean'].includes(typeof value) || isExactNumber(value);
  if (isPlain) return writeJson(value);
  return quoteText(typeof value === 'string' ? value : writeJson(value));
}

/** A piece of SQL text. `at` is where it stood in the text as written, in characters. */
type Token = {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'symbol' | 'space';
  readonly text: string;
  readonly at: number;
};

/** What is never closed goes on to the end, so that no text is looked through twice. */
const PATTERN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'[^']*(?:''[^']*)*(?:'|$))|(?<quoted>"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:`|$))|(?<word>[\p{L}_$][\p{L}\p{N}_$]*)|(?<number>\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<symbol>::|[\s\S])/gu;

const KINDS = ['space', 'text', 'quoted', 'word', 'number', 'symbol'] as const;

/** Cuts SQL into tokens; together they are the whole text. */
function tokensOf(sql: string): readonly Token[] {
  return [...sql.matchAll(PATTERN)].map((match) => {
    const kind = KINDS.find((name) => match.groups?.[name] !== undefined) ?? 'symbol';
    return { kind, text: match[0], at: match.index };
  });
}

/** The name behind a word or a quoted name; undefined for anything else. */
function nameOfToken(token: Token | undefined): string | undefined {
  if (token?.kind === 'word') return token.text;
  if (token?.kind !== 'quoted') return undefined;
  return token.text.slice(1, -1).replaceAll('""', '"');
}

/** A name in double quotes, as the database takes any. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** How many rows a query without a limit gives, and how many at most. */
export const DEFAULT_ROWS = 100;

export const MOST_ROWS = 50_000;
