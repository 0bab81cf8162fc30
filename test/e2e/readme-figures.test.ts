import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { runProgram } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
const shown = /hogctl sandbox exec -- hogctl (insights funnel .*)\n[^`]*```\n\n```text\n([^`]*)```/.exec(
  readme,
);

it('shows the funnel in the README as the sandbox calculates it', async () => {
  const [, line = '', text = ''] = shown ?? [];
  expect(text).not.toBe('');
  const sandbox = await startSandbox({ dialect: 'specification' });
  try {
    const environment = {
      HOGCTL_HOST: sandbox.origin,
      HOGCTL_PROJECT: sandbox.projectId,
      HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
    };
    const { code, stdout } = await runProgram(splitWords(line), { environment });
    expect(stdout).toBe(text);
    expect(code).toBe(0);
  } finally {
    await sandbox.stop();
  }
});
