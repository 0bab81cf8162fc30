import { join } from 'node:path';
import { removeCacheDirectory, removeCacheFile } from '../../system/cache-file.ts';
import type { System } from '../../system/system.ts';
import { fileNameOf, type Place } from './known.ts';
import { placeOfKnown } from './known-directory.ts';

/** Removes what is kept of one project, or of all; returns of how many. Throws what the system says. */
export function forget(where: Pick<System, 'environment' | 'platform'>, place?: Place): number {
  const directory = placeOfKnown(where);
  if (directory === undefined) return 0;
  return place === undefined
    ? removeCacheDirectory(directory)
    : removeCacheFile(join(directory, fileNameOf(place)));
}
