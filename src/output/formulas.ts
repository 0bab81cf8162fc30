import type { Note } from './look.ts';

/** What makes a spreadsheet run a cell: the ASCII signs, their full-width forms, and white space it skips first. */
const formula = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const plainNumber = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whether a spreadsheet may run this text as a formula. Text that is a plain number, such as `-5`, is not one. */
function looksLikeFormula(text: string): boolean {
  return formula.test(text) && !plainNumber.test(text);
}

/** The one policy for text cells and headers of CSV and TSV. */
export type FormulaPolicy = {
  apply(text: string): string;
  finish(): void;
};

/**
 * `safe`: text that would be run gets a leading apostrophe. Else every cell keeps its exact bytes, so that ids can be
 * fed back, and one warning at the end says how many cells to beware of.
 */
export function createFormulaPolicy({ safe }: { readonly safe: boolean }, note: Note): FormulaPolicy {
  let count = 0;
  return {
    apply(text) {
      if (!looksLikeFormula(text)) return text;
      count += 1;
      return safe ? `'${text}` : text;
    },
    finish() {
      if (safe || count === 0) return;
      const cells =
        count === 1
          ? '1 text cell looks like a spreadsheet formula'
          : `${count} text cells look like spreadsheet formulas`;
      note(`${cells}; use --spreadsheet-safe before opening this in a spreadsheet`, 'warning');
    },
  };
}
