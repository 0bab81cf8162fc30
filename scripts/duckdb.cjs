// Stands in for `@duckdb/node-api` in the built program. The database is 70 MB of native code that only the sandbox
// needs, so it is not bundled: it is looked for beside hogctl, among the global packages and in the user's project.
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const name = '@duckdb/node-api';
const beside = dirname(process.execPath);
const globalFolder =
  process.platform === 'win32' ? join(process.env.APPDATA ?? beside, 'npm') : join(dirname(beside), 'lib');

function findIn(folder) {
  const requireFrom = createRequire(join(folder, 'package.json'));
  try {
    return requireFrom(requireFrom.resolve(name));
  } catch (error) {
    const isAbsent = error.code === 'MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
    if (isAbsent) return undefined;
    throw error;
  }
}

const database = findIn(__dirname) ?? findIn(globalFolder) ?? findIn(process.cwd());
if (!database) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
module.exports = database;
