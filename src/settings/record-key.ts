import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { foreseen, systemCode } from '../errors.ts';
import { createOwnFile, readOwnFile } from '../system/own-files.ts';
import type { System } from '../system/system.ts';
import { configDirectory, makeConfigDirectory } from './project-file.ts';

/** How records of deletions are known to be made here: by a key that only this user's configuration holds. */
export type RecordKey = {
  /** The user whose records they are; undefined if the platform tells none. */
  readonly uid: number | undefined;
  /** Undefined if there is none. Throws a usage error for a file that others could have written. */
  readonly find: () => Buffer | undefined;
  /** The same, made if it is not there; undefined without a configuration directory that can be written. */
  readonly make: () => Buffer | undefined;
};

const LENGTH = 32;

export function createRecordKey(system: System): RecordKey {
  const directory = configDirectory(system.environment, system.platform);
  const file = directory === undefined ? undefined : join(directory, 'record-key');
  const find = () => {
    const text = file === undefined ? undefined : readOwnFile(file, system.uid);
    const key = Buffer.from(text?.trim() ?? '', 'hex');
    return key.length === LENGTH ? key : undefined;
  };
  return {
    uid: system.uid,
    find,
    make() {
      const known = find();
      if (known !== undefined || directory === undefined || file === undefined) return known;
      try {
        makeConfigDirectory(directory, system);
        createOwnFile(file, `${randomBytes(LENGTH).toString('hex')}\n`);
      } catch (error) {
        // Another process may just have made it; and without one, a record is told as made elsewhere.
        if (systemCode(error) === undefined) foreseen(error);
      }
      return find();
    },
  };
}
