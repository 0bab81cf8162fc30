import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFields } from '../../../../src/cli/command/values.ts';

const fields = (...texts: readonly string[]) => readFields('--field', texts);

describe('fields', () => {
  it('are typed by the rule of all values', () => {
    expect(fields('a=1', 'b=true', 'c=02134', 'd="1"', 'e=', 'f=x=y')).toEqual({
      a: 1,
      b: true,
      c: '02134',
      d: '1',
      e: '',
      f: 'x=y',
    });
  });

  it('reach into objects and lists', () => {
    expect(
      fields(
        'a[b][c]=1',
        'a[b][d]=2',
        't[]=x',
        't[]=y',
        'l[][k]=1',
        'l[][v]=2',
        'l[][k]=3',
        '$set[plan]=pro',
      ),
    ).toEqual({
      a: { b: { c: 1, d: 2 } },
      t: ['x', 'y'],
      l: [{ k: 1, v: 2 }, { k: 3 }],
      $set: { plan: 'pro' },
    });
  });

  it('keep names that mean something to JavaScript as names', () => {
    const read = fields('__proto__[x]=1', 'constructor=2');
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each([
    [['a']],
    [['=1']],
    [['a[b=1']],
    [['a]=1']],
    [['a=1', 'a=2']],
    [['a=1', 'a[b]=2']],
    [['a[b]=2', 'a=1']],
    [['a[]=1', 'a[b]=2']],
    [['a[b]=1', 'a[]=2']],
    [['a=null']],
  ])('are refused where they do not fit: %j', (texts) => {
    expect(() => fields(...texts)).toThrow(/--field/);
  });

  it('are read back as they were written', () => {
    const name = fc.stringMatching(/^[a-z$_][a-z0-9_]{0,5}$/);
    const nested = fc.dictionary(name, fc.dictionary(name, fc.integer(), { minKeys: 1 }), { minKeys: 1 });
    fc.assert(
      fc.property(nested, (value) => {
        const texts = Object.entries(value).flatMap(([outer, inner]) =>
          Object.entries(inner).map(([key, number]) => `${outer}[${key}]=${number}`),
        );
        expect(JSON.stringify(fields(...texts))).toBe(JSON.stringify(value));
      }),
    );
  });
});
