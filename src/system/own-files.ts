import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { sep } from 'node:path';
import { usageError } from '../errors.ts';
import { readWholeFile, realPathOf, statsOf } from './files.ts';
import type { System } from './system.ts';
import { quoteForShell } from './text.ts';

/**
 * The text of a file whose name hogctl chose, undefined without one. Throws a usage error for a link, a pipe, and a file
 * that another user could have written.
 */
export function readOwnFile(path: string, uid: number | undefined): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw usageError(`${path} is not a regular file`, 'move it away');
  const distrust = findDistrust(found, uid);
  if (distrust === undefined) return readWholeFile(path);
  const mend = `check what it holds, then run chmod 600 ${quoteForShell(path)}`;
  throw usageError(
    `${path} ${distrust.reason}, so it is not trusted`,
    distrust.canMend ? mend : 'move it away',
  );
}

/** Makes a file for its owner only. Throws what the system says, also if it is there. */
export function createOwnFile(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
}

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Why a file is not to be read: it is none, too large, or others could have written it. */
export type Unfit = { readonly unfit: string };

/** Opens a regular file to read without following a link or waiting for a pipe. Throws what the system says. */
export function openOwnFile(
  path: string,
  { uid, most }: { readonly uid: number | undefined; readonly most: number },
): { readonly descriptor: number; readonly size: number } | Unfit {
  const descriptor = openSync(path, READ);
  const found = fstatSync(descriptor);
  const isTooLarge = found.size > most ? `has more than ${most} bytes` : undefined;
  const unfit = found.isFile() ? (findDistrust(found, uid)?.reason ?? isTooLarge) : 'is not a regular file';
  if (unfit === undefined) return { descriptor, size: found.size };
  closeSync(descriptor);
  return { unfit };
}

/** Who runs this. Without a user id, as on Windows, nothing is looked at. */
export type Viewer = Pick<System, 'uid' | 'environment'>;

/** Why a file or directory is not trusted, and whether its reader can mend that with chmod. */
type Distrust = { readonly reason: string; readonly canMend: boolean };

/** Whether another user could have put there what lies there. Root may: it can do anything anyway. */
export function findDistrust(
  found: Pick<Stats, 'uid' | 'mode'> | undefined,
  uid: number | undefined,
): Distrust | undefined {
  if (found === undefined || uid === undefined) return undefined;
  const isOwn = found.uid === uid;
  if (!isOwn && found.uid !== 0) {
    return { reason: `belongs to another user (uid ${found.uid})`, canMend: false };
  }
  if ((found.mode & 0o022) === 0) return undefined;
  return {
    reason: `can be changed by other users (mode ${modeText(found.mode)})`,
    // A directory for all, such as /tmp, is to stay one.
    canMend: isOwn && (found.mode & 0o1000) === 0,
  };
}

/** The same for what a path leads to; nothing if nothing is there. */
export function findDistrustAt(path: string, uid: number | undefined): Distrust | undefined {
  return uid === undefined ? undefined : findDistrust(statsOf(path), uid);
}

/** Permission bits, such as `644`. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}

/**
 * Whether this is root with the HOME of another user, as after `sudo -E`, and the path lies below it. What root writes
 * there that user could neither read nor remove.
 */
export function isBelowForeignHome(path: string, { uid, environment }: Viewer): boolean {
  const home = environment.HOME;
  if (uid !== 0 || !home) return false;
  const owner = statsOf(home)?.uid ?? 0;
  return owner !== 0 && `${realPathOf(path)}${sep}`.startsWith(`${realpathSync(home)}${sep}`);
}

/** Throws a usage error for such a path. */
export function refuseForeignHome(path: string, viewer: Viewer, remedy = ''): void {
  if (!isBelowForeignHome(path, viewer)) return;
  const message = `${path} is in the home directory of another user, and root writes nothing there`;
  throw usageError(message, `run hogctl as that user${remedy}`);
}
