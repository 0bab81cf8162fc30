import { join } from 'node:path';
import { cacheDirectory } from '../../config/directories.ts';
import type { System } from '../../system/system.ts';

type Where = Pick<System, 'environment' | 'platform'>;

/** The same, whether or not names are kept now. */
export function placeOfKnown({ environment, platform }: Where): string | undefined {
  const directory = cacheDirectory(environment, platform);
  return directory === undefined ? undefined : join(directory, 'completion');
}

/** Where completion finds what commands have shown; undefined where there is no place, or nothing is to be kept. */
export function knownDirectory(where: Where): string | undefined {
  const { HOGCTL_NO_CACHE, HOGCTL_NO_NAMES } = where.environment;
  return HOGCTL_NO_CACHE || HOGCTL_NO_NAMES ? undefined : placeOfKnown(where);
}
