import { isUtf8 } from 'node:buffer';
import { expect, it } from 'vitest';
import { skipCharacter } from '../../../src/client/skip-character.ts';

const edges = [0x00, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];

it('takes exactly what is one character of UTF-8 beyond ASCII', () => {
  for (let lead = 0x80; lead <= 0xff; lead += 1) {
    for (let second = 0; second <= 0xff; second += 1) {
      for (const third of edges) {
        for (const fourth of edges) {
          const bytes = Buffer.from([lead, second, third, fourth]);
          const expected =
            [2, 3, 4].find((length) => isUtf8(bytes.subarray(0, length)) && isOne(bytes, length)) ?? -1;
          if (skipCharacter(bytes, 0) !== expected)
            expect([bytes, skipCharacter(bytes, 0)]).toEqual([bytes, expected]);
        }
      }
    }
  }
});

it('does not look beyond the end', () => {
  expect(skipCharacter(Buffer.from([0xe2, 0x80]), 0)).toBe(-1);
});

function isOne(bytes: Buffer, length: number): boolean {
  return [...bytes.toString('utf8', 0, length)].length === 1;
}
