import type { Insight } from '../../../api/schemas.ts';
import { CliError, usageError } from '../../../errors.ts';
import { asObject, isList, type Json, type JsonObject } from '../../../json/kinds.ts';
import { toJsonText } from '../../../json/write.ts';

import { readDefinition } from '../../../queries/definition.ts';

import {
  DEFINITION_FIELDS,
  type Definition,
  definitionOf,
  tidy,
  type Version,
  versionOf,
} from './definition.ts';

/** What one file holds. Without a short id it stands for an insight that is still to be created. */
export type InsightFile = {
  readonly shortId: string | undefined;
  readonly version: Version | undefined;
  readonly definition: Definition;
};

/** The text of the file of an insight. */
export function fileText(insight: Insight): string {
  const content: JsonObject = {
    short_id: shortIdOf(insight),
    version: versionOf(insight),
    ...definitionOf(insight),
  };
  return `${toJsonText(content, { indent: 2 })}\n`;
}

/** A readable name with the short id, such as `weekly-checkout-zeNY2NOU.json`. */
export function fileName(insight: Insight): string {
  const name = String(insight.name || insight.derived_name || '');
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `${slug === '' ? '' : `${slug}-`}${shortIdOf(insight)}.json`;
}

/** The short id, which becomes part of a file name. Throws `unavailable` for one that could name another place. */
export function shortIdOf({ short_id: shortId }: Insight): string {
  if (typeof shortId === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(shortId)) return shortId;
  throw new CliError('unavailable', `the service gave an insight the short id ${JSON.stringify(shortId)}`, {
    hint: 'an insight without a usable short id cannot be kept as a file',
  });
}

const KEYS: readonly string[] = ['short_id', 'version', ...DEFINITION_FIELDS];

/** Reads what `fileText` or a person wrote. Throws a usage error that names the file. */
export function readInsightFile(file: string, content: Json): InsightFile {
  const wrong = (what: string) => usageError(`${file} is not the file of an insight: ${what}`);
  const object = asObject(content);
  if (object === undefined) throw wrong('it holds no JSON object');
  const unknown = Object.keys(object).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`it has the unknown field "${unknown}"`);
  const { short_id: shortId, version, query, ...rest } = object;
  if (shortId !== undefined && !(typeof shortId === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(shortId)))
    throw wrong('its short_id is none');
  const problem = problemOf(rest);
  if (problem !== undefined) throw wrong(problem);
  const definition = tidy({ ...rest, ...(query === undefined ? {} : { query: readQuery(file, query) }) });
  if (Object.keys(definition).length === 0) throw wrong('it defines nothing');
  return { shortId, version: readVersion(version), definition };
}

function readQuery(file: string, query: Json): Json {
  try {
    return readDefinition(query);
  } catch (cause) {
    throw usageError(
      `${file}: its query is no query node`,
      cause instanceof CliError ? cause.hint : undefined,
    );
  }
}

/** Fields that the service would take for something else. */
function problemOf({ name, description, tags, favorited, saved, filters }: Definition): string | undefined {
  const texts = { name, description };
  const text = Object.entries(texts).find(
    ([, value]) => !['string', 'undefined'].includes(typeof value) && value !== null,
  );
  if (text !== undefined) return `its ${text[0]} is no text`;
  if (tags !== undefined && !(isList(tags) && tags.every((tag) => typeof tag === 'string')))
    return 'its tags are no list of texts';
  const flag = Object.entries({ favorited, saved }).find(
    ([, value]) => !['boolean', 'undefined'].includes(typeof value),
  );
  if (flag !== undefined) return `its ${flag[0]} is neither true nor false`;
  return filters === undefined || asObject(filters) !== undefined
    ? undefined
    : 'its filters are no JSON object';
}

function readVersion(version: Json | undefined): Version | undefined {
  const { modified, digest } = asObject(version) ?? {};
  if (typeof digest !== 'string') return undefined;
  return { modified: typeof modified === 'string' ? modified : null, digest };
}
