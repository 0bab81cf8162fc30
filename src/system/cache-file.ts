import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { namesIn } from './small-files.ts';

/** More projects than anybody works with; a sandbox on a free port counts as one each time. */
const MOST_FILES = 40;

/** Writes a file whole, for its owner alone; where there are too many, the oldest goes. Throws what the system says. */
export function writeCacheFile(file: string, text: string, mark: string): void {
  const directory = dirname(file);
  mkdirSync(dirname(directory), { recursive: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // It may have been there, made by somebody with another habit.
  chmodSync(directory, 0o700);
  const unfinished = `${file}.${mark}.part`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, file);
  } catch (failure) {
    rmSync(unfinished, { force: true });
    throw failure;
  }
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
