// Stands in for `@duckdb/node-api` in the built program. The database is 70 MB of native code that only the sandbox
// needs, so it is not bundled: it is looked for beside hogctl, among the global packages and in the user's project.
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const name = '@duckdb/node-api';

function globalFolder() {
  if (process.platform === 'win32') {
    return join(process.env.APPDATA ?? dirname(process.execPath), 'npm');
  }
  return join(dirname(dirname(process.execPath)), 'lib');
}

function findIn(folders) {
  for (const folder of folders) {
    const requireFrom = createRequire(join(folder, 'package.json'));
    try {
      return requireFrom(requireFrom.resolve(name));
    } catch (error) {
      const absent = error.code === 'MODULE_NOT_FOUND' && error.message.includes(`'${name}'`);
      if (!absent) {
        throw error;
      }
    }
  }
  return undefined;
}

const database = findIn([__dirname, globalFolder(), process.cwd()]);
if (database === undefined) {
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
}
module.exports = database;
