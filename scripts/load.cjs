// Loads the program with the code that V8 made of it in earlier runs, which halves the start of a request. The file holds
// only V8's data, twice, so that a flipped bit is found without a checksum. It names the build, when its text was written,
// as V8 only compares lengths, and its own inode and birth, so that a copy is never run. If unreadable, it is not needed.
const fs = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const { HOGCTL_NO_CACHE, HOGCTL_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env;
const usual = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
const place = HOGCTL_CACHE_DIR || join(XDG_CACHE_HOME || LOCALAPPDATA || join(HOME || '', usual), 'hogctl');
const file = join(place, 'code', `${process.version}-${process.arch}.bin`);
const isOn = !HOGCTL_NO_CACHE && isAbsolute(place);
const HEAD = 4096;
const filename = join(__dirname, 'program.cjs');
const nameOf = ({ ino, birthtimeNs }) => `${BUILD} ${fs.statSync(filename).mtimeMs} ${ino} ${birthtimeNs}`;
/** Of this user, and closed to all others. Windows has neither. */
const isOurs = ({ uid, mode }) =>
  !process.getuid || (Number(uid) === process.getuid() && !(Number(mode) & 0o077));

/** V8's data and the commands that it was made in; throws or is undefined if there is none to trust. */
function read() {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const directory = fs.lstatSync(dirname(file));
  const descriptor = fs.openSync(file, O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = fs.fstatSync(descriptor, { bigint: true });
    if (!directory.isDirectory() || !isOurs(directory) || !found.isFile() || !isOurs(found)) return undefined;
    if (found.size > 2 ** 25) return undefined;
    const bytes = fs.readFileSync(descriptor);
    const [name, ...runs] = bytes.latin1Slice(0, HEAD).trim().split('\n');
    const middle = HEAD + (bytes.length - HEAD) / 2;
    const code = bytes.subarray(HEAD, middle);
    return name === nameOf(found) && code.equals(bytes.subarray(middle)) ? { code, runs } : undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

let kept;
try {
  kept = isOn ? read() : undefined;
} catch {
  // None yet, or none that can be read.
}
// Node 20 compiles the HTTP parser a second time, and a finished process waits for it.
if (process.version.startsWith('v20.')) require('node:v8').setFlagsFromString('--liftoff-only');
const script = new Script(fs.readFileSync(filename, 'latin1'), { filename, cachedData: kept?.code });
// Code grows by what each command and format is the first to use.
const words = process.argv.slice(2);
const told = [words[0], words[1], words[words.indexOf('-o') + 1]];
const run = `:${told.filter((word) => /^[a-z][a-z-]{0,23}$/.test(word)).join(' ')}`;
const runs = script.cachedDataRejected ? [] : (kept?.runs ?? []);
const isNew = isOn && !runs.includes(run);
if (isNew) require('./keep.cjs')({ file, isOurs, nameOf, HEAD, script, runs: [...runs, run].slice(-48) });
script.runInThisContext()(module.exports, require, module, __dirname);
