// Bundles the program into dist: our source as one file, and a file each for what few commands need. With --licences it
// prints docs/licences.md and writes nothing; with --sbom it also writes the list of all that is built in, for a package.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build, transformSync } from 'esbuild';
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js';
import { findPackages, licencesDocument, licenceTexts } from './licences.mjs';
import { bundledSbom, makesSbom } from './sbom.mjs';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '..');
const target = join(root, 'dist');
const about = join(root, 'package.json');
const { version, repository } = require(about);

const slashes = (path) => path.replaceAll('\\', '/');

/** Modules of ours that an import finds in a file beside the program. */
const files = {
  'src/program.ts': 'load.cjs',
  'src/completion/complete.ts': 'tab.cjs',
  'src/sandbox/start-sandbox.ts': 'sandbox.cjs',
  'src/charts/svg/svg-picture.ts': 'pictures.cjs',
};

/** Data of ours that few commands need. */
const data = {
  'src/service/queries.json': 'queries.cjs',
  'src/service/sql-functions.json': 'functions.cjs',
};

/** Packages that few commands need: a file each, loaded with the module that imports it. */
const packages = 'conf csv-parse diff hyparquet-writer numfmt re2js saxes yaml yauzl yazl'.split(' ');

/** Modules that are loaded when one of their names is first used: each costs 1 to 10 ms of a start. */
const late =
  /^(node:(child_process|crypto|fs\/promises|http|os|stream|tls|tty|v8|worker_threads|zlib)|re2js)$/;

/** Parts of undici that a plain HTTP/1.1 client never reaches, or needs little of. */
const undiciParts = {
  'dispatcher/client-h2.js': "module.exports = () => { throw new Error('HTTP/2 is not built in'); };",
  'web/fetch/body.js': "exports.extractBody = () => { throw new Error('fetch is not built in'); };",
  // Tables of header names, which save a server work in a long life; without them names are read letter by letter.
  'core/constants.js': 'exports.headerNameLowerCasedRecord = Object.create(null);',
  'core/tree.js': 'exports.tree = { lookup: () => null };',
  'core/diagnostics.js': 'exports.channels = new Proxy({}, { get: () => ({ hasSubscribers: false }) });',
  // What its own file works out at every start.
  'llhttp/constants.js': `exports.TYPE = ${JSON.stringify(TYPE)}; exports.ERROR = ${JSON.stringify(ERROR)};`,
  // For processors older than any that Node 20 runs on.
  'llhttp/llhttp-wasm.js': "throw new Error('this processor lacks SIMD');",
};

/** What the program needs of modules; a width of text loads Unicode's tables only if it must. */
const standIns = {
  undici: "module.exports = require('./scripts/undici.cjs');",
  '@duckdb/node-api': "module.exports = require('./scripts/duckdb.cjs');",
  '@duckdb/node-bindings': 'module.exports = native;',
  'ajv-formats': 'module.exports = {};',
  semver: 'module.exports = {};',
  'ajv/dist/2020.js': "exports.Ajv2020 = () => { throw new Error('schemas are not built in'); };",
  'node:http': 'exports.maxHeaderSize = 16384; exports.IncomingMessage = class {};',
  'node:assert': `module.exports = (value, message) => {
    if (!value) throw message instanceof Error ? message : new Error(message ?? 'an assertion of undici failed');
  };`,
  'string-width': `const narrow = /^[\\x20-\\x7e\\u2500-\\u257f\\u2026]*$/;
    module.exports = (text) => (narrow.test(text) ? text.length : require('string-width').default(text));`,
};

/** Texts of help by their names below `src`. */
const helpTexts = Object.fromEntries(
  readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => path.endsWith('.txt'))
    .sort()
    .map((path) => [
      slashes(path).replace(/\.txt$/, ''),
      readFileSync(join(root, 'src', path), 'utf8').trimEnd(),
    ]),
);

/** What later versions of Node have beside what this one has. */
const laterNames = { 'node:zlib': ['createZstdDecompress'] };

/** Each name of a module as a getter that loads it, from a file of ours if it is a package. */
function lateModule(path) {
  const known = [...Object.keys(require(path)), ...(laterNames[path] ?? [])];
  const names = [...new Set(known)].filter((name) => /^\w+$/.test(name));
  const file = packages.includes(path) ? `./${path}.cjs` : path;
  const getters = names.map((name) => `get ${name}() { return require('${file}').${name}; }`);
  return `module.exports = { ${getters.join(', ')} };`;
}

/** Puts smaller things in the place of what the program does not need. `outside` names the modules that stay files. */
function replacing(outside) {
  const setup = ({ onLoad, onResolve }) => {
    onResolve({ filter: /./ }, ({ path, kind, resolveDir, namespace, importer }) => {
      const standing = (place) => ({ path, namespace: place, sideEffects: false });
      if (path === './duckdb.cjs' || (namespace === 'late' && path.endsWith('.cjs')))
        return { path, external: true };
      const isWanted = !path.startsWith('node:') || slashes(importer).includes('/undici/lib/');
      if (isWanted && namespace !== 'stand-in' && Object.hasOwn(standIns, path)) return standing('stand-in');
      if (namespace !== 'late' && importer !== '<stdin>' && late.test(path)) return standing('late');
      const name = outside(path.startsWith('.') ? slashes(relative(root, join(resolveDir, path))) : path);
      return name && kind !== 'entry-point' ? { path: `./${name}`, external: true } : undefined;
    });
    // Beside hogctl and among the global packages, which only the installed program has.
    onLoad({ filter: /[\\/]src[\\/]system[\\/]peers\.ts$/ }, () => ({
      contents: `import peers from './scripts/peer.cjs';
        export const findPeer = (name) => { try { return peers.findPeer(name); } catch { return undefined; } };`,
      resolveDir: root,
    }));
    onLoad({ filter: /[\\/]src[\\/]cli[\\/]command[\\/]help-text\.ts$/ }, () => ({
      contents: `const texts = ${JSON.stringify(helpTexts)}; export const helpText = (name) => texts[name];`,
    }));
    onLoad({ filter: /package\.json$/ }, ({ path }) =>
      path === about ? { contents: JSON.stringify({ version, repository }), loader: 'json' } : undefined,
    );
    const stand = ({ path }) => {
      used.add(path);
      return { contents: standIns[path], resolveDir: root };
    };
    onLoad({ filter: /./, namespace: 'stand-in' }, stand);
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({ contents: lateModule(path) }));
    // A bug is looked for in our own files: packages give up their names.
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => {
      const part = Object.keys(undiciParts).find((name) => slashes(path).endsWith(`/undici/lib/${name}`));
      if (part !== undefined) used.add(part);
      const contents = part === undefined ? readFileSync(path, 'utf8') : undiciParts[part];
      return { contents: transformSync(contents, { minifyIdentifiers: true, charset: 'utf8' }).code };
    });
  };
  return { name: 'replacing', setup };
}

const texts = new Map();
const inputs = [];
const used = new Set();

async function bundle(name, { outside = () => undefined, ...entry }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    outfile: name,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    mainFields: ['module', 'main'],
    charset: 'ascii',
    minifySyntax: true,
    minifyWhitespace: true,
    // A stack of a bug leads to names by its map: `npm run where`.
    minifyIdentifiers: true,
    lineLimit: 200,
    legalComments: 'none',
    // For `npm run where`: a map leads from a stack to a line of ours.
    sourcemap: 'external',
    sourcesContent: false,
    supported: { 'dynamic-import': false },
    define: {
      'import.meta.dirname': '__dirname',
      // In a shell inside a snap, conf would write the file in place and not whole.
      'process.env.SNAP': 'undefined',
      'process.env.NODE_ENV': '"production"',
      'process.env.JEST_WORKER_ID': 'undefined',
    },
    plugins: [replacing(outside)],
    ...entry,
  });
  // esbuild leaves regular expressions as they are, and the loader takes each byte for a character: others become escapes.
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const [map, program] = outputFiles;
  const text = program.text.replace(/[^\0-\x7f]/g, escaped);
  inputs.push(...Object.keys(metafile.inputs));
  texts.set(name, text);
  // Packages gave up their names, and nobody looks for our bugs there.
  if (Object.keys(metafile.inputs).some((path) => path.startsWith('src/')))
    texts.set(`${name}.map`, map.text);
}

async function bundleAll() {
  const shared = (path) => data[path] ?? (packages.includes(path) ? `${path}.cjs` : undefined);
  const apart = (path) => files[path] ?? shared(path);
  const wrapper = {
    banner: { js: '(function (exports, require, module, __dirname) {' },
    footer: { js: '})' },
  };
  await bundle('program.cjs', { entryPoints: ['src/program.ts'], outside: apart, ...wrapper });
  await bundle('main.cjs', { entryPoints: ['src/main.ts'], outside: apart });
  for (const [entry, name] of Object.entries(files).slice(1)) {
    // An error is known by its class, which must be the program's.
    const isError = (path) => path === 'src/errors.ts' && name === 'sandbox.cjs';
    const outside = (path) => (isError(path) ? 'load.cjs' : shared(path));
    await bundle(name, { entryPoints: [entry], outside });
  }
  for (const [path, name] of Object.entries(data)) {
    await bundle(name, { stdin: { contents: `module.exports = require('./${path}');`, resolveDir: root } });
  }
  for (const name of packages) {
    // ES modules take CommonJS exports for their default. What numfmt names for require is not in its package.
    const path = name === 'numfmt' ? './node_modules/numfmt/dist/index.js' : name;
    const contents = `const all = require('${path}'); module.exports = all.default ?? all;`;
    await bundle(`${name}.cjs`, { stdin: { contents, resolveDir: root } });
  }
  await bundle('duckdb.cjs', {
    entryPoints: ['node_modules/@duckdb/node-api/lib/index.js'],
    banner: { js: 'module.exports = (native) => { const exports = {};' },
    footer: { js: 'return exports; };' },
  });
}

/** Writes dist, and last what --help shows and Tab is answered from, which the program itself tells. */
async function writeAll() {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const write = (name, text) => writeFileSync(join(target, name), text);
  for (const [name, text] of texts) write(name, text);
  write('package.json', '{ "type": "commonjs" }\n');
  const digest = createHash('sha256').update(texts.get('program.cjs')).digest('hex');
  const loader = readFileSync(join(root, 'scripts/load.cjs'), 'utf8');
  write('load.cjs', transformSync(loader, { define: { BUILD: `"${digest}"` }, minify: true }).code);
  copyFileSync(join(root, 'scripts/keep.cjs'), join(target, 'keep.cjs'));
  write('licences.txt', licenceTexts(builtIn));
  if (process.argv.includes('--sbom') && makesSbom()) write('sbom.cdx.json', bundledSbom(root, builtIn));
  else if (process.argv.includes('--sbom'))
    console.error('This npm makes no list of what is built in, so the package has none; a newer npm does.');
  process.env.HOGCTL_NO_CACHE = '1';
  const { helpTexts, treeText } = require(join(target, 'load.cjs'));
  write('help.txt', await helpTexts());
  write('completion.txt', await treeText());
}

/** A dependency that was updated may no longer have a part that something stands in for. */
function checkStandIns() {
  const unused = [...Object.keys(undiciParts), ...Object.keys(standIns)].filter((name) => !used.has(name));
  if (unused.length === 0) return;
  process.stderr.write(
    `scripts/build.mjs: nothing imports ${unused.join(', ')}: mend undiciParts and standIns\n`,
  );
  process.exit(1);
}

await bundleAll();
checkStandIns();
const builtIn = findPackages(root, inputs);
if (process.argv.includes('--licences')) process.stdout.write(licencesDocument(builtIn));
else await writeAll();
