/** The check in one bundle with the core, or with a core that has a fault: whole worlds are tried, so speed counts. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const core = join(import.meta.dirname, '../../../../src/erasure/core.ts');

export async function loadCheck(change = (text: string) => text): Promise<typeof import('./check.ts')> {
  const contents = change(await readFile(core, 'utf8'));
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'check.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins: [
      {
        name: 'core',
        setup: ({ onLoad }) => onLoad({ filter: /erasure\/core\.ts$/ }, () => ({ contents, loader: 'ts' })),
      },
    ],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}
