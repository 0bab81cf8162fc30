import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

const NOBODY = 65_534;

/**
 * Whether files can be given to other users here, and another user can run Node and reach the temporary files: root
 * only, and not where a container knows no other users or Node lies in root's own folder.
 */
export const hasOtherUsers =
  process.geteuid?.() === 0 &&
  spawnSync(process.execPath, ['-e', "require('node:fs').accessSync(process.argv[1])", `${tmpdir()}/.`], {
    uid: NOBODY,
    gid: NOBODY,
    env: {},
  }).status === 0;
