import type { Options, OptionsInput } from './options.ts';

/** The options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS = {
  project: {
    type: 'text',
    short: 'p',
    placeholder: 'name or id',
    known: 'project',
    description: 'Which stored project; with a key from the environment, which project id',
  },
  host: {
    type: 'text',
    placeholder: 'us, eu or URL',
    description: 'The service; must agree with the stored project',
  },
  output: {
    type: 'text',
    short: 'o',
    placeholder: 'format',
    choices: ['table', 'json', 'ndjson', 'csv', 'tsv'],
    description: 'How to print the data: table, json, ndjson, csv, tsv',
  },
  columns: {
    type: 'texts',
    placeholder: 'a,b.c',
    known: 'columns',
    description: 'Choose and order fields; dotted paths reach inside',
  },
  headers: { type: 'boolean', negative: true, description: 'Leave out the header line' },
  save: {
    type: 'file',
    placeholder: 'file',
    description: 'Write the data to a file: complete, or not at all',
  },
  spreadsheetSafe: {
    type: 'flag',
    description: 'CSV for spreadsheets: cells that would run as formulas are marked as text',
  },
  serverFormat: {
    type: 'text',
    choices: ['csv', 'json'],
    placeholder: 'format',
    description: "Pass on the service's own csv or json answer",
  },
  yes: { type: 'flag', short: 'y', description: 'Do not ask; the project must be named' },
  confirm: { type: 'text', placeholder: 'project name', description: 'Name a protected project' },
  dryRun: { type: 'flag', description: 'Print the requests instead of sending them; reads are sent' },
  showIds: { type: 'flag', description: 'Show ids in a dry run' },
  timeout: {
    type: 'number',
    placeholder: 'seconds',
    minimum: 0.001,
    description: 'Time for one request (60; bulk deletion 300)',
  },
  retries: {
    type: 'integer',
    placeholder: 'n',
    minimum: 0,
    maximum: 20,
    description: 'How often to try again (4)',
  },
  caFile: { type: 'file', placeholder: 'file', description: 'More certificate authorities to trust, PEM' },
  quiet: { type: 'flag', short: 'q', description: 'No notes; warnings stay' },
  debug: { type: 'flag', description: 'Trace requests on stderr, key and person data masked' },
  color: {
    type: 'text',
    choices: ['auto', 'always', 'never'],
    placeholder: 'when',
    description: 'Colour: auto, always, never',
  },
} as const satisfies Options;

export type GlobalOptions = OptionsInput<typeof GLOBAL_OPTIONS>;
