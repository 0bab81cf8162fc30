import { createHmac } from 'node:crypto';
import { CliError } from '../errors.ts';
import { createMemberOf, type MemberOf } from './members.ts';
import type { RunDirectory } from './run-directory.ts';

const name = 'check-key';
const keyBytes = 32;

export function writeCheckKey(directory: RunDirectory, key: Uint8Array): void {
  directory.writeNew(name, [`${Buffer.from(key).toString('hex')}\n`]);
}

/** Tells whether a key is the same one, and nothing of the key: no member is taken over this text. */
export function fingerprintOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('fingerprint').digest('hex');
}

/** `cannot be told`: the plan has no fingerprint, since an older version wrote it, and only ids can tell. */
export type KeyState = 'holds' | 'changed' | 'missing' | 'cannot be told';

/**
 * The check key of a run, compared with the fingerprint in its plan. With another one every id would look like a
 * stranger, so `memberOf` throws a `check` error then.
 */
export function readCheckKey(
  directory: RunDirectory,
  fingerprint: string | undefined,
): { readonly keyState: KeyState; readonly memberOf: MemberOf } {
  const key = directory.has(name) ? Buffer.from(directory.readText(name).trim(), 'hex') : undefined;
  const keyState = compare(key, fingerprint);
  if (key !== undefined && (keyState === 'holds' || keyState === 'cannot be told')) {
    return { keyState, memberOf: createMemberOf(key) };
  }
  const refuse = () => {
    throw new CliError('check', keyProblem(keyState) ?? '', {
      hint: `no id can be recognised without it: bring back ${name} in ${directory.path} from a copy`,
    });
  };
  return { keyState, memberOf: refuse };
}

/** What is wrong with the key, as a sentence. */
export function keyProblem(state: KeyState): string | undefined {
  if (state === 'missing') return 'the check key of this run is missing';
  return state === 'changed' ? 'the check key of this run is not the one it was planned with' : undefined;
}

function compare(key: Buffer | undefined, fingerprint: string | undefined): KeyState {
  if (key === undefined) return 'missing';
  if (key.length !== keyBytes) return 'changed';
  if (fingerprint === undefined) return 'cannot be told';
  return fingerprintOf(key) === fingerprint ? 'holds' : 'changed';
}
