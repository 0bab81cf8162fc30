import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '../..');

/** What undici calls of the parser. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  llhttp_alloc(kind: number): number;
  llhttp_free(parser: number): void;
  malloc(size: number): number;
  free(place: number): void;
  llhttp_execute(parser: number, place: number, length: number): number;
  llhttp_finish(parser: number): number;
  llhttp_resume(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
};
type Instantiate = (imports: { env: Record<string, (...words: number[]) => number> }) => { exports: Exports };

// The types of Node 20 know the namespace and not its classes.
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (module: object, imports: object) => { exports: Exports };
  };
};
const wasm = new WebAssembly.Module(require('undici/lib/llhttp/llhttp-wasm.js'));
const asWasm: Instantiate = (imports) => new WebAssembly.Instance(wasm, imports);
const asScript: Instantiate = require(join(root, 'scripts/build/llhttp.cjs'));

const RESPONSE = 2;

/** All that a parser tells of bytes that arrive in these parts, with addresses as offsets. */
function tellAll(
  instantiate: Instantiate,
  parts: readonly Uint8Array[],
  answers: Record<string, number>,
): unknown[] {
  const told: unknown[] = [];
  let start = 0;
  const heed =
    (name: string, isSpan: boolean) =>
    (_: number, ...words: number[]): number => {
      const [first = 0, ...rest] = words;
      told.push([name, ...(isSpan ? [first - start, ...rest] : words)]);
      return answers[name] ?? 0;
    };
  const spans = ['url', 'status', 'header_field', 'header_value', 'body'];
  const others = ['message_begin', 'headers_complete', 'message_complete'];
  const env = Object.fromEntries(
    [...spans, ...others].map((name) => [`wasm_on_${name}`, heed(name, spans.includes(name))]),
  );
  const { exports } = instantiate({ env });
  const parser = exports.llhttp_alloc(RESPONSE);
  for (const part of parts) {
    const place = exports.malloc(part.length + 1);
    start = place;
    new Uint8Array(exports.memory.buffer, place, part.length).set(part);
    const code = exports.llhttp_execute(parser, place, part.length);
    const reason = exports.llhttp_get_error_reason(parser);
    told.push([code, code === 0 ? 0 : exports.llhttp_get_error_pos(parser) - place, textAt(exports, reason)]);
    exports.free(place);
    if (code !== 0) return told;
  }
  told.push(['finish', exports.llhttp_finish(parser)]);
  exports.llhttp_free(parser);
  return told;
}

function textAt({ memory }: Exports, place: number): string {
  const bytes = new Uint8Array(memory.buffer, place);
  return place === 0 ? '' : Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString('latin1');
}

const line = fc.constantFrom(
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.1 204 No Content\r\n',
  'HTTP/1.0 404 Not Found\r\n',
  'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n',
  'HTTP/9.9 2x0\r\n',
  'HTTP/1.1 200\n',
);
const field = fc.constantFrom(
  'Date: now\r\n',
  'Content-Type: application/json\r\n',
  'Content-Length: 7\r\n',
  'Content-Length: 7\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip\r\n',
  'Connection: close\r\n',
  'Keep-Alive: timeout=5\r\n',
  'X-Folded: a\r\n b\r\n',
  'Bad Name: 1\r\n',
  'X: \u00e9\u0001\r\n',
  ': empty\r\n',
);
const body = fc.constantFrom(
  '{"a":1}',
  '7\r\n{"a":1}\r\n0\r\n\r\n',
  '3;ext="v"\r\nabc\r\n0\r\nTrailer: t\r\n\r\n',
  'ffffffffffffffffff\r\n',
  '',
  'x'.repeat(70_000),
);
const odd = fc
  .tuple(line, fc.array(field, { maxLength: 4 }), body, fc.nat(9))
  .map(([first, fields, rest, ends]) => `${first}${fields.join('')}${ends > 0 ? '\r\n' : ''}${rest}`);
const sound = fc.tuple(fc.string({ unit: 'binary-ascii' }), fc.boolean()).map(([text, isChunked]) => {
  const size = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${text.length}`;
  const chunk = text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`;
  return `HTTP/1.1 200 OK\r\nX: 1\r\n${size}\r\n\r\n${isChunked ? `${chunk}0\r\n\r\n` : text}`;
});
const message = fc.oneof(odd, sound);
const change = fc.record({
  at: fc.nat(),
  byte: fc.integer({ min: 0, max: 255 }),
  times: fc.nat(4),
});

/** The bytes of some messages, a few of them changed, cut where they may arrive in parts. */
const arrival = fc
  .tuple(
    fc.array(message, { minLength: 1, maxLength: 3 }),
    fc.array(change, { maxLength: 3 }),
    fc.array(fc.nat(), { maxLength: 6 }),
  )
  .map(([messages, changes, cuts]) => {
    const bytes = Buffer.from(messages.join(''), 'latin1');
    for (const { at, byte, times } of changes) if (times === 0) bytes[at % bytes.length] = byte;
    const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
    return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
  });

describe('the HTTP parser of the built program', () => {
  it("is undici's, translated", async () => {
    const script = join(root, 'scripts/translate-parser.mjs');
    const text = execFileSync(process.execPath, [script], { encoding: 'utf8' });
    await expect(text).toMatchFileSnapshot(join(root, 'scripts/build/llhttp.cjs'));
  }, 120_000);

  it("tells of any bytes what undici's tells", () => {
    const answers = fc.record({
      headers_complete: fc.constantFrom(0, 0, 0, 1, 2, 21),
      body: fc.constantFrom(0, 0, 0, 21),
      message_complete: fc.constantFrom(0, 0, 21),
    });
    let bodies = 0;
    fc.assert(
      fc.property(arrival, answers, (parts, replies) => {
        const expected = tellAll(asWasm, parts, replies);
        if (JSON.stringify(expected).includes('"body"')) bodies += 1;
        expect(tellAll(asScript, parts, replies)).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
    expect(bodies).toBeGreaterThan(300);
  }, 120_000);
});
