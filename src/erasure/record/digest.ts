import { hash } from 'node:crypto';

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
