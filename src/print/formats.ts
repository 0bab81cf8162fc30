type FormatRow = {
  /** For `hogctl help output`. */
  readonly about: string;
  /** Whether `--output` takes it. Another one follows from the name of a file only. */
  readonly isNamed: boolean;
  /** Whether there is a header line, which `--no-headers` leaves out. */
  readonly hasHeader: boolean;
  /** Whether it is a table that a spreadsheet opens, which might run a cell as a formula. */
  readonly isForSpreadsheets: boolean;
  /** Whether more rows continue it: nothing stands behind the last one, or depends on the others. */
  readonly isByLine: boolean;
  /** How the name of a file ends that any command writes in this format. */
  readonly endings: readonly string[];
};

/** Every format of rows. Options, help, file names, warnings and tests follow; `printing.ts` has a writer for each. */
export const formats = {
  table: {
    about: 'For people; the default',
    isNamed: true,
    hasHeader: true,
    isForSpreadsheets: false,
    isByLine: false,
    endings: [],
  },
  json: {
    about: 'As the service sent it, numbers with their own digits',
    isNamed: true,
    hasHeader: false,
    isForSpreadsheets: false,
    isByLine: false,
    endings: ['json'],
  },
  ndjson: {
    about: 'One line per row, for pipes',
    isNamed: true,
    hasHeader: false,
    isForSpreadsheets: false,
    isByLine: true,
    endings: ['ndjson', 'jsonl'],
  },
  csv: {
    about: 'For spreadsheets; with --spreadsheet-safe if other people chose the values',
    isNamed: true,
    hasHeader: true,
    isForSpreadsheets: true,
    isByLine: true,
    endings: ['csv'],
  },
  tsv: {
    about: 'As csv, with tabs between the cells',
    isNamed: true,
    hasHeader: true,
    isForSpreadsheets: true,
    isByLine: true,
    endings: ['tsv'],
  },
  parquet: {
    about: 'Files of query and persons export, with types; times are UTC, the rest is JSON',
    isNamed: false,
    hasHeader: false,
    isForSpreadsheets: false,
    isByLine: false,
    // Few commands write it, and they say so.
    endings: [],
  },
} as const satisfies Readonly<Record<string, FormatRow>>;

export type Format = keyof typeof formats;

/** Those that `--output` takes. */
export type NamedFormat = {
  [Name in Format]: (typeof formats)[Name]['isNamed'] extends true ? Name : never;
}[Format];

export const namedFormats = Object.entries(formats).flatMap(([name, { isNamed }]) =>
  isNamed ? [name as NamedFormat] : [],
);

/** Those that hold one kind of rows in each file. */
export const tableFormats = namedFormats.filter((name) => formats[name].isForSpreadsheets);

/** By the ending of a file's name. */
export const formatsByEnding: ReadonlyMap<string, NamedFormat> = new Map(
  namedFormats.flatMap((name) => formats[name].endings.map((ending) => [ending, name] as const)),
);

export function endingOf(file: string): string {
  return /\.([a-z]{1,10})$/.exec(file.toLowerCase().slice(-12))?.[1] ?? '';
}

/** The format that the name of a file says, if it says one. */
export function formatOfName(file: string): NamedFormat | undefined {
  return formatsByEnding.get(endingOf(file));
}
