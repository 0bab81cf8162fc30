import { chmodSync, lstatSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectory } from './files.ts';
import { namesIn } from './small-files.ts';
import { writeWhole } from './write-whole.ts';

/** More projects than anybody works with; a sandbox on a free port counts as one each time. */
const MOST_FILES = 40;

/** Writes a file whole, for its owner only; if there are too many, the oldest goes. Throws what the system says. */
export function writeCacheFile(file: string, text: string, mark: string): void {
  const directory = dirname(file);
  makeDirectory(directory);
  // It may have been there, made by somebody with another habit.
  chmodSync(directory, 0o700);
  // The name is hogctl's own, so a link of that name is replaced, not followed.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(file);
  writeWhole(file, text, { mark, isOwn: true });
  const paths = namesIn(directory).map((name) => join(directory, name));
  if (paths.length <= MOST_FILES) return;
  const byAge = paths.map((path) => ({
    path,
    time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  byAge.sort((left, right) => right.time - left.time);
  for (const { path } of byAge.slice(MOST_FILES)) rmSync(path, { force: true });
}

/** Removes one file; returns whether there was one, as a number. Throws what the system says. */
export function removeCacheFile(file: string): number {
  const count = statSync(file, { throwIfNoEntry: false }) === undefined ? 0 : 1;
  rmSync(file, { force: true });
  return count;
}

/** Removes a directory of such files and what is in it; returns how many there were. */
export function removeCacheDirectory(directory: string): number {
  const count = namesIn(directory).filter((name) => name.endsWith('.json')).length;
  rmSync(directory, { recursive: true, force: true });
  return count;
}
