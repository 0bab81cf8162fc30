import { writeSync } from 'node:fs';
import { systemCode } from '../errors.ts';

/** Writes to standard output what it takes without a wait, and returns the rest. Throws as the system says. */
export function writeAtOnce(bytes: Uint8Array): Uint8Array {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (failure) {
    if (systemCode(failure) !== 'EAGAIN') throw failure;
  }
  return rest;
}
