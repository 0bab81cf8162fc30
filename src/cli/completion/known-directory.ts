import { join } from 'node:path';
import { cacheDirectory } from '../../config/directories.ts';
import { removeCacheDirectory, removeCacheFile } from '../outside/cache-file.ts';
import type { Outside } from '../outside/outside.ts';
import { fileNameOf, type Place } from './known.ts';

type Where = Pick<Outside, 'environment' | 'platform'>;

function placeOf({ environment, platform }: Where): string | undefined {
  const directory = cacheDirectory(environment, platform);
  return directory === undefined ? undefined : join(directory, 'completion');
}

/** Where completion finds what commands have shown; undefined where there is no place, or nothing is to be kept. */
export function knownDirectory(where: Where): string | undefined {
  return where.environment.HOGCTL_NO_CACHE ? undefined : placeOf(where);
}

/** Removes what is kept of one project, or of all; returns of how many. Throws what the system says. */
export function forget(where: Where, place?: Place): number {
  const directory = placeOf(where);
  if (directory === undefined) return 0;
  return place === undefined
    ? removeCacheDirectory(directory)
    : removeCacheFile(join(directory, fileNameOf(place)));
}
