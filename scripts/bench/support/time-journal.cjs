// Loaded before a program under measurement: writes the milliseconds that it spent syncing and writing the journal of a
// run to file descriptor 4 at its end.
const fs = require('node:fs');

const journals = new Set();
let spent = 0n;

function timed(name) {
  const original = fs[name];
  fs[name] = (descriptor, ...rest) => {
    if (!journals.has(descriptor)) {
      return original(descriptor, ...rest);
    }
    const before = process.hrtime.bigint();
    try {
      return original(descriptor, ...rest);
    } finally {
      spent += process.hrtime.bigint() - before;
    }
  };
}

const { openSync, closeSync } = fs;
fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  if (String(path).endsWith('journal.ndjson')) {
    journals.add(descriptor);
  }
  return descriptor;
};
fs.closeSync = (descriptor) => {
  journals.delete(descriptor);
  return closeSync(descriptor);
};
timed('writeSync');
timed('fsyncSync');
timed('fstatSync');

process.on('exit', () => {
  fs.writeSync(4, String(Number(spent) / 1e6));
});
