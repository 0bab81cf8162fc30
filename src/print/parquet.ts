import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { CliError, excerpt } from '../errors.ts';
import { type ColumnType, isExactNumber, type Json } from '../json/kinds.ts';
import { toText, writeJson } from '../json/text.ts';
import { DAY } from '../service/calendar.ts';
import { createColumnReader, type Note, type OutputFormat, withoutKeys } from './rows.ts';

/** Rows that are held and written together: what is read ahead of a place in the file is one such group. */
const ROWS_OF_GROUP = 10_000;

/** Characters of texts that are held, since few persons may have much to tell. */
const TEXT_OF_GROUP = 16_000_000;

/**
 * Parquet, a group of rows at a time. A column has the type that its command knows; any other holds JSON texts, so that
 * a value never fails to fit. Throws `unavailable` for a value that is not of the type, and a `partial` error at the end if
 * keys that no column shows had to be left out.
 */
export async function* parquetRows(
  pages: AsyncIterable<readonly Json[]>,
  outputFormat: OutputFormat,
  note: Note,
): AsyncGenerator<Uint8Array> {
  const reader = createColumnReader({ ...outputFormat, everyKey: true }, note);
  let file: ParquetFile | undefined;
  const open = (page: readonly Json[]) => {
    const columns = reader.columns(page).map(({ key, type = 'json' }, index) => {
      return { name: outputFormat.columns?.[index] ?? key, type };
    });
    return openFile(columns);
  };
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (file === undefined) file = open(page);
    else reader.watch(page);
    for (const row of page) {
      file.add(reader.read(row));
      if (file.isFull()) yield file.takeGroup();
    }
  }
  file ??= open([]);
  yield file.takeGroup();
  yield file.takeEnd();
  reader.finish();
  if (file.halves() > 0)
    note(`${file.halves()} texts contain half a character, written as U+FFFD; -o ndjson keeps it`, 'warning');
  if (reader.late().length > 0) throw withoutKeys(reader.late(), outputFormat);
}

type TypedColumn = { readonly name: string; readonly type: ColumnType };

type ParquetFile = {
  readonly add: (cells: readonly (Json | undefined)[]) => void;
  readonly isFull: () => boolean;
  /** The bytes of the rows that were added since. */
  readonly takeGroup: () => Uint8Array;
  readonly takeEnd: () => Uint8Array;
  /** How many texts cannot be written as they are. */
  readonly halves: () => number;
};

type Cell = string | number | bigint | boolean | null;

function openFile(columns: readonly TypedColumn[]): ParquetFile {
  const bytes = new ByteWriter();
  const root = { name: 'root', num_children: columns.length };
  const schema = [root, ...columns.map(({ name, type }) => ({ name, ...ELEMENTS[type] }))];
  // The package would rewrite the values of JSON columns and round long numbers, so they are bytes to it until the end.
  const withBytes = [
    root,
    ...columns.map(({ name, type }) => ({ name, ...(type === 'json' ? BYTES : ELEMENTS[type]) })),
  ];
  const writer = new ParquetWriter({ writer: bytes, schema: withBytes, createdBy: 'hogctl' });
  let cells: Cell[][] = columns.map(() => []);
  let text = 0;
  let halves = 0;
  const rows = () => cells[0]?.length ?? 0;
  const take = () => {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  };
  return {
    add: (values) => {
      for (const [index, column] of columns.entries()) {
        const cell = toCell(column, values[index]);
        cells[index]?.push(cell);
        if (typeof cell !== 'string') continue;
        text += cell.length;
        if (!cell.isWellFormed()) halves += 1;
      }
    },
    isFull: () => rows() >= ROWS_OF_GROUP || text >= TEXT_OF_GROUP,
    takeGroup: () => {
      const columnData = columns.map(({ name, type }, index) => {
        // Without indexes of pages nothing but the groups themselves is kept until the end.
        return {
          name,
          data: cells[index] ?? [],
          offsetIndex: false,
          statistics: type !== 'unsigned' && type !== 'json',
        };
      });
      if (rows() > 0) void writer.write({ columnData, rowGroupSize: rows() });
      cells = columns.map(() => []);
      text = 0;
      return take();
    },
    takeEnd: () => {
      writer.schema = schema;
      void writer.finish();
      return take();
    },
    halves: () => halves,
  };
}

const BYTES = { type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' } as const;

const ELEMENTS = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', repetition_type: 'OPTIONAL' },
  integer: { type: 'INT64', repetition_type: 'OPTIONAL' },
  unsigned: { type: 'INT64', converted_type: 'UINT_64', repetition_type: 'OPTIONAL' },
  number: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  boolean: { type: 'BOOLEAN', repetition_type: 'OPTIONAL' },
  day: { type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' },
  time: {
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    repetition_type: 'OPTIONAL',
  },
} as const;

/** Throws `unavailable` for a value that is not of the type. */
function toCell({ name, type }: TypedColumn, value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  const cell = CELLS[type](value);
  if (cell !== undefined) return cell;
  const shown = excerpt(writeJson(value), 100);
  throw new CliError(
    'unavailable',
    `the column "${name}" should contain ${NAMES[type]}, but contains ${shown}`,
    {
      hint: 'save it as .ndjson',
    },
  );
}

const NAMES: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  json: 'JSON',
  integer: 'whole numbers',
  unsigned: 'whole numbers',
  number: 'numbers',
  boolean: 'true and false',
  day: 'days',
  time: 'times',
};

const CELLS: Readonly<Record<ColumnType, (value: Json) => Cell | undefined>> = {
  text: toText,
  json: writeJson,
  integer: (value) => {
    const whole = wholeNumber(value);
    return whole === undefined || BigInt.asIntN(64, whole) !== whole ? undefined : whole;
  },
  unsigned: (value) => {
    const whole = wholeNumber(value);
    return whole === undefined || BigInt.asUintN(64, whole) !== whole ? undefined : whole;
  },
  number: (value) => {
    if (isExactNumber(value)) return Number(value.value);
    return typeof value === 'number' ? value : NO_NUMBERS.get(toText(value).toLowerCase());
  },
  boolean: (value) => {
    if (value === 0 || value === 1) return value === 1;
    return typeof value === 'boolean' ? value : undefined;
  },
  day: (value) => {
    const day = /^\d{4}-\d{2}-\d{2}$/.test(toText(value))
      ? Date.parse(`${toText(value)}T00:00:00Z`)
      : Number.NaN;
    return Number.isNaN(day) ? undefined : day / DAY;
  },
  time: (value) => {
    // Without a zone it is UTC.
    const [, start, fraction = '', zone = 'Z'] =
      /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}:?\d{2})?$/.exec(toText(value)) ??
      [];
    const seconds = Date.parse(`${start?.replace(' ', 'T')}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
    if (Number.isNaN(seconds)) return undefined;
    return BigInt(seconds) * 1000n + BigInt(fraction.padEnd(6, '0'));
  },
};

const NO_NUMBERS = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);

/** Long ones come as numbers with their own digits, or as texts. */
function wholeNumber(value: Json): bigint | undefined {
  const digits = isExactNumber(value) ? value.value : toText(value);
  return /^-?\d{1,20}$/.test(digits) ? BigInt(digits) : undefined;
}
