import { CliError } from '../../../src/errors.ts';
import type { Client, ClientSettings } from '../../../src/http/client.ts';
import { createClient } from '../../../src/http/create-client.ts';

export const KEY = 'phx_TESTONLY0123456789';

/** A client whose waits take no time and are kept, as are its notes and trace. */
export type Watched = {
  readonly client: Client;
  readonly waits: number[];
  readonly notes: string[];
  readonly trace: string[];
};

/** A client of project 7 for tests: no jitter, a clock that stands still. */
export function makeClient(base: string, settings: Partial<ClientSettings> = {}): Watched {
  const waits: number[] = [];
  const notes: string[] = [];
  const trace: string[] = [];
  const client = createClient({
    base,
    projectId: '7',
    key: KEY,
    dialect: 'specification',
    wait: async (milliseconds) => {
      waits.push(milliseconds);
    },
    random: () => 0,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    note: (text) => notes.push(text),
    debug: (line) => trace.push(line),
    ...settings,
  });
  return { client, waits, notes, trace };
}

/** The CliError that the work ends with. Fails where it ends otherwise. */
export async function failureOf(work: Promise<unknown>): Promise<CliError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
