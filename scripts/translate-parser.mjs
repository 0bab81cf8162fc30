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

/**
 * From V8 12 on, Node 22, the baseline compiler takes on the state machine when it first returns, whole and for 3 ms, which
 * is longer than most programs need it. So it is switched off for the first parts of an answer. The flag is part of what
 * kept code is checked by, and is as it was when anything else is loaded.
 */
const FIRST_PARTS = `
const FEW = 3;
function startUncompiled(exports) {
  if (Number(process.versions.node.split('.')[0]) < 22 || !['x64', 'arm64'].includes(process.arch)) return exports;
  const { setFlagsFromString } = require('node:v8');
  let count = 0;
  const llhttp_execute = (...words) => {
    if (count === FEW) return exports.llhttp_execute(...words);
    count += 1;
    setFlagsFromString('--no-sparkplug');
    try {
      return exports.llhttp_execute(...words);
    } finally {
      setFlagsFromString('--sparkplug');
    }
  };
  return Object.assign(Object.create(exports), { llhttp_execute });
}
`;

/** The module is a function of what WebAssembly calls imports, and returns an instance. */
async function translateParser() {
  const parser = binaryen.readBinary(require('undici/lib/llhttp/llhttp-wasm.js'));
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(1);
  parser.optimize();
  const text = replaceOnce(parser.emitAsmjs(), decoder, decode);
  const body = replaceOnce(text, /^import \* as env from 'env';$/m, '').replaceAll(/^export var .*$/gm, '');
  const source = `${FIRST_PARTS}module.exports = ({ env }) => {\n${body}\nreturn { exports: startUncompiled(retasmFunc) };\n};`;
  const { code } = await transform(source, { minify: true, platform: 'node', target: 'node20.19' });
  const { version } = require('undici/package.json');
  return `// Generated from the HTTP parser of undici ${version} by scripts/translate-parser.mjs.\n${code}`;
}

function replaceOnce(text, pattern, replacement) {
  if (!pattern.test(text)) throw new Error(`not found in the translated parser: ${pattern}`);
  return text.replace(pattern, () => replacement);
}

process.stdout.write(await translateParser());
