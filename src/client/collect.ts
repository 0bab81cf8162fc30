import type { Readable } from 'node:stream';

/** A buffer that grows and is used again, so that page after page needs no new memory. */
export type Slot = {
  buffer: Buffer;
  /** Looks at what there is of a body that goes on, until it returns true. */
  readonly onHead?: ((head: Buffer) => boolean) | undefined;
};

type Collecting = { readonly encoding: string | undefined; readonly slot: Slot | undefined };

/** Holds most pages of 1,000 rows. Memory that is not written to costs nothing, and buffers that were too small do. */
const FIRST_SIZE = 2 ** 21;

/** Reads a body to its end, unpacked where it is gzip. Throws when it breaks off or cannot be unpacked. */
export async function collect(body: Readable, { encoding, slot }: Collecting): Promise<Buffer> {
  const plain = encoding === undefined || /^(identity)?$/i.test(encoding.trim());
  const stream = plain ? body : await unpack(body, encoding);
  if (slot !== undefined) return fill(stream, slot);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpack(body: Readable, encoding: string): Promise<Readable> {
  if (!/^(x-)?gzip$/i.test(encoding.trim())) {
    body.on('error', () => undefined).destroy();
    throw new Error(`the answer is packed in a way that was not asked for: ${encoding}`);
  }
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  // A failure of either end reaches the reader through the stream that is returned.
  return pipeline(body, createGunzip({ chunkSize: 64 * 1024 }), () => undefined);
}

async function fill(stream: Readable, slot: Slot): Promise<Buffer> {
  let length = 0;
  let looking = slot.onHead !== undefined;
  const look = (): void => {
    looking &&= slot.onHead?.(slot.buffer.subarray(0, length)) !== true;
  };
  let soon: NodeJS.Immediate | undefined;
  try {
    for await (const chunk of stream) {
      if (length + chunk.length > slot.buffer.length) {
        const larger = Buffer.allocUnsafeSlow(
          Math.max(length + chunk.length, slot.buffer.length * 2, FIRST_SIZE),
        );
        slot.buffer.copy(larger, 0, 0, length);
        slot.buffer = larger;
      }
      length += chunk.copy(slot.buffer, length);
      clearImmediate(soon);
      // A body that ends within the same turn is whole before anybody could act on its beginning.
      if (looking) soon = setImmediate(look);
    }
  } finally {
    clearImmediate(soon);
  }
  return slot.buffer.subarray(0, length);
}
