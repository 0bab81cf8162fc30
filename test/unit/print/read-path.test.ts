import { describe, expect, it } from 'vitest';
import { readPath } from '../../../src/json/kinds.ts';

describe('readPath', () => {
  it('prefers the longest own key and falls back to a shorter one', () => {
    expect(readPath({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1);
    expect(readPath({ 'a.b': { c: 1 }, a: { 'b.d': 2 } }, 'a.b.d')).toBe(2);
    expect(readPath({ 'a.': 1, '': { x: 2 } }, '.x')).toBe(2);
  });

  it('reaches positions of lists and nothing else of them', () => {
    expect(readPath({ a: [{ b: 'x' }] }, 'a.0.b')).toBe('x');
    expect(readPath({ a: ['x'] }, 'a.1')).toBeUndefined();
    expect(readPath({ a: ['x'] }, 'a.length')).toBeUndefined();
    expect(readPath({ a: ['x'] }, 'a.map')).toBeUndefined();
  });

  it('sees own keys only', () => {
    for (const path of ['__proto__', 'constructor', 'a.constructor.name', 'toString']) {
      expect(readPath({ a: {} }, path)).toBeUndefined();
    }
    expect(readPath(JSON.parse('{"__proto__":{"x":1}}'), '__proto__.x')).toBe(1);
    expect(readPath(Object.assign(Object.create(null), { a: 1 }), 'a')).toBe(1);
  });

  it('tells null from nothing', () => {
    expect(readPath({ a: null }, 'a')).toBeNull();
    expect(readPath({ a: null }, 'a.b')).toBeUndefined();
    expect(readPath('text', 'length')).toBeUndefined();
  });
});
