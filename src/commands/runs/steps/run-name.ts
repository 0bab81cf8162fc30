/** A path as it is typed in a shell, for hints that name a run by it. */
export function nameOfPath(path: string): string {
  return /^[\w./~:@%+=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
