import { createGunzip } from 'node:zlib';

/** A buffer that grows and is used again, so that page after page needs no new memory. */
export type Slot = {
  buffer: Buffer;
  /** Looks at what there is of a body that goes on, until it returns true. */
  readonly onHead?: ((head: Buffer) => boolean) | undefined;
};

/** Takes the parts of a body as they arrive. */
export type Collector = {
  add(part: Buffer): void;
  /** No more parts will come. */
  end(): void;
  /** The body broke off or is not wanted any more. */
  drop(cause: Error): void;
};

/** Where a body is unpacked, what comes of it can be stopped for a while. */
export type Unpacker = Collector & { readonly pause?: () => void; readonly resume?: () => void };

type Collecting = {
  readonly encoding: string | undefined;
  readonly slot: Slot | undefined;
  readonly done: (bytes: Buffer) => void;
  /** Called when the body cannot be unpacked. */
  readonly fail: (cause: Error) => void;
};

/** Holds most pages of 1,000 rows. Memory that is not written to costs nothing, and buffers that were too small do. */
const FIRST_SIZE = 2 ** 21;

/** Collects a body, unpacked where it is gzip. */
export function collect({ encoding, slot, done, fail }: Collecting): Collector {
  return unpacked(slot === undefined ? collectParts(done) : fill(slot, done), { encoding, fail });
}

type Packed = Pick<Collecting, 'encoding' | 'fail'>;

/** Hands the parts of a body on to a collector, unpacked where it is gzip; `pause` stops what is unpacked. */
export function unpacked(plain: Collector, { encoding, fail }: Packed): Unpacker {
  if (encoding === undefined || /^(identity)?$/i.test(encoding.trim())) return plain;
  if (/^(x-)?gzip$/i.test(encoding.trim())) return unpack(plain, fail);
  fail(new Error(`the answer is packed in a way that was not asked for: ${encoding}`));
  return { add: () => {}, end: () => {}, drop: () => {} };
}

function unpack(plain: Collector, fail: (cause: Error) => void): Unpacker {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  gunzip.on('data', plain.add).on('end', plain.end).on('error', fail);
  return {
    add: (part) => void gunzip.write(part),
    end: () => void gunzip.end(),
    drop: (cause) => {
      const end = (): void => {
        gunzip.destroy();
        plain.drop(cause);
      };
      if (gunzip.destroyed) return end();
      // What has come is unpacked still: its rows need not come again.
      gunzip.flush(() => {
        while (gunzip.read() !== null);
        end();
      });
    },
    pause: () => void gunzip.pause(),
    resume: () => void gunzip.resume(),
  };
}

function collectParts(done: (bytes: Buffer) => void): Collector {
  const parts: Buffer[] = [];
  const whole = (): Buffer => {
    const [first, ...more] = parts;
    // Most answers come in one part, which nobody uses again.
    return first !== undefined && more.length === 0 ? first : Buffer.concat(parts);
  };
  return { add: (part) => void parts.push(part), end: () => done(whole()), drop: () => {} };
}

function fill(slot: Slot, done: (bytes: Buffer) => void): Collector {
  let length = 0;
  let looking = slot.onHead !== undefined;
  let soon: NodeJS.Immediate | undefined;
  const look = (): void => {
    looking &&= slot.onHead?.(slot.buffer.subarray(0, length)) !== true;
  };
  return {
    add: (part) => {
      if (length + part.length > slot.buffer.length) enlarge(slot, length, part.length);
      length += part.copy(slot.buffer, length);
      clearImmediate(soon);
      // A body that ends within the same turn is whole before anybody could act on its beginning.
      if (looking) soon = setImmediate(look);
    },
    end: () => {
      clearImmediate(soon);
      done(slot.buffer.subarray(0, length));
    },
    drop: () => clearImmediate(soon),
  };
}

function enlarge(slot: Slot, used: number, more: number): void {
  const larger = Buffer.allocUnsafeSlow(Math.max(used + more, slot.buffer.length * 2, FIRST_SIZE));
  slot.buffer.copy(larger, 0, 0, used);
  slot.buffer = larger;
}
