import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SandboxSettings } from '../../src/sandbox/start-sandbox.ts';
import type { Dialect } from '../../src/service/endpoint.ts';
import { inOrder } from './in-order.ts';
import { borrowSandbox } from './open-sandbox.ts';
import { runProgram, type Setting, sandboxEnvironment, type Transcript, waitShortly } from './run-program.ts';
import { splitWords } from './split-words.ts';

type Golden = {
  /** One case: the whole transcript of a command against the sandbox is its golden file. */
  readonly shows: (title: string, line: string, setting?: Setting) => void;
  readonly environment: () => Readonly<Record<string, string>>;
};

/** Compares a transcript with its golden file, path from the test. A crash is nothing that people should see. */
export async function matchGolden(text: string, path: string): Promise<void> {
  if (CRASH.test(text)) throw new Error(`exit 1 is a bug, no golden file can hold it:\n${text}`);
  await expect(text).toMatchFileSnapshot(path);
}

/** The line of a transcript that tells a crash. */
export const CRASH = /^exit 1$/m;

/**
 * Golden transcripts of one noun, against one sandbox. Its lines run in the order in which they stand and each of them
 * once, so that a case shows the same by itself, or among others that were shuffled.
 */
export function golden(
  noun: string,
  { dialect = 'specification', data }: { readonly dialect?: Dialect } & Pick<SandboxSettings, 'data'> = {},
): Golden {
  let sandbox: Awaited<ReturnType<typeof borrowSandbox>>;
  let state: string;
  beforeAll(async () => {
    state = await mkdtemp(join(tmpdir(), 'hogctl-state-'));
    sandbox = await borrowSandbox({ dialect, data, now: '2026-06-18T12:00:00Z' });
  });
  afterAll(async () => {
    await sandbox.stop();
    await rm(state, { recursive: true, force: true });
  });
  const environment = () => ({
    ...sandboxEnvironment(sandbox, dialect),
    HOGCTL_STATE_DIR: state,
  });
  const inTurn = inOrder();
  let begun = 0;
  return {
    environment,
    shows: (title, line, setting = {}) => {
      begun += 1;
      // Each case has a second of its own, so that each run of a deletion has a name of its own.
      const now = Date.parse('2026-03-02T12:00:00Z') + begun * 1000;
      const call = inTurn(() => {
        const given = { now: () => now, wait: waitShortly, ...setting };
        return runProgram(splitWords(line), {
          ...given,
          environment: { ...environment(), ...setting.environment },
        });
      });
      it(title, async () => {
        const file = `${title.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}.txt`;
        const text = write(line, await call(), sandbox.origin).replaceAll(state, '<state>');
        await matchGolden(text, `../golden/${noun}/${file}`);
      });
    },
  };
}

function write(line: string, { code, stdout, stderr }: Transcript, origin: string): string {
  const text = `$ hogctl ${line}\nexit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
  // The port is a free one each time.
  const named = text.replaceAll(origin, 'http://sandbox').replaceAll(new URL(origin).host, 'sandbox');
  // A run has a random key, and so other hashes each time.
  return named.replace(/\b[0-9a-f]{64}\b/g, '<sha256>');
}
