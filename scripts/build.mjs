// Bundles the program into dist: esbuild twice, then the licences of what was bundled.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { transform } from 'esbuild';
import { bundle, shared } from './build/bundle.mjs';
import { requireLate } from './build/late-requires.mjs';
import { collectLicences } from './build/licences.mjs';
import { exportPlainly, importPlainly, leaveOutUnused, refuseCircles } from './build/plain-exports.mjs';

const root = join(import.meta.dirname, '..');
const target = join(root, 'dist');

/**
 * esbuild gives a CommonJS module that is imported late one export, the default, and so hides its named exports.
 * Such a chunk hands on the module's own exports instead.
 */
function handOnExports(text, isCommonJs) {
  if (!isCommonJs) {
    return text;
  }
  const pattern = /^export default (\w+\(\));$/m;
  if (!pattern.test(text)) {
    throw new Error('a CommonJS module that is imported late has no default export to hand on');
  }
  return text.replace(pattern, 'module.exports = $1;');
}

/** Second pass: each chunk to CommonJS, which starts faster; a dynamic import becomes a require that runs late. */
async function toCommonJs(chunk, metafile) {
  const { entryPoint } = metafile.outputs[relative(root, chunk.path).replaceAll('\\', '/')];
  const isCommonJs = entryPoint !== undefined && metafile.inputs[entryPoint].format === 'cjs';
  const { code, warnings } = await transform(handOnExports(chunk.text, isCommonJs), {
    ...shared,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    logOverride: { 'commonjs-variable-in-esm': 'silent' },
  });
  if (warnings.length > 0) {
    throw new Error(`${chunk.path}: ${warnings.map((warning) => warning.text).join('; ')}`);
  }
  return exportPlainly(requireLate(code));
}

/**
 * The entry is loaded by Node itself, and brings the loader for what it needs late, since each file that Node loads
 * costs a twentieth of its start; but for the answer to Tab, which is smaller than what the loader needs.
 */
async function withLoader(code) {
  const calls = code.replaceAll(/(?<=\.then\(\(\) => )require\((?="\.\/(?!answer-tab-))/g, 'loadChunk(');
  const whole = `${calls}${loader.replace('(build)', digest.digest('hex').slice(0, 16))}`;
  return (await transform(whole, shared)).code;
}

/** Pairs of name and code. */
async function makeChunks() {
  const made = await Promise.all(
    result.outputFiles.map(async (chunk) => [basename(chunk.path), await toCommonJs(chunk, result.metafile)]),
  );
  refuseCircles(made);
  const codes = new Map(made);
  return made.map(([name, code]) => [name, leaveOutUnused(importPlainly(code, codes))]);
}

const result = await bundle(root);
if (result.warnings.length > 0) {
  throw new Error(result.warnings.map((warning) => warning.text).join('\n'));
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
// The package is of type module; without this file a chunk would be read as one, were it ever named .js.
writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
const loader = readFileSync(join(root, 'scripts/build/load-chunks.cjs'), 'utf8');
const parser = readFileSync(join(root, 'scripts/build/llhttp.cjs'), 'utf8');
const keeper = readFileSync(join(root, 'scripts/build/keep-chunks.cjs'), 'utf8');
const digest = createHash('sha256').update(loader).update(keeper).update(parser);
for (const [name, code] of await makeChunks()) {
  digest.update(code);
  writeFileSync(join(target, name), code);
}
writeFileSync(join(target, 'llhttp.cjs'), parser);
const entry = join(target, 'main.cjs');
writeFileSync(entry, await withLoader(readFileSync(entry, 'utf8')));
writeFileSync(join(target, 'keep-chunks.cjs'), keeper);
writeFileSync(join(target, 'licences.txt'), collectLicences(root, Object.keys(result.metafile.inputs)));

const sizes = readdirSync(target).map((name) => readFileSync(join(target, name)).length);
const kilobytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
console.log(`dist: ${sizes.length} files, ${kilobytes} KB`);
