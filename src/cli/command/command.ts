import type { Endpoint } from '../../service/endpoint.ts';
import type { Option, Options, OptionValue } from './options.ts';

/** A command with its types forgotten: what the program registers and runs, and help, completion and docs are made of. */
export type Command = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly summary: string;
  readonly description: string | undefined;
  readonly examples: readonly string[];
  readonly arguments: Arguments;
  readonly options: Options;
  readonly passThrough: boolean;
  readonly graceful: boolean;
  /** Endings of files that it writes beside the formats of `--output`. */
  readonly saves?: readonly string[];
  /** Resolves to an exit code if it is not 0, such as that of a child that it ran. */
  readonly run: (input: never, context: never) => Promise<void> | Promise<number>;
};

type Loader = () => Promise<Command>;

/** A noun and its commands. */
export type Group = {
  readonly name: string;
  readonly summary: string;
  /** A noun that is a command by itself, such as `endpoints`. */
  readonly single?: true;
  /** Every word that names one of its commands: names and aliases. */
  readonly words: readonly string[];
  /** Its commands, each once. */
  readonly load: () => Promise<readonly Command[]>;
  /** The command that the word names; `undefined` if there is none. */
  readonly find: (word: string) => Promise<Command> | undefined;
};

/** A noun of several commands, by each word that names one. */
export function defineGroup(
  name: string,
  summary: string,
  commands: { readonly [word: string]: Loader },
): Group {
  return {
    name,
    summary,
    words: Object.keys(commands),
    load: async () => [...new Set(await Promise.all(Object.values(commands).map((load) => load())))],
    find: (word) => (Object.hasOwn(commands, word) ? commands[word]?.() : undefined),
  };
}

/** A noun that is a command by itself. */
export function defineSingle(name: string, summary: string, load: Loader): Group {
  return { name, summary, single: true, words: [], load: async () => [await load()], find: load };
}

/** A person as named on the command line: exactly one of the three. */
export type PersonReference =
  | { readonly id: string }
  | { readonly distinctId: string }
  | { readonly email: string };

/** An insight by number or by the short id of its address in the app. */
export type InsightReference = { readonly id: string } | { readonly shortId: string };

/** A positional argument. `person` and `insight` may be named by options instead. */
export type Argument =
  | { readonly type: 'person'; readonly optional?: true; readonly description?: string }
  | { readonly type: 'insight'; readonly optional?: true; readonly description?: string }
  | { readonly type: 'insights'; readonly description?: string }
  | { readonly type: 'words'; readonly optional?: true; readonly description: string }
  | (Option & { readonly optional?: true });
export type Arguments = { readonly [name: string]: Argument };

type ArgumentValue<A extends Argument> = A extends { type: 'person' }
  ? PersonReference
  : A extends { type: 'insight' }
    ? InsightReference
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
export const STAND_INS = {
  person: {
    'distinct-id': {
      type: 'text',
      placeholder: 'distinct id',
      description: 'Name the person by a distinct id',
    },
    email: { type: 'text', placeholder: 'email', description: 'Name the person by the email property' },
  },
  insight: {
    'short-id': {
      type: 'text',
      placeholder: 'short id',
      offers: 'insight',
      description: 'Name the insight by its short id',
    },
  },
} as const satisfies Record<string, Record<string, Option>>;

/** The usage text of an argument: `<key>`, `[person]`, `<id...>`. */
export function argumentUsage(name: string, argument: Argument): string {
  const many = argument.type === 'words' || argument.type === 'insights' ? '...' : '';
  const text = 'placeholder' in argument && argument.placeholder ? argument.placeholder : name;
  return 'optional' in argument && argument.optional ? `[${text}${many}]` : `<${text}${many}>`;
}

/** `--distinct-id` and the like, if the command takes a person or an insight. */
export function standIns(command: { readonly arguments: Arguments }): Options {
  const options: Record<string, Option> = {};
  for (const argument of Object.values(command.arguments)) {
    if (argument.type === 'person' || argument.type === 'insight')
      Object.assign(options, STAND_INS[argument.type]);
  }
  return options;
}
