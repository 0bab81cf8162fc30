// Stands in for `@duckdb/node-api` in the built program. The database is 70 MB of native code that only the sandbox
// needs, so it is not bundled.
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { name, version } = require('@duckdb/node-api/package.json');
const { findPeer } = require('./peer.cjs');

const path = findPeer(name);
const near = createRequire(join(path, 'package.json'));
// Its JavaScript is built in as one file, which loads faster than a hundred, and fits only its own version.
const isSame = near('./package.json').version === version;
module.exports = isSame ? require('./duckdb.cjs')(near('@duckdb/node-bindings')) : near(path);
