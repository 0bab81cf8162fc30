import type { Option, OptionValue } from './options.ts';
import type { InsightReference, PersonReference } from './references.ts';

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
      known: 'insight',
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
