/** Prints rows as aligned columns; the keys of the first row are the headings. */
export function printTable(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index]))
      .join('  ')
      .trimEnd();
  console.log(line(columns));
  for (const row of rows) {
    console.log(line(columns.map((column) => row[column])));
  }
}
