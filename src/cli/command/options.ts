import type { Endpoint, Parameter } from '../../api/endpoint.ts';
import type { Json, JsonObject } from '../../json/kinds.ts';
import type { Duration } from './duration.ts';
import type { PropertyFilter } from './property-filter.ts';
import type { StepWord } from './step-words.ts';

/** What an option's or argument's text is turned into. */
type ValueTypes = {
  text: string;
  /** A file name; `-` is standard input where `reads` says so. */
  file: string;
  /** Repeated, or with commas. */
  texts: readonly string[];
  /** Repeated; commas belong to the value. */
  repeated: readonly string[];
  integer: number;
  integers: readonly number[];
  number: number;
  boolean: boolean;
  flag: boolean;
  /** Text on the command line, in @file, or on - (standard input). */
  content: string;
  /** JSON on the command line, in @file, or on - (standard input). */
  json: Json;
  object: JsonObject;
  date: string;
  'person-id': string;
  'insight-id': string;
  /** Repeated `key=value` with typed values. */
  assignments: JsonObject;
  /** Repeated `key=value` with typed values, where `a[b]=1` and `a[]=1` reach inside. */
  fields: JsonObject;
  /** Repeated property expressions. */
  properties: readonly PropertyFilter[];
  /** A length of time: `14d`, `30min`. */
  duration: Duration;
  /** Repeated options whose order counts: each of them is given the words of all, as they were typed. */
  steps: readonly StepWord[];
};
export type ValueType = keyof ValueTypes;

/** An option as data. Rows of the table become options without being written again. */
export type Option = {
  readonly type: ValueType;
  readonly description: string;
  /** What stands for the value in help, without brackets. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** The value that the bare option stands for, as in `--refresh`; only with choices. */
  readonly bare?: string;
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly short?: string;
  /** Given twice it is refused: it says whom a deletion is about, and the last value would leave the others out. */
  readonly once?: true;
  /** A boolean that is only ever spelt `--no-x`, on unless it is given. */
  readonly negative?: true;
  readonly deprecated?: string;
  readonly hidden?: true;
  /** What completion offers from what it knows of the project. */
  readonly known?: 'project' | 'columns' | 'insight' | 'property' | 'run';
  /** A file that may be standard input, written `-`. */
  readonly reads?: 'standard input';
  /** What to write instead of an empty value, or that it is a value like any other. */
  readonly empty?: string | true;
};
export type Options = { readonly [name: string]: Option };

export type OptionValue<O extends Option> = O['choices'] extends readonly (infer Choice)[]
  ? Choice
  : ValueTypes[O['type']];
export type OptionsInput<O extends Options> = {
  readonly [Name in keyof O]?: OptionValue<O[Name]> | undefined;
};

/** The row's parameters that do not stand in its path, as options by the service's names. */
export type RowInput<E extends Endpoint, Omitted extends string> = {
  readonly [Name in Exclude<PathFree<E>, Omitted>]?:
    | OptionValue<Extract<E['parameters'][number], { name: Name }>>
    | undefined;
};
export type PathFree<E extends Endpoint> = Exclude<E['parameters'][number]['name'], PathNames<E['path']>>;
type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : never;

/** Each is asked for many times on the way from a line to its options. */
const flags = new Map<string, string>();

/** `delete_events` and `deleteEvents` are both spelt `--delete-events`. */
export function flagOf(name: string): string {
  const known = flags.get(name);
  if (known !== undefined) return known;
  const words = name
    .replace(/^\$/, '')
    .replaceAll('_', '-')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  flags.set(name, `--${words}`);
  return `--${words}`;
}

/** Options for the parameters of a row, leaving out those in its path and the named ones. */
export function rowOptions(row: Endpoint, omitted: readonly string[]): Options {
  const options: Record<string, Option> = {};
  for (const parameter of row.parameters) {
    if (row.path.includes(`:${parameter.name}/`) || omitted.includes(parameter.name)) continue;
    options[parameter.name] = optionOf(parameter);
  }
  return options;
}

function optionOf(parameter: Parameter): Option {
  const {
    name,
    in: places,
    live,
    form,
    beyond,
    required,
    queryLimit,
    default: preset,
    ...option
  } = parameter;
  const known = beyond ? `${option.description} (live service only)` : option.description;
  return { ...option, description: preset === undefined ? known : `${known} (service default ${preset})` };
}

/** Whether the option takes a value. */
export function takesValue(option: Option): boolean {
  return option.type !== 'flag' && option.type !== 'boolean';
}
