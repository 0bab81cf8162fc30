import type { Command } from './define-command.ts';

/** Texts of options by our names: true or false for switches, every text given for the others. */
export type RawOptions = { readonly [name: string]: boolean | readonly string[] };

/** What argv asks for. */
export type Parsed =
  | { readonly kind: 'help'; readonly text: string; readonly wanted: boolean }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: Command;
      /** As typed after `hogctl`, an alias as the name it stands for. */
      readonly path: string;
      readonly globals: RawOptions;
      readonly options: RawOptions;
      readonly words: readonly string[];
    };
