import { expect, test } from 'vitest';
import { rememberUuids } from '../../../src/client/remember-uuids.ts';

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const uuid = '0a1b2c3d-0000-4000-8000-00000000abcd';

test.each([
  ['no quotes', ` ${uuid} `],
  ['one quote', `"${uuid} `],
  ['too few digits', '"0a1b2c3d"'],
  ['no hyphens where they belong', `"${uuid.replaceAll('-', '0')}"`],
  ['capital letters', `"${uuid.toUpperCase()}"`],
  ['another letter at its end', `"${uuid.slice(0, -1)}g"`],
])('bytes with %s are not taken for a UUID', (_, text) => {
  const uuids = rememberUuids(8);
  const bytes = Buffer.from(text);
  expect(uuids.bytes(bytes, 0, bytes.length)).toBeUndefined();
  expect(uuids.text(uuid)).toBe(false);
});

test('a UUID is the same as text, in any case, and as bytes', () => {
  const uuids = rememberUuids(8);
  expect(uuids.text(uuid.toUpperCase())).toBe(false);
  const bytes = Buffer.from(`["${uuid}"]`);
  expect(uuids.bytes(bytes, 1, bytes.length - 1)).toBe(true);
});

test('the last ones are remembered, whole generations of older ones are not', () => {
  const uuids = rememberUuids(4);
  // The nil UUID is one like others, though four zeros stand for a free place.
  const all = Array.from({ length: 12 }, (_, number) =>
    number === 8 ? uuid.replace(/[^-]/g, '0') : uuidOf(number),
  );
  for (const one of all) {
    expect(uuids.text(one)).toBe(false);
    expect(uuids.text(one)).toBe(true);
  }
  expect(all.slice(4).map((one) => uuids.text(one))).toEqual(Array(8).fill(true));
  expect(uuids.text(uuidOf(0))).toBe(false);
});
