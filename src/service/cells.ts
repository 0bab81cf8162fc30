import { isExactNumber, isList, isObject, type Json } from '../json/kinds.ts';
import { toJsonText } from '../json/write.ts';
import { escapeControls } from '../system/text.ts';

/** Whether a value is a number, with or without its own digits. */
export function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number' || isExactNumber(value);
}

/** A value as CSV and TSV hold it: text as it is, nested values as JSON on one line; null where there is nothing. */
export function dataText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : toJsonText(value);
}

/** A value as tables show it. `items` are the parts of a list, so that a long one can be shortened by whole items. */
export type Cell = { readonly text: string; readonly items?: readonly string[] };

/** Text of a value for people: no control character, lists of plain values as `a, b`, nothing for null. */
export function displayCell(value: Json | undefined): Cell {
  if (isList(value) && value.length > 0 && !value.some((item) => isList(item) || isObject(item))) {
    const items = value.map(itemText);
    return { text: items.join(', '), items };
  }
  return { text: escapeControls(dataText(value) ?? '') };
}

/** An item that could be taken for two, or for none, is quoted. */
function itemText(item: Json): string {
  const ambiguous = typeof item !== 'string' || item === '' || /[,"]|^\s|\s$/.test(item);
  return escapeControls(ambiguous ? toJsonText(item) : item);
}
