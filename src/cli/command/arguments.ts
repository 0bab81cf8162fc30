import type { Option, Options, OptionValue } from './options.ts';

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
