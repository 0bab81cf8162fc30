import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { CliError, excerpt } from '../errors.ts';
import { type Column, type ColumnType, isExactNumber, type Json } from '../json/kinds.ts';
import { toText, writeJson } from '../json/text.ts';
import { DAY, isTimeZone } from '../semantics/calendar.ts';
import { instantOfDay } from '../semantics/timeline.ts';
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
  const open = (columns: readonly Column[]) =>
    openFile(
      columns.map(({ key, type = 'json', ...about }, index) => ({
        ...about,
        name: outputFormat.columns?.[index] ?? key,
        type: type === 'decimal' && (about.digits?.[0] ?? MOST_DIGITS) > MOST_DIGITS ? 'text' : type,
      })),
    );
  for await (const page of pages) {
    if (page.length === 0) continue;
    const columns = reader.columns(page);
    file ??= open(columns);
    for (const row of page) {
      file.add(reader.read(row));
      if (file.isFull()) yield file.takeGroup();
    }
  }
  file ??= open(reader.columns([]));
  yield file.takeGroup();
  yield file.takeEnd();
  reader.finish();
  if (file.halves() > 0)
    note(`${file.halves()} texts contain half a character, written as U+FFFD; -o ndjson keeps it`, 'warning');
  if (reader.late().length > 0) throw withoutKeys(reader.late(), outputFormat);
}

/** A decimal of more digits does not fit into 16 bytes, and stays text. */
const MOST_DIGITS = 38;

type TypedColumn = Pick<Column, 'zone' | 'digits'> & { readonly name: string; readonly type: ColumnType };

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
  const schema = [root, ...columns.map((column) => ({ name: column.name, ...elementOf(column) }))];
  // The package would rewrite the values of JSON columns and round long numbers, so they are bytes to it until the end.
  const withBytes = [
    root,
    ...columns.map((column) => ({
      name: column.name,
      ...(column.type === 'json' ? BYTES : elementOf(column)),
    })),
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
          statistics: type !== 'unsigned' && type !== 'json' && type !== 'decimal',
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

/** Throws `unavailable` for a value that is not of the type. */
function toCell(column: TypedColumn, value: Json | undefined): Cell {
  if (value === undefined || value === null) return null;
  const { name, type } = column;
  const cell = TYPES[type].toCell(value, column);
  if (cell !== undefined) return cell;
  const shown = excerpt(writeJson(value), 100);
  const message = `the column "${name}" should contain ${TYPES[type].named}, but contains ${shown}`;
  throw new CliError('unavailable', message, { hint: 'save it as .ndjson' });
}

type Element = Pick<
  SchemaElement,
  'type' | 'type_length' | 'converted_type' | 'logical_type' | 'precision' | 'scale'
>;

type TypeInFile = {
  readonly element: Element;
  /** What values of it are called. */
  readonly named: string;
  /** Undefined for a value that is not of it. */
  readonly toCell: (value: Json, about: TypedColumn) => Cell | undefined;
};

const BYTES = { type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' } as const;

function elementOf({ type, digits = [MOST_DIGITS, 0] }: TypedColumn) {
  const decimal = type === 'decimal' ? { precision: digits[0], scale: digits[1] } : {};
  return { ...TYPES[type].element, ...decimal, repetition_type: 'OPTIONAL' as const };
}

const TYPES: Readonly<Record<ColumnType, TypeInFile>> = {
  text: { named: 'text', element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, toCell: toText },
  json: { named: 'JSON', element: { type: 'BYTE_ARRAY', converted_type: 'JSON' }, toCell: writeJson },
  integer: {
    named: 'whole numbers',
    element: { type: 'INT64' },
    toCell: (value) => wholeNumber(value, BigInt.asIntN),
  },
  unsigned: {
    named: 'whole numbers',
    element: { type: 'INT64', converted_type: 'UINT_64' },
    toCell: (value) => wholeNumber(value, BigInt.asUintN),
  },
  number: {
    named: 'numbers',
    element: { type: 'DOUBLE' },
    toCell: (value) => {
      if (isExactNumber(value)) return Number(value.value);
      return typeof value === 'number' ? value : NO_NUMBERS.get(toText(value).toLowerCase());
    },
  },
  decimal: {
    named: 'decimals',
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL' },
    toCell: scaled,
  },
  boolean: {
    named: 'true and false',
    element: { type: 'BOOLEAN' },
    toCell: (value) => {
      if (value === 0 || value === 1) return value === 1;
      return typeof value === 'boolean' ? value : undefined;
    },
  },
  day: {
    named: 'days',
    element: { type: 'INT32', converted_type: 'DATE' },
    toCell: (value) => {
      const text = toText(value);
      const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
      return Number.isNaN(day) ? undefined : day / DAY;
    },
  },
  time: {
    named: 'times',
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } },
    toCell: microseconds,
  },
};

/** All digits of a decimal as a whole number; undefined for one with more digits than its column has. */
function scaled(
  value: Json,
  { digits: [precision, scale] = [MOST_DIGITS, 0] }: TypedColumn,
): bigint | undefined {
  const text = isExactNumber(value) ? value.value : toText(value);
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || !/^0*$/.test(fraction.slice(scale))) return undefined;
  const all = BigInt(`${sign}${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`);
  return String(all).replace('-', '').length > precision ? undefined : all;
}

function microseconds(value: Json, { zone: ofColumn = 'UTC' }: TypedColumn): bigint | undefined {
  const [, start = '', fraction = '', zone] =
    /^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}:?\d{2})?$/.exec(toText(value)) ??
    [];
  const seconds =
    zone === undefined && isTimeZone(ofColumn)
      ? (instantOfDay(start, ofColumn) ?? Number.NaN)
      : Date.parse(`${start.replace(' ', 'T')}${(zone ?? 'Z').replace(/(\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(seconds) ? undefined : BigInt(seconds) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

const NO_NUMBERS = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);

/** Long ones come as numbers with their own digits, or as texts. What does not fit into 64 bits is none. */
function wholeNumber(value: Json, cut: (bits: number, whole: bigint) => bigint): bigint | undefined {
  const digits = isExactNumber(value) ? value.value : toText(value);
  const whole = /^-?\d{1,20}$/.test(digits) ? BigInt(digits) : undefined;
  return whole === undefined || cut(64, whole) !== whole ? undefined : whole;
}
