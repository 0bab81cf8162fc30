import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { cleanEnvironment, start, temporaryDirectory } from './built-program.ts';

const sources = join(import.meta.dirname, '../../src');

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
  }[];
};
type Range = { readonly count: number };

/** The files of the sources in which a function with a name ran. */
function filesOpened(directory: string): readonly string[] {
  const opened = new Set<string>();
  for (const file of readdirSync(directory)) {
    // V8 writes what this type says.
    const { result } = JSON.parse(readFileSync(join(directory, file), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      const ran = functions.some(
        ({ functionName, ranges: [whole] }) => functionName !== '' && whole?.count !== 0,
      );
      const path = /\/src\/(.*\.ts)$/.exec(url)?.[1];
      if (ran && path !== undefined) opened.add(path);
    }
  }
  return [...opened].sort();
}

const [major = 0] = process.versions.node.split('.').map(Number);

// Coverage of the sources needs a Node that runs them as they stand. What is read may become less, and not more.
it.skipIf(major < 24).each([
  ['persons list', [], 44],
  ['persons list', ['-o', 'csv'], 41],
  ['insights funnel', ['--events', '$pageview,order_completed'], 53],
  ['persons bulk-delete', ['--distinct-ids', 'shopper-0007,shopper-0008', '--yes'], 93],
])('%s %j takes a reader through at most %i files', async (command, options, most) => {
  const sandbox = await startSandbox({ dialect: 'specification' });
  onTestFinished(() => sandbox.stop());
  const directory = temporaryDirectory();
  const line = [process.execPath, join(sources, 'main.ts'), ...command.split(' '), ...options] as const;
  const environment = {
    ...cleanEnvironment(),
    HOGCTL_HOST: sandbox.origin,
    HOGCTL_PROJECT: String(sandbox.projectId),
    HOGCTL_API_KEY: sandbox.keys[0]?.key ?? '',
    NODE_V8_COVERAGE: directory,
  };
  const { code, stderr } = await start(line, environment).ended;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const files = filesOpened(directory);
  expect(files).toContain('cli/run.ts');
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});
