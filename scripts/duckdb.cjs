// Stands in for `@duckdb/node-api` in the built program. The database is 70 MB of native code that only the sandbox
// needs, so it is not bundled: it is looked for beside hogctl, among the global packages and in the user's project.
const { dirname, join } = require('node:path');

const name = '@duckdb/node-api';
const beside = dirname(process.execPath);
const globalFolder =
  process.platform === 'win32' ? join(process.env.APPDATA ?? beside, 'npm') : join(dirname(beside), 'lib');
module.exports = require(require.resolve(name, { paths: [__dirname, globalFolder, process.cwd()] }));
