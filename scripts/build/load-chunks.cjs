// Goes into the entry of the built program as a function. Loads the chunks of the built program with the code that V8
// made of them last time, which saves half of the start-up of a request. Node 22 can do this itself
// (module.enableCompileCache), Node 20 cannot.
//
// For each command a file holds the sources of the chunks that it ever used and then their code, each with a checksum,
// since V8 checks none. One for all commands would lack what the command that wrote it did not run, or hold what others do not need. A
// file counts for one build, one version of Node with its options, and one kind of processor; it is read only where
// nobody else can write, and replaced whole by a run that used a chunk it lacks. Without a place for it all works, more
// slowly.
const fs = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const BUILD = '(build)';
/** As many commands as somebody uses, and the builds before. */
const MOST_FILES = 32;
/**
 * Node keeps text of more than 1,031,913 characters outside V8's heap, and a piece of it takes no room there. Sources that
 * lie in the heap would be moved about by every collection of garbage, so they are filled up to that.
 */
const LEAST_SOURCES = 2 ** 20;
const modules = new Map();
/** Source and script of the chunks of this run. */
const used = new Map();
let isIncomplete = false;

function cacheDirectory({ HOGCTL_NO_CACHE, HOGCTL_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (HOGCTL_NO_CACHE) return undefined;
  if (HOGCTL_CACHE_DIR) return HOGCTL_CACHE_DIR;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'hogctl', 'Cache');
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'hogctl');
  return HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'hogctl');
}

const directory = cacheDirectory(process.env);
const name = `code-${BUILD}-${process.version}-${process.arch}-${whatRuns().toString(16)}.bin`;
const kept = directory === undefined ? undefined : open(join(directory, name));

/** A number for the command, by the words that may be one's name, and the options of Node. */
function whatRuns() {
  const words = process.argv.slice(2).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const all = [...process.execArgv, process.env.NODE_OPTIONS, ...words.slice(0, 2)];
  return checksum(Buffer.from(all.join(' ')), 1);
}

/** The file's bytes, its sources, and the places of chunks in them; `undefined` where none may be trusted. */
function open(file) {
  try {
    const descriptor = fs.openSync(file, 'r');
    try {
      const { uid, mode, size } = fs.fstatSync(descriptor);
      const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
      return isOurs ? readParts(descriptor, size) : undefined;
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    // No such file, or none that can be read: the code is made anew.
    return undefined;
  }
}

/** The first eight bytes are the length of the index and its checksum. Throws for an index that is none. */
function readParts(descriptor, size) {
  const bytes = Buffer.allocUnsafeSlow(size);
  if (fs.readSync(descriptor, bytes, 0, size, 0) !== size) return undefined;
  const end = 8 + bytes.readUInt32LE(0);
  if (end > size || checksum(bytes.subarray(8, end)) !== bytes.readUInt32LE(4)) return undefined;
  const { length, places } = JSON.parse(bytes.latin1Slice(8, end));
  return { bytes, places, start: end, sources: bytes.latin1Slice(end, end + length) };
}

/** V8 takes code as it lies only where it begins at a multiple of eight. */
const aligned = (length) => (length + 7) & ~7;

/** Source and code of a chunk as the file has them. */
function readKept(chunk) {
  const place = kept?.places[chunk];
  if (place === undefined) return undefined;
  const [start, end, codeStart, codeEnd, sum] = place;
  const { bytes, sources } = kept;
  const code = bytes.subarray(kept.start + codeStart, kept.start + codeEnd);
  const read = bytes.subarray(kept.start + start, kept.start + end);
  return sumOf(read, code) === sum ? { source: sources.slice(start, end), code } : undefined;
}

const sumOf = (source, code) => (checksum(source) ^ checksum(code)) >>> 0;

/**
 * FNV-1a over one byte of every 512. What goes wrong with a file that was written whole is a lost or stale block, which
 * this finds; looking at each byte would cost more than it would find.
 */
function checksum(bytes, step = 512) {
  let sum = 0x811c9dc5 ^ bytes.length;
  for (let at = 0; at < bytes.length; at += step) sum = Math.imul(sum ^ bytes[at], 0x01000193);
  return sum >>> 0;
}

/** A chunk's exports, by its name as the chunks name each other: `./chunk-x.cjs`. Each is run once. */
function load(id) {
  const known = modules.get(id);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(id, module);
  try {
    compile(id).runInThisContext()(module.exports, requireFrom, module, __dirname);
  } catch (failure) {
    modules.delete(id);
    throw failure;
  }
  return module.exports;
}

const requireFrom = (id) => (id.startsWith('./') ? load(id) : require(id));

function compile(id) {
  const filename = join(__dirname, id);
  const { source, code } = readKept(id) ?? {
    source: `(function (exports, require, module, __dirname) {${fs.readFileSync(filename, 'latin1')}\n})`,
  };
  const script = new Script(source, { filename, cachedData: code });
  if (code === undefined || script.cachedDataRejected) isIncomplete = true;
  used.set(id, { source, script });
  return script;
}

/** Writes the chunks of this run, and those that the file had beside them. */
function keep() {
  const before = Object.keys(kept?.places ?? {}).filter((id) => !used.has(id));
  const parts = [
    ...before.map((id) => [id, readKept(id)]).filter(([, part]) => part !== undefined),
    ...[...used].map(([id, { source, script }]) => [id, { source, code: script.createCachedData() }]),
  ].map(([id, { source, code }]) => ({ id, source: Buffer.from(source, 'latin1'), code }));
  const written = parts.reduce((length, { source }) => length + source.length, 0);
  const length = aligned(Math.max(written, LEAST_SOURCES));
  const places = {};
  let start = 0;
  let codeStart = length;
  for (const { id, source, code } of parts) {
    const codeEnd = codeStart + code.length;
    places[id] = [start, start + source.length, codeStart, codeEnd, sumOf(source, code)];
    start += source.length;
    codeStart = aligned(codeEnd);
  }
  const text = JSON.stringify({ length, places });
  const index = Buffer.from(text.padEnd(aligned(text.length)));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(index.length, 0);
  head.writeUInt32LE(checksum(index), 4);
  const sources = [...parts.map(({ source }) => source), Buffer.alloc(length - written, ' ')];
  const codes = parts.flatMap(({ code }) => [code, Buffer.alloc(aligned(code.length) - code.length)]);
  writeWhole(Buffer.concat([head, index, ...sources, ...codes]));
}

function writeWhole(bytes) {
  const half = join(directory, `.${name}.${process.pid}`);
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.writeFileSync(half, bytes, { mode: 0o600, flag: 'wx', flush: true });
    fs.renameSync(half, join(directory, name));
    removeOld();
  } catch {
    // No place for it, or a full disk: the next run is slower, and nothing else.
    fs.rmSync(half, { force: true });
  }
}

/** Leaves the files that were written last: other versions of the program or of Node may be in use. */
function removeOld() {
  const files = fs.readdirSync(directory).filter((file) => /^\.?code-/.test(file));
  const times = new Map(files.map((file) => [file, fs.statSync(join(directory, file)).mtimeMs]));
  for (const file of files.sort((a, b) => times.get(b) - times.get(a)).slice(MOST_FILES)) {
    fs.rmSync(join(directory, file), { force: true });
  }
}

function keepIfPossible() {
  try {
    keep();
  } catch {
    // Not even the half file could be removed, or a file that was read is gone: the program has done its work.
  }
}

if (directory !== undefined) {
  process.on('exit', () => {
    if (isIncomplete) keepIfPossible();
  });
}

module.exports = load;
