import { describe, expect, it } from 'vitest';
import { moment, rowOfPerson } from '../../../src/persons/persons-by-list.ts';

describe('a time of an export', () => {
  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05Z'],
    ['2026-01-02 03:04:05.000000', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05.120000Z', '2026-01-02T03:04:05.12Z'],
    ['2026-01-02T03:04:05.000+00:00', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:00+01:00', '2026-01-02T03:04:00+01:00'],
    ['2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123456Z'],
  ])('has one spelling: %s', (text, written) => expect(moment(text)).toBe(written));

  it('may be missing', () => expect([moment(null), moment(undefined)]).toEqual([null, null]));
});

describe('a row of an export', () => {
  const rest = { distinct_ids: ['b', 'a'], properties: null, created_at: '2026-01-02T03:04:05Z' };
  const row = { distinct_ids: ['a', 'b'], properties: {}, created_at: '2026-01-02T03:04:05Z' };

  it('has the uuid for an id, and the number where there is none', () => {
    expect(rowOfPerson({ id: 5, uuid: 'u', ...rest })).toEqual({ id: 'u', ...row });
    expect(rowOfPerson({ id: 5, ...rest })).toEqual({ id: '5', ...row });
  });
});
