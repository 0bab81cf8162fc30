import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Where a package lies that is installed beside hogctl, undefined if it is not. The build puts `scripts/peer.cjs` in the
 * place of this file, which looks among the global packages, too.
 */
export function findPeer(name: string): string | undefined {
  try {
    return createRequire(join(import.meta.dirname, 'peers.ts')).resolve(name);
  } catch {
    return undefined;
  }
}
