// Goes into the entry of the built program, where nothing of it may run before the first chunk is asked for. Loads the
// chunks of the built program with the code that V8 made of them last time, which saves half of the start-up of a request.
// Node 22 can do this itself (module.enableCompileCache), Node 20 cannot.
//
// For each command a file holds the sources of the chunks that it ever used and then their code, with checksums, since V8
// checks none. One for all commands would lack what the command that wrote it did not run, or hold what others do not need. A
// file counts for one build, one version of Node with its options, and one kind of processor; it is read only where
// nobody else can write, and replaced whole by a run that used a chunk it lacks. Without a place for it all works, more
// slowly.
const BUILD = '(build)';
/** Where the index begins in a file, and where the sources do. */
const START = 8;
const HEAD = 16_384;
/**
 * Node keeps text of more than 1,031,913 characters outside V8's heap, and a piece of it takes no room there. Sources that
 * lie in the heap would be moved about by every collection of garbage, so a text is made longer by whatever lies behind.
 */
const LEAST_SOURCES = 2 ** 20;
const modules = new Map();
/** Source and script of the chunks of this run. */
const used = new Map();
let isIncomplete = false;
/** Modules of Node, the place of the file, and what stands in it: all that `begin` sets. */
let fs, path, vm, directory, name, kept;

/** A chunk's exports, by its name as the chunks name each other: `./chunk-x.cjs`. Each is run once. */
function loadChunk(id) {
  if (fs === undefined) begin();
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
module.exports.loadChunk = loadChunk;

function begin() {
  fs = require('node:fs');
  path = require('node:path');
  vm = require('node:vm');
  directory = cacheDirectory(process.env);
  if (directory === undefined) return;
  name = `code-${BUILD}-${process.version}-${process.arch}-${whatRuns().toString(16)}.bin`;
  kept = open(path.join(directory, name));
  process.on('exit', () => {
    if (isIncomplete) keepIfPossible();
  });
}

function cacheDirectory({ HOGCTL_NO_CACHE, HOGCTL_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (HOGCTL_NO_CACHE) return undefined;
  if (HOGCTL_CACHE_DIR) return HOGCTL_CACHE_DIR;
  if (process.platform === 'win32') return LOCALAPPDATA && path.join(LOCALAPPDATA, 'hogctl', 'Cache');
  if (XDG_CACHE_HOME && path.isAbsolute(XDG_CACHE_HOME)) return path.join(XDG_CACHE_HOME, 'hogctl');
  return HOME && path.join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'hogctl');
}

/** A number for the command, by the words that may be one's name, and the options of Node. */
function whatRuns() {
  const words = process.argv.slice(2).filter((word) => /^[a-z][a-z-]*$/.test(word));
  const all = [...process.execArgv, process.env.NODE_OPTIONS, ...words.slice(0, 2)];
  const text = Buffer.from(all.join(' '));
  return checksum(text, 0, { to: text.length, step: 1 });
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

/**
 * First come two numbers of four bytes: the length of the index and its checksum. The code is read to where the sources
 * were, since each page of memory that is touched costs time. Throws for an index that is none.
 */
function readParts(descriptor, size) {
  const bytes = Buffer.allocUnsafeSlow(Math.max(size, LEAST_SOURCES));
  const read = (from, to) => fs.readSync(descriptor, bytes, 0, to - from, from) === to - from;
  if (!read(0, Math.min(size, HEAD))) return undefined;
  const end = START + bytes.readUInt32LE(0);
  if (end > HEAD || checksum(bytes, START, { to: end, step: 1 }) !== bytes.readUInt32LE(4)) return undefined;
  const { length, sums, places } = JSON.parse(bytes.latin1Slice(START, end));
  if (!read(HEAD, HEAD + length) || checksum(bytes, 0, { to: length }) !== sums[0]) return undefined;
  const sources = bytes.latin1Slice(0, Math.max(length, LEAST_SOURCES));
  if (!read(HEAD + length, size) || checksum(bytes, 0, { to: size - HEAD - length }) !== sums[1])
    return undefined;
  return { bytes, places, sources };
}

/** Source and code of a chunk as the file has them. */
function readKept(chunk) {
  const place = kept?.places[chunk];
  if (place === undefined) return undefined;
  const [start, end, codeStart, codeEnd] = place;
  return { source: kept.sources.slice(start, end), code: kept.bytes.subarray(codeStart, codeEnd) };
}

/**
 * FNV-1a over a byte of each block of 4096, and the last one. What goes wrong with a file that was written whole is a lost
 * or stale block, which this finds; looking at each byte would cost more than it would find.
 */
function checksum(bytes, from, { to, step = 4096 }) {
  let sum = 0x811c9dc5 ^ (to - from);
  for (let at = from; at < to; at += step) sum = Math.imul(sum ^ bytes[at], 0x01000193);
  return Math.imul(sum ^ bytes[to - 1], 0x01000193) >>> 0;
}

const requireFrom = (id) => (id.startsWith('./') ? loadChunk(id) : require(id));

function compile(id) {
  // To join them properly takes as long as all else here.
  const filename = __dirname + path.sep + id.slice(2);
  const { source, code } = readKept(id) ?? {
    source: `(function (exports, require, module, __dirname) {${fs.readFileSync(filename, 'latin1')}\n})`,
  };
  const script = new vm.Script(source, { filename, cachedData: code });
  if (code === undefined || script.cachedDataRejected) isIncomplete = true;
  used.set(id, { source, script });
  return script;
}

function keepIfPossible() {
  try {
    require('./keep-chunks.cjs')({
      ...{ START, HEAD, directory, name },
      ...{ kept, used, readKept, checksum },
    });
  } catch {
    // Not even the half file could be removed, or a file that was read is gone: the program has done its work.
  }
}
