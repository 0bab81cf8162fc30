import type { GroupEntry, Verb } from './catalogue.ts';
import type { Command } from './define-command.ts';

/** The commands of a group by name. Each is loaded when argv names it. */
export type CommandLoaders = { readonly [name: string]: () => Promise<Command> };

/** A noun, with its commands and what is said of them where none is loaded. */
export type Group = Omit<GroupEntry, 'load'> & {
  readonly outline: Outline;
  readonly load: () => Promise<readonly Command[]>;
  /** The command of that name or alias; `undefined` if there is none. */
  readonly find: (word: string) => Promise<Command> | undefined;
};

/** What the help of a group shows. `npm run generate` writes it from the commands. */
export type Outline = { readonly example: string; readonly verbs: readonly Verb[] };

type Declaration = {
  readonly name: string;
  readonly summary: string;
  readonly commands: CommandLoaders;
  readonly outline: Outline;
};

/** A noun of several verbs. */
export function defineGroup({ commands, ...declaration }: Declaration): Group {
  const named = (word: string) =>
    declaration.outline.verbs.find(({ name, aliases }) => name === word || aliases.includes(word));
  return {
    ...declaration,
    load: () => Promise.all(Object.values(commands).map((load) => load())),
    find: (word) => commands[named(word)?.name ?? '']?.(),
  };
}

/** A noun that is a command by itself. */
export function defineSingle(name: string, summary: string, load: () => Promise<Command>): Group {
  return {
    name,
    summary,
    single: true,
    outline: { example: name, verbs: [] },
    load: async () => [await load()],
    find: load,
  };
}
