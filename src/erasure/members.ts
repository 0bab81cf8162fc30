import { createHash, createHmac } from 'node:crypto';
import { type IdKind, normalizeId } from './id-kind.ts';

/**
 * How an id appears in journal and report: HMAC-SHA256, in hex, over its kind and its exact bytes (a UUID in lower case)
 * with the run's key. Without the key not even a guessed id can be recognised.
 */
export function memberOf(key: Uint8Array, kind: IdKind, id: string): string {
  return createHmac('sha256', key)
    .update(`${kind}\0${normalizeId(kind, id)}`)
    .digest('hex');
}

/** One SHA-256 over the members of a batch, in the order they were sent. */
export function digestOf(members: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const member of members) hash.update(member);
  return hash.digest('hex');
}

/** A value over a set of members that does not depend on their order, since a selection may come back in another. */
export function createMark(): { add(member: string): void; value(): string } {
  const sum = Buffer.alloc(32);
  return {
    add(member) {
      const bytes = Buffer.from(member, 'hex');
      for (let index = 0; index < sum.length; index += 4) {
        // Members are unique within a run, so none cancels another out.
        sum.writeInt32LE(sum.readInt32LE(index) ^ bytes.readInt32LE(index), index);
      }
    },
    value: () => sum.toString('hex'),
  };
}

/** A line of `members.ndjson`; `person` is the member of the uuid that the id belonged to, null for nobody. */
export type MemberLine = { readonly member: string; readonly kind: IdKind; readonly person?: string | null };

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
