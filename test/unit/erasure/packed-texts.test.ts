import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPackedTexts } from '../../../src/erasure/packed-texts.ts';

test('keeps each new text once and gives it back exactly', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.uuid(),
    fc.constantFrom('a', 'b', 'A'),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 300 }), (texts) => {
      const packed = createPackedTexts();
      const news = texts.filter((one) => packed.addNew(one));
      const unique = [...new Set(texts)];
      expect(news).toEqual(unique);
      expect(Array.from({ length: packed.size }, (_, index) => packed.at(index))).toEqual(unique);
    }),
  );
});

test('takes a UUID for its text alone, not for the bytes it is kept as', () => {
  const packed = createPackedTexts();
  const uuid = '41414141-4141-4141-4141-414141414141';
  expect([
    packed.addNew(uuid),
    packed.addNew('A'.repeat(16)),
    packed.addNew(uuid.replaceAll('-', '')),
  ]).toEqual([true, true, true]);
  expect(packed.at(0)).toBe(uuid);
  expect(packed.addNew(uuid)).toBe(false);
});

test('holds more than one segment and texts longer than one', () => {
  const packed = createPackedTexts();
  const long = '€'.repeat(500_000);
  for (const text of ['first', long, 'last']) packed.add(text);
  for (let number = 0; number < 100_000; number += 1) packed.addNew(`a text with number ${number}`);
  expect([packed.at(0), packed.at(1) === long, packed.at(2)]).toEqual(['first', true, 'last']);
  expect(packed.at(100_002)).toBe('a text with number 99999');
  expect(() => packed.at(100_003)).toThrow(RangeError);
});

test('keeps texts that only look like a UUID exactly as they are', () => {
  const uuid = '0a1b2c3d-0000-4000-8000-00000000abcd';
  const texts = [
    uuid,
    // No digits of a UUID: beyond ASCII, in upper case, hyphens elsewhere or everywhere.
    uuid.replace('0a', 'é\u0661'),
    uuid.toUpperCase(),
    '0a1b2c3d0-000-4000-8000-00000000abcd',
    '-'.repeat(36),
    'a'.repeat(36),
  ];
  const packed = createPackedTexts();
  expect(texts.map((text) => packed.addNew(text))).toEqual(texts.map(() => true));
  expect(texts.map((_, index) => packed.at(index))).toEqual(texts);
  expect(texts.map((text) => packed.addNew(text))).toEqual(texts.map(() => false));
  expect(packed.addNewUuid('a'.repeat(36))).toBeUndefined();
});

test('knows each of many UUIDs and other texts again', () => {
  const packed = createPackedTexts();
  const texts = Array.from({ length: 5000 }, (_, number) =>
    number % 2 === 0 ? `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` : `text ${number}`,
  );
  for (const text of texts) expect(packed.addNew(text)).toBe(true);
  for (const [index, text] of texts.entries()) {
    expect([packed.addNew(text), packed.at(index)]).toEqual([false, text]);
  }
  expect(() => packed.at(-1)).toThrow(RangeError);
  expect(() => createPackedTexts().at(0)).toThrow(RangeError);
});
