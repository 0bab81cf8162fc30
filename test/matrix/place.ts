import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of one test file, each new, all of them gone with `remove`. */
export function makePlaces(): { readonly home: string; next(): string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'hogctl-matrix-'));
  let count = 0;
  return {
    home,
    next: () => {
      count += 1;
      const folder = join(home, String(count));
      mkdirSync(folder);
      return folder;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
