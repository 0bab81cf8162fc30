import { build } from 'esbuild';
import { jsonAsText, lateRows } from './late-rows.mjs';
import { replaceParts } from './replacements.mjs';

/** What both passes of the build have in common. */
export const shared = {
  platform: 'node',
  target: 'node20.19',
  legalComments: 'inline',
  logLevel: 'silent',
};

/** First pass: ES modules with splitting, so that each module exists once and what is imported late is loaded late. */
export async function bundle(root) {
  return build({
    ...shared,
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    // Puts numbers that are named in another file in the place of their names, which loops over bytes need.
    minifySyntax: true,
    format: 'esm',
    splitting: true,
    metafile: true,
    write: false,
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.cjs' },
    chunkNames: '[name]-[hash]',
    plugins: [replaceParts(root), lateRows, jsonAsText],
    define: {
      // In a shell inside a snap, conf would write the file in place and not whole.
      'process.env.SNAP': 'undefined',
      // echarts would write hints for those who develop with it to the console.
      'process.env.NODE_ENV': '"production"',
    },
  });
}
