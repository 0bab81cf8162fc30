import type { Options } from '../cli/command/options.ts';

const idSourceOptions = {
  ids: { type: 'texts', placeholder: 'id,id', description: 'Person ids, integers or UUIDs' },
  distinctIds: {
    type: 'texts',
    placeholder: 'id,id',
    description: 'Distinct ids; in a file if they hold commas',
  },
  from: {
    type: 'files',
    reads: 'standard input',
    placeholder: 'file',
    description: 'File with ids: list, CSV, NDJSON, workbook, or -',
  },
  as: {
    type: 'text',
    once: true,
    choices: ['ids', 'distinct-ids'],
    placeholder: 'kind',
    description: 'What the file holds',
  },
  column: {
    type: 'text',
    once: true,
    placeholder: 'name',
    of: 'from',
    offers: 'file columns',
    description: 'The column that holds the ids',
  },
  sheet: {
    type: 'text',
    once: true,
    placeholder: 'name',
    of: 'from',
    offers: 'file sheets',
    description: 'The sheet of a workbook (the one with the column)',
  },
  encoding: {
    type: 'text',
    once: true,
    placeholder: 'name',
    description: 'Encoding of text files, such as windows-1252 (utf-8)',
  },
} as const satisfies Options;

/** The argument of commands that are about a run, or about the runs of a request. */
export const runArgument = {
  type: 'text',
  offers: 'run',
  description: 'Run id or its start, a path with a slash, last, or a request',
} as const;

const { from, as, column, sheet, encoding } = idSourceOptions;

/** A list that a run answers, and where the answer goes. */
export const answeredListOptions = {
  from: { ...from, description: 'List to answer: list, CSV, NDJSON, workbook, or -' },
  as: { ...as, choices: ['ids', 'distinct-ids', 'emails'] },
  column,
  sheet,
  encoding,
  receipt: {
    type: 'file',
    placeholder: 'file',
    description: 'Write the list with the outcome of each line',
  },
  force: { type: 'flag', description: 'Let the receipt take the place of a file' },
} as const satisfies Options;

const selectionOptions = {
  allowStale: {
    type: 'flag',
    description: 'With --yes, take the persons of a cohort that is not calculated anew',
  },
  search: {
    type: 'text',
    once: true,
    description: 'All persons a search finds',
  },
} as const satisfies Options;

/** For an account that several people use. */
export const byOption = {
  by: {
    type: 'text',
    once: true,
    placeholder: 'name',
    description: 'Who does this, for the record (user and host name)',
  },
} as const satisfies Options;

export const carryingOptions = {
  ...byOption,
  concurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 8,
    description: 'Calls at the same time (1)',
  },
  rate: {
    type: 'number',
    minimum: 0.01,
    description: 'Calls a minute at most, with look-ups of many persons',
  },
  receipt: answeredListOptions.receipt,
  force: answeredListOptions.force,
  ignoreMissing: { type: 'flag', description: 'A run that finds no person is a success' },
} as const satisfies Options;

/** For a lock that nothing on this computer can judge. */
export const takeOverOption = {
  takeOver: {
    type: 'flag',
    description: 'Take over a run from a process of another host or container that has ended',
  },
} as const satisfies Options;

/** For a record whose people nobody here has seen. */
export const trustOption = {
  trustRecord: {
    type: 'flag',
    description: 'Carry out a record that was made elsewhere without showing its people',
  },
} as const satisfies Options;

/** When the request came in that a deletion answers, and by when it has to be done. */
export const deadlineOptions = {
  received: {
    type: 'text',
    once: true,
    placeholder: 'day',
    description: 'When the request came in, YYYY-MM-DD (today)',
  },
  deadline: {
    type: 'duration',
    description: 'How long after that it has to be done (30d); runs list --due tells',
  },
} as const satisfies Options;

/** The same for each line of a list. */
const receivedColumnOption = {
  receivedColumn: {
    type: 'text',
    once: true,
    placeholder: 'name',
    of: 'from',
    offers: 'file columns',
    description: 'The column with the day on which each line came in',
  },
} as const satisfies Options;

/** For a person who is named by what looks damaged. */
export const oddNameOption = {
  odd: {
    type: 'text',
    once: true,
    choices: ['stop', 'send'],
    placeholder: 'what',
    description: 'What to do if the id or email looks damaged: stop, send (stop)',
  },
} as const satisfies Options;

/** People whom no call may be about. Their files have their own kind, column and sheet. */
export const exceptionOptions = {
  except: {
    type: 'files',
    placeholder: 'file',
    description: 'Spare all persons in this file (legal hold)',
  },
  exceptAs: {
    ...as,
    of: 'except',
    choices: ['ids', 'distinct-ids', 'emails'],
    description: 'What the file of --except holds (as --as)',
  },
  exceptColumn: { ...column, of: 'except', description: 'The column of that file' },
  exceptSheet: { ...sheet, of: 'except', description: 'The sheet of that workbook' },
} as const satisfies Options;

/** The same for one file that is stored with a project. */
export const holdOptions = {
  ...exceptionOptions,
  except: {
    type: 'file',
    placeholder: 'file',
    description: 'Store a legal hold: no deletion includes the people in this file',
  },
  exceptAs: { ...exceptionOptions.exceptAs, description: 'What that file holds' },
  noExcept: { type: 'flag', description: 'Remove the stored legal hold' },
} as const satisfies Options;

const planOptions = {
  odd: {
    type: 'text',
    once: true,
    choices: ['stop', 'skip', 'send'],
    placeholder: 'what',
    description: 'Damaged lines: stop, skip, send (stop)',
  },
  trim: { type: 'flag', description: 'Take white space off both ends of each id' },
  ...exceptionOptions,
  noExcept: { type: 'flag', description: 'Leave out the legal hold that is stored with the project' },
  batchSize: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Ids per call (995 for the live service, else 100)',
  },
  max: {
    type: 'integer',
    minimum: 1,
    description: 'Most ids; conditions need it with --yes',
  },
  planOnly: { type: 'flag', description: 'Write the plan and stop; runs resume does it' },
  ...deadlineOptions,
  ...receivedColumnOption,
  newRun: {
    type: 'flag',
    description: 'Start again if the same command was interrupted',
  },
} as const satisfies Options;

export const bulkDeleteOptions = {
  emails: {
    type: 'texts',
    placeholder: 'a,b',
    description: 'E-mail addresses, in upper or lower case',
  },
  ...idSourceOptions,
  as: answeredListOptions.as,
  ...selectionOptions,
  ...planOptions,
  ...carryingOptions,
  ...trustOption,
} as const satisfies Options;

/** The options of a bulk deletion, as its help has them. */
export const bulkDeleteHeadings = [
  [
    'Who',
    [
      ...['emails', 'ids', 'distinctIds', 'from', 'as', 'column', 'sheet', 'encoding'],
      ...['property', 'properties', 'search', 'cohort', 'allowStale', 'projects'],
    ],
  ],
  ['What goes', ['delete_events', 'delete_recordings', 'keep_person']],
  [
    'Safety',
    [
      ...['except', 'exceptAs', 'exceptColumn', 'exceptSheet', 'noExcept', 'odd', 'trim', 'max', 'planOnly'],
      ...['ignoreMissing', 'newRun', 'by', 'trustRecord'],
    ],
  ],
  ['Answer', ['receipt', 'force', 'received', 'receivedColumn', 'deadline']],
  ['Pace', ['batchSize', 'concurrency', 'rate']],
] as const;

/** What a deletion seldom needs; `hogctl help` shows it. */
export const rareBulkDeleteOptions = [
  'cohort',
  'allowStale',
  'by',
  'keep_person',
  'sheet',
  'encoding',
  'search',
  'trim',
  'exceptAs',
  'exceptColumn',
  'exceptSheet',
  'noExcept',
  'batchSize',
  'received',
  'receivedColumn',
  'deadline',
  'newRun',
  'force',
  'trustRecord',
  'concurrency',
  'rate',
  'ignoreMissing',
  'properties',
] as const;

/** For commands that act in several stored projects at once. */
export const projectsOption = {
  projects: {
    type: 'texts',
    placeholder: 'name,name',
    offers: 'project',
    description: 'Do it in each of these stored projects',
  },
} as const satisfies Options;
