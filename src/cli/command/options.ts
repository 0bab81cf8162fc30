import type { Json, JsonObject } from '../../json/kinds.ts';
import { namedFormats } from '../../print/formats.ts';
import type { Duration } from '../../semantics/calendar.ts';
import type { PropertyFilter } from '../../semantics/person-conditions.ts';
import type { Parameter, ParameterValues } from '../../service/endpoint.ts';
import type { StepWord } from './values.ts';

/** JSON as it was written: `source` is the name of the file, if it stood in one. */
export type GivenNode = { readonly value: Json; readonly text: string; readonly source: string | undefined };

/** What an option's or argument's text is turned into, by its type. */
type ValueTypes = ParameterValues & {
  /** A file name; `-` is standard input if `reads` says so. */
  file: string;
  /** Repeated file names. */
  files: readonly string[];
  /** Repeated; commas belong to the value, as they do not in `texts`. */
  repeated: readonly string[];
  number: number;
  /** Text on the command line, in @file, or on - (standard input), as for `json` and `object`. */
  content: string;
  /** A query node, with its text for the place of a fault. */
  node: GivenNode;
  /** Repeated `key=value` with typed values. */
  assignments: JsonObject;
  /** Repeated `key=value` with typed values; `a[b]=1` and `a[]=1` reach inside. */
  fields: JsonObject;
  /** Repeated property expressions. */
  properties: readonly PropertyFilter[];
  /** A time with its day: `2026-03-01T12:00:00Z`; in UTC if it names no zone. */
  time: string;
  /** A length of time: `14d`, `30min`. With a `unit`, numbers without one count in it. */
  duration: Duration;
  /** Repeated options whose order counts: each of them is given the words of all, as they were typed. */
  steps: readonly StepWord[];
};

/** An option as data. Rows of the table become options without being written again. */
export type Option = Pick<Parameter, 'description' | 'choices' | 'minimum' | 'maximum' | 'deprecated'> & {
  readonly type: keyof ValueTypes;
  /** What stands for the value in help, without brackets. */
  readonly placeholder?: string;
  /** The value that the bare option stands for, as in `--refresh`; only with choices. */
  readonly bare?: string;
  /** Of a number without one, for a length of time, whose minimum is in seconds. */
  readonly unit?: Duration['unit'];
  readonly short?: string;
  /** Given twice it is refused: it says whom a deletion is about, and the last value would leave the others out. */
  readonly once?: true;
  /** A boolean that is only ever spelt `--no-x`, on unless it is given. */
  readonly negative?: true;
  readonly hidden?: true;
  /** It chooses, checks, draws or follows rows here, so `--server-format`, which makes none of an answer, refuses it. */
  readonly needsRows?: true;
  /** The option that names the file which this one describes, and needs. */
  readonly of?: 'from' | 'except';
  /** What completion offers of stored projects, runs, the completion cache and the file that the option is `of`. */
  readonly offers?: 'project' | 'columns' | 'insight' | 'property' | 'run' | 'file columns' | 'file sheets';
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

/** The options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS = {
  project: {
    type: 'text',
    short: 'p',
    placeholder: 'name or id',
    offers: 'project',
    description: 'Stored project; with a key from the environment, the project id',
  },
  host: {
    type: 'text',
    placeholder: 'us, eu or URL',
    description: 'Host of the service; must match the stored project',
  },
  output: {
    type: 'text',
    short: 'o',
    placeholder: 'format',
    choices: namedFormats,
    description: `Output format: ${namedFormats.join(', ')}`,
  },
  columns: {
    type: 'texts',
    placeholder: 'a,b.c',
    offers: 'columns',
    description: 'Columns to show, in order; dotted paths reach nested fields',
  },
  headers: { type: 'boolean', negative: true, description: 'Leave out the header line' },
  pager: { type: 'boolean', negative: true, description: 'Show long output without a pager' },
  save: {
    type: 'file',
    placeholder: 'file',
    description: 'Write the data to a file, whole or not at all; its name sets the format',
  },
  spreadsheetSafe: {
    type: 'flag',
    description: 'In CSV, mark cells as text that a spreadsheet would run as formulas',
  },
  serverFormat: {
    type: 'text',
    choices: ['csv', 'json'],
    placeholder: 'format',
    description: "Print the service's own csv or json answer unchanged",
  },
  yes: { type: 'flag', short: 'y', description: 'Do not ask; the project must be named' },
  confirm: {
    type: 'repeated',
    placeholder: 'project name',
    description: 'Confirm a protected project by its name',
  },
  dryRun: { type: 'flag', description: 'Show the plan or the requests, and send reads only' },
  showIds: { type: 'flag', description: 'Show ids in a dry run, and the people of runs show' },
  timeout: {
    type: 'duration',
    unit: 'SECOND',
    minimum: 0.001,
    description: 'Time limit of one request: 90s, 5min (default 60s; bulk deletion 5min)',
  },
  waitTimeout: {
    type: 'duration',
    unit: 'SECOND',
    minimum: 0.001,
    description: 'Longest wait for a query in the background: 90s, 20min (default 10min)',
  },
  retries: {
    type: 'integer',
    placeholder: 'n',
    minimum: 0,
    maximum: 20,
    description: 'How often to retry a failed request (default 4)',
  },
  maxAnswer: {
    type: 'integer',
    placeholder: 'MB',
    minimum: 1,
    maximum: 500,
    description: 'Largest answer to accept, after decompression (default 128)',
  },
  caFile: { type: 'file', placeholder: 'file', description: 'More certificate authorities to trust (PEM)' },
  insecure: {
    type: 'flag',
    description: 'Allow http:// to another computer, which sends the key in clear text',
  },
  clientCert: {
    type: 'file',
    placeholder: 'file',
    description: 'Client certificate for a service that requires one (PEM)',
  },
  clientKey: {
    type: 'file',
    placeholder: 'file',
    description: 'Private key of the client certificate, if in its own file (PEM)',
  },
  quiet: { type: 'flag', short: 'q', description: 'Hide notes; warnings are still shown' },
  debug: { type: 'flag', description: 'Trace requests on stderr, with keys and person data masked' },
  color: {
    type: 'text',
    choices: ['auto', 'always', 'never'],
    placeholder: 'when',
    description: 'Colour: auto, always, never',
  },
} as const satisfies Options;

/** What stands beside the global options; the version only before a command. */
export const ABOUT_OPTIONS = {
  help: { type: 'flag', short: 'h', description: 'Show help' },
  version: { type: 'flag', short: 'V', description: 'Show the version' },
} as const satisfies Options;

/** What `--output` takes for one command only. */
export type SpecialFormat = 'junit';

export type GlobalOptions = OptionsInput<typeof GLOBAL_OPTIONS> & { readonly special?: SpecialFormat };

/** A person as named on the command line: exactly one of the three. */
export type PersonReference =
  | { readonly id: string }
  | { readonly distinctId: string }
  | { readonly email: string };

/** An insight by number or by the short id of its address in the app; a word may be its name instead. */
export type InsightReference = { readonly id: string } | { readonly shortId: string; readonly orName?: true };
/** Commands that only read take a name, too. */
export type NamedInsight = InsightReference | { readonly name: string };

/** A positional argument. `person` and `insight` may be named by options instead. */
export type Argument = { readonly optional?: true } & (
  | { readonly type: 'person'; readonly description?: string }
  | { readonly type: 'insight'; readonly description?: string; readonly byName?: true }
  | { readonly type: 'insights'; readonly description?: string }
  | { readonly type: 'words'; readonly description: string }
  | Option
);
export type Arguments = { readonly [name: string]: Argument };

type ArgumentValue<A extends Argument> = A extends { type: 'person' }
  ? PersonReference
  : A extends { type: 'insight' }
    ? A extends { byName: true }
      ? NamedInsight
      : InsightReference
    : A extends { type: 'insights' }
      ? readonly InsightReference[]
      : A extends { type: 'words' }
        ? readonly string[]
        : A extends Option
          ? OptionValue<A>
          : never;

export type ArgumentsInput<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { optional: true }
    ? ArgumentValue<A[Name]> | undefined
    : ArgumentValue<A[Name]>;
};

/** The options that can stand for an argument, by argument type. */
const STAND_INS = {
  person: {
    'distinct-id': {
      type: 'text',
      placeholder: 'distinct id',
      description: 'Choose the person by distinct id',
    },
    email: { type: 'text', placeholder: 'email', description: 'Choose the person by the email property' },
  },
  insight: {
    'short-id': {
      type: 'text',
      placeholder: 'short id',
      offers: 'insight',
      description: 'Choose the insight by short id',
    },
  },
} as const satisfies Record<string, Record<string, Option>>;

/** `--distinct-id` and the like, if an argument is a person or an insight. */
export function standInsOf({ type }: Argument): Options {
  return type === 'person' || type === 'insight' ? STAND_INS[type] : {};
}

export function standIns(command: { readonly arguments: Arguments }): Options {
  return Object.assign({}, ...Object.values(command.arguments).map(standInsOf));
}
