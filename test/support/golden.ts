import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Dialect } from '../../src/api/endpoint.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { runProgram, type Setting } from './run-program.ts';
import { splitWords } from './split-words.ts';

type Golden = {
  /** One case: the whole transcript of a command against the sandbox is its golden file. */
  readonly shows: (title: string, line: string, setting?: Setting) => void;
  readonly environment: () => Readonly<Record<string, string>>;
};

/** Golden transcripts of one noun, against one sandbox that the cases share in their order. */
export function golden(noun: string, { dialect = 'specification' as Dialect } = {}): Golden {
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  beforeAll(async () => {
    sandbox = await startSandbox({ dialect, now: '2026-06-18T12:00:00Z' });
  });
  afterAll(() => sandbox.stop());
  const environment = () => ({
    HOGCTL_HOST: sandbox.origin,
    HOGCTL_PROJECT: sandbox.projectId,
    HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
    HOGCTL_DIALECT: dialect,
  });
  return {
    environment,
    shows: (title, line, setting = {}) =>
      it(title, async () => {
        const given = { ...setting, environment: { ...environment(), ...setting.environment } };
        const transcript = await runProgram(splitWords(line), given);
        const file = `${title.replace(/[^a-z0-9]+/gi, '-').toLowerCase()}.txt`;
        await expect(write(line, transcript, sandbox.origin)).toMatchFileSnapshot(
          `../golden/${noun}/${file}`,
        );
      }),
  };
}

function write(
  line: string,
  { code, stdout, stderr }: Awaited<ReturnType<typeof runProgram>>,
  origin: string,
): string {
  const text = `$ hogctl ${line}\nexit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
  // The port is a free one each time.
  return text.replaceAll(origin, 'http://sandbox').replaceAll(new URL(origin).host, 'sandbox');
}
