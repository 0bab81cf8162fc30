import type { Endpoint } from '../../service/endpoint.ts';
import type { Stderr } from '../../system/output.ts';
import type { System } from '../../system/system.ts';
import type { Arguments, GlobalOptions, Options, SpecialFormat } from './options.ts';

/** A command with its types forgotten: what the program registers and runs, and help, completion and docs are made of. */
export type Command = {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The rows it points at. */
  readonly endpoints: readonly Endpoint[];
  readonly summary: string;
  readonly description: string | undefined;
  /** Without `hogctl` in front; shown first in help, and run by tests. */
  readonly examples: readonly string[];
  readonly arguments: Arguments;
  readonly options: Options;
  /** Options that `--help` leaves out; `hogctl help <command>`, the man page and docs/commands.md show them. */
  readonly rare: readonly string[];
  /** The options under headings of help, in that order; those under none come first. */
  readonly headings: readonly (readonly [title: string, names: readonly string[]])[];
  /** Words that follow belong to another program, as in `sandbox exec -- command`. */
  readonly passThrough: boolean;
  /** The first signal lets what is in flight end; the command looks at the signal itself. */
  readonly graceful: boolean;
  /** Endings of files that it writes beside the formats of `--output`. */
  readonly saves?: readonly string[];
  /** A format that `--output` knows for this command only. */
  readonly special?: SpecialFormat;
  /** Its rows are chosen or made here, or there are none, so that --server-format has no answer to pass on. */
  readonly ownRows: boolean;
  /** It sends nothing, or only asks what the key may do, and shows rows that are worth a pager. */
  readonly paged?: true;
  /** What it printed is kept in the file of `--save`, whatever it then ends with: it tells what could not be asked. */
  readonly reports?: true;
  /** Resolves to an exit code if it is not 0, such as that of a child that it ran. */
  readonly run: (input: never, context: never) => Promise<void> | Promise<number>;
};

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

/** One call of the program: what a command touches is made of these. */
export type Call = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly stderr: Stderr;
};
