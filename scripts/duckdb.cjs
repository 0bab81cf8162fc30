// Stands in for `@duckdb/node-api` in the built program. The database is 70 MB of native code that only the sandbox
// needs, so it is not bundled: it is looked for beside hogctl, among the global packages and in the user's project.
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { name, version } = require('@duckdb/node-api/package.json');

const beside = dirname(process.execPath);
const globalFolder =
  process.platform === 'win32' ? join(process.env.APPDATA ?? beside, 'npm') : join(dirname(beside), 'lib');
const near = createRequire(require.resolve(name, { paths: [__dirname, globalFolder, process.cwd()] }));
// Its JavaScript is built in as one file, which loads faster than a hundred, and fits only its own version.
const isSame = near(`${name}/package.json`).version === version;
module.exports = isSame ? require('./duckdb.cjs')(near('@duckdb/node-bindings')) : near(name);
