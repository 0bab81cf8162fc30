import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { System } from './system.ts';

/** Who runs this. Without a user id, as on Windows, nothing is looked at. */
export type Viewer = Pick<System, 'uid' | 'environment'>;

/** Why a file or directory is not trusted, and whether its reader can mend that with chmod. */
export type Distrust = { readonly reason: string; readonly canMend: boolean };

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

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // What cannot be looked at cannot be used either, and whoever tries says why.
    return undefined;
  }
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

/** Of a path that is not all there yet. */
function realPathOf(path: string): string {
  const whole = resolve(path);
  if (statsOf(whole) !== undefined) return realpathSync(whole);
  const parent = dirname(whole);
  return parent === whole
    ? whole
    : resolve(realPathOf(parent), whole.slice(parent.length).replace(/^[\\/]+/, ''));
}
