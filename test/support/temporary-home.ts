import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** What a run of the tests may need at most: databases, workbooks and exports of many rows. */
const ROOM = 512 * 1024 * 1024;

const NAME = 'hogctl-tests-';

/** Where npm lets Node 22 and later keep compiled code, which stays when npm ends. */
const NODE_CODE = 'node-compile-cache';

/**
 * One home for the temporary folders of a run. It lies in memory where there is room, as the tests write thousands of
 * small files to the disk for certain and would wait for it. A test that leaves something there fails the run.
 */
export function setup(): (() => void) | undefined {
  // Each project asks for a home; the first one makes it.
  if (basename(process.env.TMPDIR ?? '').startsWith(NAME)) return undefined;
  // What files are allowed is looked at where they are made, so a test that needs other habits says so.
  process.umask(0o022);
  const home = mkdtempSync(join(process.env.TMPDIR ?? memory() ?? tmpdir(), NAME));
  // Some tests look at files as other users.
  chmodSync(home, 0o711);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = home;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const left = readdirSync(home).filter((name) => name !== NODE_CODE);
    rmSync(home, { recursive: true, force: true });
    if (left.length === 0) return;
    // Vitest shows the error, but ends with 0.
    process.exitCode = 1;
    throw new Error(`tests left temporary files: ${left.slice(0, 10).join(', ')}`);
  };
}

function memory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > ROOM && runsPrograms('/dev/shm') ? '/dev/shm' : undefined;
  } catch {
    // No such place on this system.
    return undefined;
  }
}

/** Containers may mount it so that nothing in it is run, as some tests do. */
function runsPrograms(folder: string): boolean {
  const place = mkdtempSync(join(folder, NAME));
  try {
    writeFileSync(join(place, 'program'), '', { mode: 0o700 });
    accessSync(join(place, 'program'), constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
}
