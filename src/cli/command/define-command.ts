import type { Endpoint, Parameter } from '../../service/endpoint.ts';
import type { Context } from '../context.ts';
import type { Command, Group } from './command.ts';
import type { Arguments, ArgumentsInput, Option, Options, OptionsInput, OptionValue } from './options.ts';

type Declaration<
  E extends readonly Endpoint[],
  A extends Arguments,
  O extends Options,
  Omitted extends string,
> = Pick<Command, 'name' | 'summary' | 'examples'> &
  Partial<Omit<Command, 'arguments' | 'options' | 'rare' | 'run'>> & {
    /** Those that it asks, if any: the parameters of the first row become options. */
    readonly endpoints?: E;
    readonly arguments?: A;
    readonly options?: O;
    /** Parameters of the row that are not options of this command. */
    readonly omit?: readonly (Omitted & PathFree<E[0] & Endpoint>)[];
    readonly rare?: readonly ((keyof O & string) | PathFree<E[0] & Endpoint>)[];
    readonly run: (
      input: ArgumentsInput<A> &
        OptionsInput<O> &
        (E extends readonly [infer Row extends Endpoint, ...unknown[]]
          ? RowInput<Row, Omitted | (keyof O & string)>
          : unknown),
      context: Context,
    ) => Promise<void> | Promise<number>;
  };

/** The row's parameters that do not stand in its path, as options by the service's names. */
type RowInput<E extends Endpoint, Omitted extends string> = {
  readonly [Name in Exclude<PathFree<E>, Omitted>]?:
    | OptionValue<Extract<E['parameters'][number], { name: Name }>>
    | undefined;
};
type PathFree<E extends Endpoint> = Exclude<E['parameters'][number]['name'], PathNames<E['path']>>;
type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : never;

/** Makes a command of its declaration; the row's parameters become options with their types. */
export function defineCommand<
  const E extends readonly Endpoint[] = readonly [],
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
  const Omitted extends string = never,
>({ omit = [], ...declaration }: Declaration<E, A, O, Omitted>): Command {
  const [row] = declaration.endpoints ?? [];
  return {
    endpoints: [],
    aliases: [],
    description: undefined,
    passThrough: false,
    graceful: false,
    ownRows: row?.effect !== 'read',
    rare: [],
    headings: [],
    arguments: {},
    ...declaration,
    options: inOrder({ ...(row ? rowOptions(row, omit) : {}), ...declaration.options }, declaration.headings),
    // The program gives `run` what these declarations read, so its input type may be forgotten here.
    run: declaration.run as Command['run'],
  };
}

/** Help shows options in the order of their headings. */
function inOrder(options: Options, headings: Command['headings'] = []): Options {
  const names = headings.flatMap(([, all]) => all);
  const placeOf = (name: string) => names.indexOf(name);
  return Object.fromEntries(
    Object.entries(options).toSorted(([one], [other]) => placeOf(one) - placeOf(other)),
  );
}

/** Options for the parameters of a row, leaving out those in its path and the named ones. */
function rowOptions(row: Endpoint, omitted: readonly string[]): Options {
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
  const known = beyond ? `${option.description} (not in the specification)` : option.description;
  return { ...option, description: preset === undefined ? known : `${known} (service default ${preset})` };
}

type Loader = () => Promise<Command>;

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
