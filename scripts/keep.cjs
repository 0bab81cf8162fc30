// Writes what load.cjs reads, when a run ends that was the first of its command: whole, in a directory of ours.
const fs = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

/** Makes what lacks of a directory, below one of ours. For root all above must be root's: none is somebody's HOME. */
function make(directory) {
  const found = fs.lstatSync(directory, { throwIfNoEntry: false });
  const uid = process.getuid?.() ?? found?.uid;
  if (found && found.uid !== uid) throw new Error(`${directory} is not ours`);
  if (!found || (uid === 0 && dirname(directory) !== directory)) make(dirname(directory));
  if (!found) fs.mkdirSync(directory, 0o700);
}

function write({ file, isOurs, nameOf, HEAD, script, runs }) {
  make(dirname(file));
  const directory = fs.lstatSync(dirname(file));
  if (!directory.isDirectory() || !isOurs(directory)) return;
  const half = `${file}.${process.pid}`;
  const descriptor = fs.openSync(half, 'wx', 0o600);
  try {
    const head = [nameOf(fs.fstatSync(descriptor, { bigint: true })), ...runs].join('\n').padEnd(HEAD);
    const code = script.createCachedData();
    fs.writeFileSync(descriptor, Buffer.concat([Buffer.from(head, 'latin1'), code, code]));
    // A crash of the machine would else leave zeros, in both halves.
    fs.fsyncSync(descriptor);
    fs.renameSync(half, file);
  } finally {
    fs.closeSync(descriptor);
    fs.rmSync(half, { force: true });
  }
}

module.exports = function keep(what) {
  const before = new Script('', { filename: 'before' }).createCachedData();
  process.on('exit', () => {
    // V8 refuses code of a run that set other options than the next one starts with, as long lists do.
    if (new Script('', { filename: 'after', cachedData: before }).cachedDataRejected) return;
    try {
      write(what);
    } catch {
      // No place for it, or a full disk: the next run is slower, and nothing else.
    }
  });
};
