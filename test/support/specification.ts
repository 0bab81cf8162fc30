import { readFileSync } from 'node:fs';
import type { Endpoint, Parameter } from '../../src/service/endpoint.ts';
import { type MarkdownRow, readTable } from './markdown-tables.ts';
import { placesOf, specifiedRows } from './rows.ts';

/** Our restatement of the specification. */
export const markdown = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8');
export const operations = readTable(markdown, 'Operations');
export const funnelFields: readonly MarkdownRow[] = readTable(markdown, 'Funnel parameters').map((row) => ({
  ...row,
  Parameter: row.Field ?? '',
  In: 'body',
}));
const insightFields: readonly MarkdownRow[] = readTable(markdown, 'Insight fields').map((row) => ({
  ...row,
  Parameter: row.Field ?? '',
  In: 'body',
}));

const typesOf: { readonly [type: string]: readonly Parameter['type'][] } = {
  string: ['text', 'date'],
  integer: ['integer'],
  boolean: ['boolean', 'flag'],
  array: ['texts', 'integers', 'json'],
  object: ['texts', 'object', 'json'],
  any: ['json'],
  'JSON text': ['json'],
  '-': ['object', 'json'],
};

const answersOf: { readonly [answer: string]: readonly Endpoint['response'][] } = {
  'page of persons': ['page of persons'],
  person: ['person', 'person or nothing'],
  'no body': ['nothing'],
  'page of insights': ['page of insights'],
  insight: ['insight'],
  'sharing configuration': ['sharing'],
  'access controls': ['access controls'],
  'funnel result': ['funnel result'],
};

/** The words of a list with spaces or commas between them; `-` stands for none. */
export const words = (list: string | undefined): string[] =>
  (list ?? '').split(/[ ,]+/).filter((word) => word !== '' && word !== '-');

/** What the tables say about the parameters of an operation. */
export function documentedParameters(id: string): readonly MarkdownRow[] {
  return [
    ...readTable(markdown, 'Parameters').filter((row) => words(row.Operations).includes(id)),
    ...(['I2', 'I5', 'I10', 'I12', 'I16'].includes(id) ? insightFields : []),
    ...(id === 'I14' ? funnelFields : []),
  ];
}

/** Where a parameter of a row differs from its line in the tables, as `P6 $unset in`. */
export function compareParameter(row: Endpoint, parameter: Parameter, documented: MarkdownRow): string[] {
  const pathTypes = ['person-id', 'insight-id'];
  const types = documented.In === 'path' ? pathTypes : (typesOf[documented.Type ?? ''] ?? []);
  const choices =
    parameter.name === 'refresh'
      ? readTable(markdown, 'Refresh modes').map(({ Mode }) => Mode)
      : words(documented.Choices);
  const byDefault = parameter.name === 'refresh' ? 'force_cache' : (documented.Default ?? '-');
  const deprecated = /^deprecated: (.*)$/.exec(documented.Note ?? '')?.[1]?.replaceAll('`', '');
  const largest = readTable(markdown, 'Limits').find(
    ({ What, Where }) => Where === row.id && What?.replaceAll('`', '') === `entries of ${parameter.name}`,
  )?.Most;
  const checks: { readonly [what: string]: boolean } = {
    in: placesOf(row, parameter).join() === documented.In,
    type:
      types.includes(parameter.type) &&
      (parameter.form === 'json-text') === (documented.Type === 'JSON text'),
    default: String(parameter.default ?? '-') === byDefault,
    choices: (parameter.choices ?? []).join() === choices.join(),
    maximum: String(parameter.maximum) === String(largest),
    deprecated: parameter.deprecated === deprecated,
  };
  return Object.keys(checks)
    .filter((what) => !checks[what])
    .map((what) => `${row.id} ${parameter.name} ${what}`);
}

function compareParameters(row: Endpoint): string[] {
  const own = row.parameters.filter(({ beyond }) => beyond !== true);
  const documented = documentedParameters(row.id);
  const isOnlyDocumented = ({ Parameter, In }: MarkdownRow) =>
    !own.some(
      (parameter) =>
        parameter.name === Parameter && (In === 'path') === (placesOf(row, parameter).join() === 'path'),
    );
  const undocumentedObject = (entry: MarkdownRow) =>
    entry.Parameter === 'properties' && entry.Type === '-' && row.id !== 'P3';
  const lacking = documented.filter((entry) => undocumentedObject(entry) || isOnlyDocumented(entry));
  return [
    ...lacking.map((entry) => `${row.id} lacks ${entry.Parameter}`),
    ...own.flatMap((parameter) => {
      const entry = documented.find(
        (candidate) => candidate.Parameter === parameter.name && !lacking.includes(candidate),
      );
      return entry === undefined
        ? [`${row.id} has ${parameter.name}`]
        : compareParameter(row, parameter, entry);
    }),
  ];
}

/** Where a row differs from its line in the table of operations, as `P1 path` or `P6 lacks properties`. */
export function compareOperation(documented: MarkdownRow): string[] {
  const row = specifiedRows.get(documented.Id ?? '');
  if (row === undefined) {
    return [`${documented.Id} row`];
  }
  const answers = answersOf[documented.Answer ?? ''];
  const checks: { readonly [what: string]: boolean } = {
    method: row.method === documented.Method,
    path: row.under === undefined && row.path === documented.Path,
    scopes: row.scopes.join() === words(documented.Scopes).join(),
    answer: answers === undefined ? documented.Answer === '-' : answers.includes(row.response),
  };
  const differences = Object.keys(checks)
    .filter((what) => !checks[what])
    .map((what) => `${row.id} ${what}`);
  return [...differences, ...compareParameters(row)];
}
