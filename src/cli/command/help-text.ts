import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A text of help that is longer than a line: the file of this name below `src`, without its last line break. The build
 * puts all of them in the place of this function.
 */
export function helpText(name: string): string {
  return readFileSync(join(import.meta.dirname, '..', '..', `${name}.txt`), 'utf8').trimEnd();
}
