// Goes into dist as it is. Loads the chunks of the built program with the code that V8 made of them last time, which
// saves a third of the start-up of a request. Node 22 can do this itself (module.enableCompileCache), Node 20 cannot.
//
// One file holds source and code of all chunks that were ever used, so that one read brings a chunk; each has a checksum,
// since V8 checks none. It counts for one build, one version of Node with its options, and one kind of processor; it is read only where nobody else can
// write, and replaced whole by a run that used a chunk it lacks. Without a place for it all works, more slowly.
const fs = require('node:fs');
const { isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const BUILD = '(build)';
const modules = new Map();
/** What the file lacks, by chunk: source and script. */
const fresh = new Map();

function cacheDirectory({ HOGCTL_NO_CACHE, HOGCTL_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME }) {
  if (HOGCTL_NO_CACHE) return undefined;
  if (HOGCTL_CACHE_DIR) return HOGCTL_CACHE_DIR;
  if (process.platform === 'win32') return LOCALAPPDATA && join(LOCALAPPDATA, 'hogctl', 'Cache');
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'hogctl');
  return HOME && join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'hogctl');
}

const directory = cacheDirectory(process.env);
const options = Buffer.from([...process.execArgv, process.env.NODE_OPTIONS].join(' '));
const name = `code-${BUILD}-${process.version}-${process.arch}-${checksum(options, options.length, 1).toString(16)}.bin`;
const kept = directory === undefined ? undefined : open(join(directory, name));

/** The file's index and descriptor; `undefined` where there is none that may be trusted. */
function open(file) {
  let descriptor;
  try {
    descriptor = fs.openSync(file, 'r');
    const { uid, mode, size } = fs.fstatSync(descriptor);
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (isOurs) {
      const index = readIndex(descriptor, size);
      if (index !== undefined) return { descriptor, index };
    }
  } catch {
    // No such file, or none that can be read: the code is made anew.
  }
  if (descriptor !== undefined) fs.closeSync(descriptor);
  return undefined;
}

/** The first eight bytes are the length of the index and its checksum. Throws for an index that is none. */
function readIndex(descriptor, size) {
  const head = Buffer.alloc(8);
  fs.readSync(descriptor, head, 0, 8, 0);
  const length = head.readUInt32LE(0);
  if (length === 0 || length > size) return undefined;
  const text = Buffer.allocUnsafe(length);
  fs.readSync(descriptor, text, 0, length, 8);
  return checksum(text) === head.readUInt32LE(4) ? JSON.parse(text.latin1Slice()) : undefined;
}

/** V8 takes code as it lies only where it begins at a multiple of eight. */
const aligned = (length) => (length + 7) & ~7;

/** For one chunk at a time: as large as the largest. */
let room;

/** A chunk as the file has it, source and then code; it stands until the next is read. */
function readKept(chunk) {
  const place = kept?.index[chunk];
  if (place === undefined) return undefined;
  const [position, sourceLength, codeLength, sum] = place;
  const codeStart = aligned(sourceLength);
  const length = codeStart + codeLength;
  room ??= Buffer.allocUnsafeSlow(
    Math.max(...Object.values(kept.index).map(([, source, code]) => aligned(source) + code)),
  );
  fs.readSync(kept.descriptor, room, 0, length, position);
  if (checksum(room, length) !== sum) return undefined;
  return { source: room.latin1Slice(0, sourceLength), code: room.subarray(codeStart, length) };
}

/**
 * FNV-1a over one byte of every 512. What goes wrong with a file that was written whole is a lost or stale block, which
 * this finds; looking at each byte would cost more than it would find.
 */
function checksum(bytes, length = bytes.length, step = 512) {
  let sum = 0x811c9dc5 ^ length;
  for (let at = 0; at < length; at += step) sum = Math.imul(sum ^ bytes[at], 0x01000193);
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
  if (code === undefined || script.cachedDataRejected) fresh.set(id, { source, script });
  return script;
}

/** Writes this run's chunks beside those of other runs. */
function keep() {
  const made = [...fresh].map(([id, { source, script }]) => [
    id,
    { source: Buffer.from(source, 'latin1'), code: script.createCachedData() },
  ]);
  const others = Object.keys(kept?.index ?? {}).map((id) => [id, copyOf(readKept(id))]);
  const all = [...new Map([...others, ...made])].filter(([, part]) => part !== undefined);
  const parts = all.map(([id, part]) => [id, part, joined(part)]);
  const indexFrom = (start) => {
    let position = start;
    return Object.fromEntries(
      parts.map(([id, { source, code }, bytes]) => {
        const place = [position, source.length, code.length, checksum(bytes)];
        position += bytes.length;
        return [id, place];
      }),
    );
  };
  // The index's own length moves what it tells, by less than 16 digits a chunk.
  const space = JSON.stringify(indexFrom(0)).length + 16 * parts.length;
  const index = Buffer.from(JSON.stringify(indexFrom(8 + space)).padEnd(space));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(index.length, 0);
  head.writeUInt32LE(checksum(index), 4);
  writeWhole(Buffer.concat([head, index, ...parts.map(([, , bytes]) => bytes)]));
}

const copyOf = (part) => part && { source: Buffer.from(part.source, 'latin1'), code: Buffer.from(part.code) };

function joined({ source, code }) {
  return Buffer.concat([source, Buffer.alloc(aligned(source.length) - source.length), code]);
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

/** Leaves the four files that were written last: other versions of the program or of Node may be in use. */
function removeOld() {
  const files = fs.readdirSync(directory).filter((file) => /^\.?code-/.test(file));
  const times = new Map(files.map((file) => [file, fs.statSync(join(directory, file)).mtimeMs]));
  for (const file of files.sort((a, b) => times.get(b) - times.get(a)).slice(4)) {
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
    if (fresh.size > 0) keepIfPossible();
  });
}

module.exports = load;
