import { knownDirectory } from './known-directory.ts';
import type { Memory, Remembering } from './memory.ts';

const NOTHING: Memory = {
  isOpen: false,
  at: () => {},
  printed: () => {},
  watch: (client) => client,
  save: () => {},
};

/** A memory of what a command shows. Where nobody is at a terminal, in jobs and scripts, nobody presses Tab either. */
export async function openMemory(remembering: Remembering): Promise<Memory> {
  const { system, options, path } = remembering;
  // The fields of an answer to `api` may be anything, people's ids among them.
  if (!system.attended || options.dryRun || path === 'api') return NOTHING;
  const directory = knownDirectory(system);
  if (directory === undefined) return NOTHING;
  return (await import('./create-memory.ts')).createMemory(remembering, directory);
}
