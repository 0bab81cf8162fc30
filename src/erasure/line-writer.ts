import { hexDigits } from './hex-digits.ts';
import type { NewFile } from './run-files.ts';

/** Puts lines together as bytes: as text, a million of them cost more in joining and clearing away than in writing. */
export type LineWriter = {
  /** Adds characters of one byte each, fewer than 10,000. */
  readonly ascii: (text: string) => void;
  /** Adds text of any length. */
  readonly text: (text: string) => void;
  /** Adds the digits of bytes that are written as one character each. */
  readonly hex: (bytes: string) => void;
  /** Hands on what is left and syncs the file. */
  readonly finish: () => void;
};

const pieceSize = 1 << 16;
const room = 20_000;

/** `onPiece` sees all bytes before they are written. */
export function createLineWriter(file: NewFile, onPiece: (piece: Uint8Array) => void = () => {}): LineWriter {
  const piece = Buffer.alloc(pieceSize + room);
  let used = 0;
  const hand = (bytes: Uint8Array) => {
    onPiece(bytes);
    file.add(bytes);
  };
  const flush = () => {
    hand(piece.subarray(0, used));
    used = 0;
  };
  return {
    ascii(text) {
      for (let index = 0; index < text.length; index += 1) piece[used + index] = text.charCodeAt(index);
      used += text.length;
      if (used >= pieceSize) flush();
    },
    text(text) {
      if (text.length * 3 > room) {
        flush();
        hand(Buffer.from(text));
        return;
      }
      used += piece.write(text, used);
      if (used >= pieceSize) flush();
    },
    hex(bytes) {
      for (let index = 0; index < bytes.length; index += 1) {
        const digits = hexDigits(bytes.charCodeAt(index));
        piece[used] = digits;
        piece[used + 1] = digits >> 8;
        used += 2;
      }
      if (used >= pieceSize) flush();
    },
    finish() {
      flush();
      file.finish();
    },
  };
}
