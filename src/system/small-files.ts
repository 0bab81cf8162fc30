import { readdirSync, readFileSync, statSync } from 'node:fs';

/** A file of ours is far smaller, and Tab must not wait for one that is not. */
const LONGEST = 1_000_000;

/** The text of a small file, empty where there is none that can be read. */
export function readSmallFile(file: string): string {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // A pipe would be waited for.
    return !found?.isFile() || found.size > LONGEST ? '' : readFileSync(file, 'utf8');
  } catch {
    // Whatever cannot be read is not known: nothing of this is ever needed.
    return '';
  }
}

/** The names in a directory, none where there is none. */
export function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // As above.
    return [];
  }
}
