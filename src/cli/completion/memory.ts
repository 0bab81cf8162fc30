import type { Client } from '../../client/client.ts';
import type { Json } from '../../json/kinds.ts';
import type { System } from '../../system/system.ts';
import type { GlobalOptions } from '../command/options.ts';
import type { Target } from '../connect.ts';
import type { Talk } from '../talk.ts';

/** What a command leaves behind for completion: names that it has shown. */
export type Memory = {
  /** Whether anything is kept. */
  readonly isOpen: boolean;
  /** Says which project the command has to do with. */
  at(target: Target): void;
  /** Takes rows that are printed, and fields that the command shows by itself. */
  printed(rows: readonly Json[], fields: readonly string[]): void;
  /** A client whose single answers are looked at. */
  watch(client: Client): Client;
  /** Writes what is new. */
  save(): void;
};

export type Remembering = {
  readonly system: System;
  readonly options: GlobalOptions;
  readonly talk: Talk;
  /** As typed after `hogctl`, an alias as the name it stands for. */
  readonly path: string;
};
