import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of one test file, each new, all of them gone with `remove`. A file of which no test runs makes none. */
export function makePlaces(): { next(): string; remove(): void } {
  let home: string | undefined;
  let count = 0;
  return {
    next: () => {
      home ??= mkdtempSync(join(tmpdir(), 'hogctl-matrix-'));
      count += 1;
      const folder = join(home, String(count));
      mkdirSync(folder);
      return folder;
    },
    remove: () => {
      if (home !== undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}
