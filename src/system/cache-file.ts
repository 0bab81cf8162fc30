import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './files.ts';
import { namesIn } from './small-files.ts';
import { writeWhole } from './write-whole.ts';

/** More projects than anybody works with; a sandbox on a free port counts as one each time. */
const MOST_FILES = 40;

/** A directory of ours, and what the names of our files look like. Others may have put files there too. */
export type CacheFiles = { readonly directory: string; readonly pattern: RegExp };

/** Writes a file whole, for its owner only; if there are too many, the oldest goes. Throws what the system says. */
export function writeCacheFile(
  { directory, pattern }: CacheFiles,
  { name, text, mark }: { readonly name: string; readonly text: string; readonly mark: string },
): void {
  makeDirectory(directory);
  if (!isDirectory(directory)) throw Object.assign(new Error(`${directory} is a link`), { code: 'ENOTDIR' });
  // It may have been there, made by somebody with another habit. This fails if it belongs to somebody else.
  chmodSync(directory, 0o700);
  const file = join(directory, name);
  // The name is hogctl's own, so a link of that name is replaced, not followed.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(file);
  writeWhole(file, text, { mark, isOwn: true });
  const paths = namesIn(directory).filter((one) => pattern.test(one));
  if (paths.length <= MOST_FILES) return;
  const byAge = paths.map((one) => {
    const path = join(directory, one);
    return { path, time: lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  byAge.sort((left, right) => right.time - left.time);
  for (const { path } of byAge.slice(MOST_FILES)) rmSync(path, { force: true });
}

/** Whether it is there, and no link, which could lead to files of another program. */
function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Removes one file; returns whether there was one, as a number. Throws what the system says. */
export function removeCacheFile({ directory }: CacheFiles, name: string): number {
  const file = join(directory, name);
  if (!isDirectory(directory) || lstatSync(file, { throwIfNoEntry: false }) === undefined) return 0;
  rmSync(file, { force: true });
  return 1;
}

/** Removes the files of a cache, and their directory if nothing else is in it; returns how many there were. */
export function removeCacheFiles({ directory, pattern }: CacheFiles): number {
  if (!isDirectory(directory)) return 0;
  const names = readdirSync(directory).filter((name) => pattern.test(name));
  for (const name of names) rmSync(join(directory, name), { force: true });
  if (readdirSync(directory).length === 0) rmdirSync(directory);
  return names.filter((name) => name.endsWith('.json')).length;
}
