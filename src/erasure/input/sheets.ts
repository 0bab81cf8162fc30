import { usageError } from '../../errors.ts';
import { type ColumnChoice, testsOf } from './csv.ts';

/** A sheet of a workbook, and the part that holds it. */
export type SheetEntry = {
  readonly name: string;
  readonly path: string;
  readonly isHidden: boolean;
  /** A chart has none. */
  readonly hasCells: boolean;
};

/** What a sheet is called in messages. */
export const nameOf = ({ name, isHidden }: SheetEntry) => (isHidden ? `${name} (hidden)` : name);

/** The sheet of this name, or all that can be seen. */
export function findSheets(
  sheets: readonly SheetEntry[],
  wanted: string | undefined,
): readonly [SheetEntry, ...SheetEntry[]] {
  const isMeant = ({ name, isHidden, hasCells }: SheetEntry) =>
    wanted === undefined ? !isHidden && hasCells : name === wanted;
  const [sheet, ...more] = sheets.filter(isMeant);
  const names = sheets.map(nameOf);
  if (sheet === undefined) {
    const missing = wanted === undefined ? 'sheet that can be seen' : `sheet "${wanted}"`;
    throw usageError(`the workbook has no ${missing}`, `its sheets: ${names.join(', ')}`);
  }
  if (!sheet.hasCells)
    throw usageError(`the sheet "${sheet.name}" has no cells`, `its sheets: ${names.join(', ')}`);
  const hidden = sheets.filter((one) => one.isHidden && (wanted === undefined || one === sheet));
  if (hidden.length > 0)
    throw usageError(
      `the workbook hides its ${hidden.length === 1 ? 'sheet' : 'sheets'} ${hidden.map(({ name }) => `"${name}"`).join(', ')}`,
      wanted === undefined
        ? 'show and check them, or choose a sheet with --sheet'
        : 'show it in a spreadsheet program and check it first',
    );
  return [sheet, ...more];
}

/** Whoever stands on a sheet that is not read is missed, so that of several only one may have the column. */
export async function chooseSheet(
  [first, ...more]: readonly [SheetEntry, ...SheetEntry[]],
  choice: ColumnChoice,
  namesIn: (sheet: SheetEntry) => Promise<readonly string[]>,
): Promise<SheetEntry> {
  const tests = testsOf(choice);
  if (more.length === 0 || tests.length === 0) return first;
  const rows: { readonly sheet: SheetEntry; readonly names: readonly string[] }[] = [];
  for (const sheet of [first, ...more]) rows.push({ sheet, names: await namesIn(sheet) });
  const filled = rows.filter(({ names }) => names.length > 0);
  const found = [
    ...tests.map((test) => filled.filter(({ names }) => names.some(test))),
    // Without a name that was asked for, the only sheet that holds anything may have its only column.
    choice.column === undefined ? filled : [],
  ].find(({ length }) => length > 0);
  const [only, another] = found ?? [];
  if (only !== undefined && another === undefined) return only.sheet;
  const called = choice.column === undefined ? 'such a column' : `a column "${choice.column}"`;
  const which = (found ?? rows).map(({ sheet }) => `"${sheet.name}"`).join(', ');
  throw found === undefined
    ? usageError(
        `no sheet of the workbook has ${called}: ${which}`,
        'give the name of its column with --column',
      )
    : usageError(`several sheets of the workbook may be meant: ${which}`, 'choose one with --sheet');
}
