import type { Options } from '../../../cli/command/options.ts';

/** The options of `persons export`. */
export const exportOptions = {
  withEvents: { type: 'flag', description: "All of the person's events too" },
  resume: {
    type: 'file',
    placeholder: 'file',
    description: 'Keep in this file how far it is, and go on from there; with --save',
  },
  via: {
    type: 'text',
    choices: ['auto', 'query', 'list'],
    placeholder: 'way',
    description: 'auto, query or list: auto reads through SQL, and the list where the key may not',
  },
} as const satisfies Options;
