// Finds a package that hogctl needs at times and does not bring. It is taken from beside hogctl or from the global
// packages of this Node, never from the working directory: code that lies there would run.
const { existsSync, realpathSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

const program = dirname(__dirname);
const node = dirname(process.execPath);
const globalFolder =
  process.platform === 'win32' ? join(process.env.APPDATA || node, 'npm') : join(dirname(node), 'lib');
const folders = [join(program, 'node_modules'), dirname(program), join(globalFolder, 'node_modules')];

/** The directory of a package. Throws if there is none in these places. */
exports.findPeer = (name) => {
  const isThere = (folder) =>
    basename(folder) === 'node_modules' && existsSync(join(folder, name, 'package.json'));
  const folder = folders.find(isThere);
  if (folder === undefined) throw new Error(`${name} is not in ${folders.join(' or ')}`);
  return realpathSync(join(folder, name));
};
