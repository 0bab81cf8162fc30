import { describe, expect, it } from 'vitest';
import { nextEventDeletion, readMoment, writeMoment } from '../../../src/sandbox/operator.ts';

const at = (text: string) => {
  const moment = readMoment(text);
  if (moment === undefined) throw new Error(`not a moment: ${text}`);
  return moment;
};

describe('moments', () => {
  it.each([
    ['2026-06-17T12:00:00Z', '2026-06-17T12:00:00Z'],
    ['2026-06-17', '2026-06-17T00:00:00Z'],
    ['2026-06-17 12:00', '2026-06-17T12:00:00Z'],
    ['2026-06-17T12:00:00.5', '2026-06-17T12:00:00.500000Z'],
    ['2026-06-17T12:00:00.123456789+0200', '2026-06-17T10:00:00.123456Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ])('%s is %s', (text, written) => {
    expect(writeMoment(at(text))).toBe(written);
  });

  it.each(['', 'now', '2026-06-17T25:00:00Z', '2026-6-17', '1750000000'])('%j is none', (text) => {
    expect(readMoment(text)).toBeUndefined();
  });
});

describe('the coming Sunday', () => {
  it.each([
    ['2026-06-17T12:00:00Z', '2026-06-21T05:00:00Z'],
    ['2026-06-21T04:59:59.999999Z', '2026-06-21T05:00:00Z'],
    ['2026-06-21T05:00:00Z', '2026-06-28T05:00:00Z'],
    ['2021-08-25T22:09:14Z', '2021-08-29T05:00:00Z'],
    ['1970-01-01T00:00:00Z', '1970-01-04T05:00:00Z'],
  ])('after %s is %s', (from, sunday) => {
    expect(writeMoment(nextEventDeletion(at(from)))).toBe(sunday);
  });
});
