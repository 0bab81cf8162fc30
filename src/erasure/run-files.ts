/** A file that only grows. Each call is complete on the disk when it returns, or throws. */
export type GrowingFile = {
  readonly size: () => number;
  readonly append: (text: string) => void;
  readonly truncate: (size: number) => void;
  readonly close: () => void;
};

/** A file that nobody relies on until it is finished. */
export type NewFile = {
  readonly add: (bytes: Uint8Array) => void;
  /** Syncs it. */
  readonly finish: () => void;
  /** Closes it, finished or not; may be called again. */
  readonly close: () => void;
};

export type ReadableFile = {
  readonly size: number;
  /** Reads into new memory, or into `piece`, which the next read may then change. */
  readonly read: (position: number, length: number, piece?: Buffer) => Buffer;
  readonly close: () => void;
};
