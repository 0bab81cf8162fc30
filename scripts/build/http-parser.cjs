// Stands in for the module that holds undici's HTTP parser as text: the parser, compiled, from a file of its own.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

// The loader of the built program knows how.
module.exports = require.compileParser(readFileSync(join(__dirname, 'llhttp-simd.wasm')));
