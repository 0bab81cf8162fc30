import { usageError } from '../../errors.ts';
import { createRecordKey, type RecordKey } from '../../settings/record-key.ts';
import type { Owner } from '../../system/lock.ts';
import type { System } from '../../system/system.ts';

/** What a command is signed with: the version, and a name if one was given. */
export type Signature = { readonly version: string; name?: string };

/** What the records of deletions are made, signed and known by. */
export type Records = {
  /** Who does this, for the record of a run: the user and the computer, or who `signAs` said. */
  author(): { readonly by: string; readonly version: string };
  /** Throws a usage error for a name that is none. */
  signAs(name: string | undefined): void;
  /** This process, as the owner of what it locks. */
  readonly owner: Owner;
  /** By which records are known to be made here. */
  readonly key: RecordKey;
};

const LONGEST_NAME = 200;

export function createRecords(signature: Signature, system: System): Records {
  return {
    author: () => ({ by: signature.name ?? system.account(), version: signature.version }),
    signAs(given) {
      const name = given?.trim();
      if (name === '' || (name !== undefined && (name.length > LONGEST_NAME || /\p{Cc}/u.test(name))))
        throw usageError(`--by takes a name of at most ${LONGEST_NAME} characters`);
      if (name !== undefined) signature.name = name;
    },
    owner: { pid: system.pid, isAlive: system.isAlive, startOf: system.startOf },
    key: createRecordKey(system),
  };
}
