/** Strings well below 128 KiB: above that V8 puts each into pages of its own, which costs more than the formatting. */
const chunkLength = 32 * 1024;

/** Joins short texts into chunks that are worth a write. */
export function* inChunks(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
