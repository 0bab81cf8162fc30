// Writes what load-chunks.cjs reads: in the rare run that used a chunk whose code is not kept yet, when it ends.
const fs = require('node:fs');
const { join } = require('node:path');

/** As many commands as somebody uses, and the builds before. */
const MOST_FILES = 32;

/** V8 takes code as it lies only where it begins at a multiple of eight. */
const aligned = (length) => (length + 7) & ~7;

/** Writes the chunks of this run, and those that the file had beside them. Throws where a half file cannot be removed. */
module.exports = function keep({ START, HEAD, directory, name, kept, used, readKept, checksum }) {
  const before = Object.keys(kept?.places ?? {}).filter((id) => !used.has(id));
  const parts = [
    ...before.map((id) => [id, readKept(id)]),
    ...[...used].map(([id, { source, script }]) => [id, { source, code: script.createCachedData() }]),
  ].map(([id, { source, code }]) => ({ id, source: Buffer.from(source, 'latin1'), code }));
  const places = {};
  let start = 0;
  let codeStart = 0;
  for (const { id, source, code } of parts) {
    const codeEnd = codeStart + code.length;
    places[id] = [start, start + source.length, codeStart, codeEnd];
    start += source.length;
    codeStart = aligned(codeEnd);
  }
  const sources = Buffer.concat(parts.map(({ source }) => source));
  // The last byte is none that a lost block would have.
  const codes = Buffer.concat([
    ...parts.flatMap(({ code }) => [code, Buffer.alloc(aligned(code.length) - code.length)]),
    Buffer.from([1]),
  ]);
  const sums = [sources, codes].map((bytes) => checksum(bytes, 0, { to: bytes.length }));
  const index = Buffer.from(JSON.stringify({ length: sources.length, sums, places }));
  if (START + index.length > HEAD) return;
  const head = Buffer.alloc(HEAD);
  index.copy(head, START);
  head.writeUInt32LE(index.length, 0);
  head.writeUInt32LE(checksum(index, 0, { to: index.length, step: 1 }), 4);
  writeWhole(directory, name, Buffer.concat([head, sources, codes]));
};

function writeWhole(directory, name, bytes) {
  const half = join(directory, `.${name}.${process.pid}`);
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.writeFileSync(half, bytes, { mode: 0o600, flag: 'wx', flush: true });
    fs.renameSync(half, join(directory, name));
    removeOld(directory);
  } catch {
    // No place for it, or a full disk: the next run is slower, and nothing else.
    fs.rmSync(half, { force: true });
  }
}

/** Leaves the files that were written last: other versions of the program or of Node may be in use. */
function removeOld(directory) {
  const files = fs.readdirSync(directory).filter((file) => /^\.?code-/.test(file));
  const times = new Map(files.map((file) => [file, fs.statSync(join(directory, file)).mtimeMs]));
  for (const file of files.sort((a, b) => times.get(b) - times.get(a)).slice(MOST_FILES)) {
    fs.rmSync(join(directory, file), { force: true });
  }
}
