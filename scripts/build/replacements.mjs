import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** What undici reads of llhttp's constants, which its own file works out at every start. */
function llhttpConstants() {
  const { TYPE, ERROR } = require('undici/lib/llhttp/constants.js');
  return `exports.TYPE = ${JSON.stringify(TYPE)}; exports.ERROR = ${JSON.stringify(ERROR)};`;
}

/** Parts of undici that a plain HTTP/1.1 client never reaches, by path below its lib folder. */
const undiciParts = {
  'dispatcher/client-h2.js': "module.exports = () => { throw new Error('HTTP/2 is not built in'); };",
  'web/fetch/body.js':
    "exports.extractBody = () => { throw new Error('Bodies of fetch are not built in'); };",
  // Tables of header names, which save the service's work in a long life; without them names are read letter by letter.
  'core/constants.js': 'exports.headerNameLowerCasedRecord = Object.create(null);',
  'core/tree.js': 'exports.tree = { lookup: () => null };',
  // Nobody listens to the channels, and --debug says what NODE_DEBUG would.
  'core/diagnostics.js': 'exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });',
  'llhttp/constants.js': llhttpConstants(),
};

/**
 * All that undici takes from two modules of Node, by name. Loading node:http costs as much as a fifth of a start,
 * node:assert with its five inner modules a tenth.
 */
const small = {
  'node:http': 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
  'node:assert': `module.exports = (value, message) => {
    if (!value) throw message instanceof Error ? message : new Error(message ?? 'an assertion of undici failed');
  };`,
};

/** Text of a dependency that is changed, and what it becomes. A text that is no longer there ends the build. */
const edits = {
  'commander/lib/command.js': [
    "const childProcess = require('node:child_process');",
    "const childProcess = { spawn: (...words) => require('node:child_process').spawn(...words) };",
  ],
  // The parser as JavaScript in place of WebAssembly, see scripts/translate-parser.mjs.
  'undici/lib/dispatcher/client-h1.js': [
    /const llhttpWasmData = [\s\S]*return new WebAssembly\.Instance\(mod, /,
    "return require('./llhttp.cjs')(",
  ],
};

const slashes = (path) => path.replaceAll('\\', '/');

function asEdited(file) {
  const found = Object.entries(edits).find(([name]) => slashes(file).endsWith(name));
  if (found === undefined) {
    return undefined;
  }
  const [, [before, after]] = found;
  const text = readFileSync(file, 'utf8');
  const contents = text.replace(before, () => after);
  if (contents === text) {
    throw new Error(`${file}: the text to replace is not there: ${before}`);
  }
  return { contents };
}

/**
 * Packages that a table may do without: colour, frame and the width of anything but ASCII. Each is loaded by the first
 * call that needs it, by a stand-in with the same exports. Lines and ellipsis of tables are one cell wide.
 */
const late = {
  chalk: "exports.Chalk = function (settings) { return new (require('chalk').Chalk)(settings); };",
  'cli-table3': "module.exports = function (settings) { return new (require('cli-table3'))(settings); };",
  'string-width': `const narrow = /^[\\x20-\\x7e\\u2500-\\u257f\\u2026]*$/;
    module.exports = (text) => (narrow.test(text) ? text.length : require('string-width').default(text));`,
};

/** An esbuild plugin that puts smaller parts in the place of what the program does not need. */
export function replaceParts(root) {
  return {
    name: 'replace-parts',
    setup(bundler) {
      const standIn = (name) => () => ({ path: join(root, 'scripts', name) });
      bundler.onResolve({ filter: /^undici$/ }, standIn('undici.cjs'));
      bundler.onResolve({ filter: /^@duckdb\/node-api$/ }, standIn('duckdb.cjs'));
      // A file of its own in dist: esbuild would spell it out over three megabytes.
      bundler.onResolve({ filter: /^\.\/llhttp\.cjs$/ }, ({ path }) => ({ path, external: true }));
      bundler.onResolve({ filter: /^node:(http|assert)$/ }, ({ path, importer }) =>
        slashes(importer).includes('/undici/lib/') ? { path, namespace: 'small' } : undefined,
      );
      bundler.onResolve({ filter: /^(chalk|cli-table3|string-width)$/ }, ({ path, importer }) =>
        slashes(importer).includes('/src/output/') ? { path, namespace: 'late' } : undefined,
      );
      bundler.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
        contents: late[path],
        resolveDir: root,
      }));
      bundler.onLoad({ filter: /.*/, namespace: 'small' }, ({ path }) => ({
        contents: small[path],
      }));
      bundler.onLoad({ filter: /[\\/]undici[\\/]lib[\\/].*\.js$/ }, ({ path }) => {
        const part = Object.keys(undiciParts).find((name) => slashes(path).endsWith(`/undici/lib/${name}`));
        return part === undefined ? asEdited(path) : { contents: undiciParts[part] };
      });
      bundler.onLoad({ filter: /[\\/]commander[\\/]lib[\\/]command\.js$/ }, ({ path }) => asEdited(path));
    },
  };
}
