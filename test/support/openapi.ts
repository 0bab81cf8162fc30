import type { Endpoint, Parameter } from '../../src/service/endpoint.ts';
import { placesOf } from './rows.ts';

type NamedParameter = {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[] };
};
type Reference = { readonly $ref: string };
type BodySchema = { readonly properties?: { readonly [name: string]: unknown } };

export type OpenApiOperation = {
  readonly parameters?: readonly (NamedParameter | Reference)[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: BodySchema | Reference } };
  };
  readonly 'x-required-scopes'?: readonly string[];
  readonly 'x-personal-api-key'?: string;
};

export type OpenApiDocument = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: OpenApiOperation } };
  readonly components: { readonly schemas: { readonly [name: string]: BodySchema } };
};

/** Parameters that every path or every read has, which rows do not list one by one. */
const everywhere = ['project_id', 'format'];

const accessWords = { supported: 'accepted', refused: 'refused', removed: 'removed' };

function documentPath(row: Endpoint): string {
  const path = row.live?.path ?? row.path;
  const prefix = row.under === undefined ? '/api/projects/{project_id}' : '';
  return prefix + path.replace(/:(\w+)/g, '{$1}');
}

/** The operation that the document has for a row, or undefined. */
export function findOperation(document: OpenApiDocument, row: Endpoint): OpenApiOperation | undefined {
  return document.paths[documentPath(row)]?.[row.method.toLowerCase()];
}

/** Whether the document holds operations of the noun that the path of a row begins with. */
export function isCovered(document: OpenApiDocument, row: Endpoint): boolean {
  const depth = row.under === undefined ? 5 : 3;
  const nounOf = (path: string) => path.split('/', depth).join('/');
  return Object.keys(document.paths).some((path) => nounOf(path) === nounOf(documentPath(row)));
}

type Documented = { readonly name: string; readonly place: string; readonly choices: string };

function documentedParameters(document: OpenApiDocument, operation: OpenApiOperation): readonly Documented[] {
  const listed = (operation.parameters ?? []).flatMap((parameter) =>
    'name' in parameter ? [parameter] : [],
  );
  const schema = operation.requestBody?.content['application/json'].schema ?? {};
  const body = '$ref' in schema ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  return [
    ...listed.map(({ name, in: place, schema: { enum: choices } }) => ({
      name,
      place,
      choices: (choices ?? []).join(),
    })),
    ...Object.keys(body?.properties ?? {}).map((name) => ({ name, place: 'body', choices: '' })),
  ].filter(({ name }) => !everywhere.includes(name));
}

function liveForm(row: Endpoint, parameter: Parameter): Documented {
  const places = parameter.live?.in ?? placesOf(row, parameter);
  return {
    name: parameter.live?.name ?? parameter.name,
    place: places.join(),
    choices: (parameter.choices ?? []).join(),
  };
}

/** Where the live form of a row differs from an operation of the document, as `P6 lacks $unset`. */
export function compareWithDocument(document: OpenApiDocument, row: Endpoint): readonly string[] {
  const operation = findOperation(document, row);
  if (operation === undefined) {
    return [`${row.id} operation`];
  }
  const documented = documentedParameters(document, operation);
  const own = row.parameters.map((parameter) => liveForm(row, parameter));
  const access = Object.entries(accessWords).find(([word]) => word === operation['x-personal-api-key'])?.[1];
  const scopes = row.live?.scopes ?? row.scopes;
  const shared = own.flatMap((parameter) => {
    const twin = documented.find(({ name }) => name === parameter.name);
    return twin === undefined ? [] : [{ parameter, twin }];
  });
  return [
    ...(scopes.join() === (operation['x-required-scopes'] ?? []).join() ? [] : ['scopes']),
    ...((row.keyAccess ?? 'accepted') === access ? [] : ['key access']),
    ...own
      .filter(({ name }) => !documented.some((entry) => entry.name === name))
      .map(({ name }) => `has ${name}`),
    ...documented
      .filter(({ name }) => !own.some((entry) => entry.name === name))
      .map(({ name }) => `lacks ${name}`),
    ...shared
      .filter(({ parameter, twin }) => parameter.place !== twin.place)
      .map(({ twin }) => `${twin.name} in`),
    ...shared
      .filter(({ parameter, twin }) => parameter.choices !== twin.choices)
      .map(({ twin }) => `${twin.name} choices`),
  ].map((word) => `${row.id} ${word}`);
}
