import type { Endpoint } from '../../api/endpoint.ts';
import type { Arguments } from './arguments.ts';
import type { Options } from './options.ts';

/** What a command says of itself, without the code that runs it: what help, completions and docs are made of. */
export type CommandEntry = {
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
};

/** What is said of a command where it is not loaded. */
export type Verb = Pick<CommandEntry, 'name' | 'aliases' | 'summary'>;

/** A noun and its verbs, loaded only when argv names it. */
export type GroupEntry = {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<readonly CommandEntry[]>;
  /** The one command of a group that is called without a verb, such as `endpoints`. */
  readonly single?: true;
};
