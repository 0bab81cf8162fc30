// Prints undici's HTTP parser as JavaScript: the same instructions as its WebAssembly, of which V8 keeps no compiled code,
// so that each process would compile it anew, which takes as long as all else that undici does for one request.
// `npm run generate` writes it to scripts/build/llhttp.cjs.
import { createRequire } from 'node:module';
import binaryen from 'binaryen';
import { transform } from 'esbuild';

const require = createRequire(import.meta.url);

/** Binaryen writes a decoder of base64 into its output; Node has a faster one. */
const decoder = /var base64ReverseLookup[\s\S]*?(?=function initActiveSegments)/;
const decode =
  "function base64DecodeToExistingUint8Array(bytes, offset, text) { bytes.set(Buffer.from(text, 'base64'), offset); }\n";

/** The module is a function of what WebAssembly calls imports, and returns an instance. */
async function translateParser() {
  const parser = binaryen.readBinary(require('undici/lib/llhttp/llhttp-wasm.js'));
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(1);
  parser.optimize();
  const text = replaceOnce(parser.emitAsmjs(), decoder, decode);
  const body = replaceOnce(text, /^import \* as env from 'env';$/m, '').replaceAll(/^export var .*$/gm, '');
  const source = `module.exports = ({ env }) => {\n${body}\nreturn { exports: retasmFunc };\n};`;
  const { code } = await transform(source, { minify: true, platform: 'node', target: 'node20.19' });
  const { version } = require('undici/package.json');
  return `// Generated from the HTTP parser of undici ${version} by scripts/translate-parser.mjs.\n${code}`;
}

function replaceOnce(text, pattern, replacement) {
  if (!pattern.test(text)) throw new Error(`not found in the translated parser: ${pattern}`);
  return text.replace(pattern, () => replacement);
}

process.stdout.write(await translateParser());
