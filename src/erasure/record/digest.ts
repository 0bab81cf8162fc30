import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { RunDirectory } from './directory.ts';

export function sha256(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** One SHA-256 over the members of a batch, in the order they were sent. */
export function digestOf(members: Iterable<string>): string {
  return sha256([...members].join(''));
}

/** A value over a set of members that does not depend on their order: a selection may come back in another. */
export function createMark(): { readonly add: (member: string) => void; readonly value: () => string } {
  const sum = Buffer.alloc(32);
  return {
    // Members are unique within a run, so none cancels another out.
    add(member) {
      const bytes = Buffer.from(member, 'hex');
      for (let at = 0; at < sum.length; at += 4)
        sum.writeInt32LE(sum.readInt32LE(at) ^ bytes.readInt32LE(at), at);
    },
    value: () => sum.toString('hex'),
  };
}

export const macFile = 'mac';

/** Over the plan, which holds the hash of the members. */
export function macOf(key: Buffer, planText: string): string {
  return createHmac('sha256', key).update(planText).digest('hex');
}

export function isMadeHere(directory: RunDirectory, planText: string, key: Buffer | undefined): boolean {
  if (key === undefined || !directory.has(macFile)) return false;
  const mac = Buffer.from(directory.readText(macFile).trim(), 'hex');
  const own = Buffer.from(macOf(key, planText), 'hex');
  return mac.length === own.length && timingSafeEqual(mac, own);
}
