import { describe, expect, it } from 'vitest';
import { keepDistinctIds } from '../../../../../src/commands/persons/export/distinct-ids.ts';

const HOSTILE = [
  '',
  'a',
  'ä',
  '😀',
  '\ud800',
  'x'.repeat(255),
  'x'.repeat(256),
  '"],["',
  '\u0000',
  '~',
  '__proto__',
];

describe('distinct ids that are kept', () => {
  it('are those of each person, whatever it is called', () => {
    const ids = keepDistinctIds();
    for (const person of HOSTILE) ids.addPerson(person);
    for (const person of HOSTILE.slice(1)) ids.set(person, [person, 'b']);
    expect(ids.of('')).toBe('[]');
    for (const person of HOSTILE.slice(1)) expect(ids.of(person)).toBe(JSON.stringify([person, 'b']));
    expect(ids.of('b')).toBeUndefined();
    expect(ids.of('€')).toBeUndefined();
  });

  it('are of nobody who was not added', () => {
    const ids = keepDistinctIds();
    ids.set('a', ['1']);
    ids.set('ä', ['1']);
    expect([ids.of('a'), ids.of('ä')]).toEqual([undefined, undefined]);
  });

  it('are many, and large', () => {
    const ids = keepDistinctIds();
    const nameOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const many = 150_000;
    for (let number = 0; number < many; number += 1) ids.addPerson(nameOf(number));
    for (let number = 0; number < many; number += 2)
      ids.set(nameOf(number), [String(number), 'x'.repeat(60)]);
    for (let number = 0; number < many; number += 997) {
      const expected = number % 2 === 0 ? [String(number), 'x'.repeat(60)] : [];
      expect(ids.of(nameOf(number))).toBe(JSON.stringify(expected));
    }
    expect(ids.of(nameOf(many))).toBeUndefined();
  });

  it('are gone when they were cleared', () => {
    const ids = keepDistinctIds();
    for (const person of ['a', 'ä']) ids.addPerson(person);
    ids.clear();
    expect([ids.of('a'), ids.of('ä')]).toEqual([undefined, undefined]);
    ids.addPerson('a');
    expect(ids.of('a')).toBe('[]');
  });
});
