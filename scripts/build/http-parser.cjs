// Stands in for the module that holds undici's HTTP parser as text: the parser, compiled, from a file of its own.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// The loader of the built program has something to say before that.
require.beforeWebAssembly();
module.exports = new WebAssembly.Module(readFileSync(join(__dirname, 'llhttp-simd.wasm')));
