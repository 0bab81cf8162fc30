import { describe, expect, it } from 'vitest';
import {
  periodAt,
  periodsOf,
  previousRange,
  readDate,
  resolveRange,
} from '../../../../../src/sandbox/analysis/time/date-range.ts';
import {
  type Interval,
  instantOf,
  isTimeZone,
  localTime,
  startOf,
} from '../../../../../src/semantics/calendar.ts';

const NOW = '2024-05-15T12:34:56Z';
const iso = (instant: number) => new Date(instant).toISOString();

function read(text: string, timezone = 'UTC'): string {
  return iso(readDate(text, { timezone, weekStart: 0, now: Date.parse(NOW) }).instant);
}

function range(
  dates: { readonly from?: string; readonly to?: string; readonly exact?: boolean },
  { timezone = 'UTC', interval = 'day' as Interval } = {},
): readonly string[] {
  const calendar = { timezone, weekStart: 0 };
  const surroundings = { project: { timezone }, now: Date.parse(NOW) };
  const earliest = () => Date.parse('2024-04-30T10:00:00Z');
  const { from, to } = resolveRange(dates, { ...surroundings, calendar, interval, earliest });
  return [iso(from), iso(to)];
}

describe('dates of a request', () => {
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29 10:00:00', '2024-02-29T10:00:00.000Z'],
    ['2024-02-29T10:00:00.250+02:00', '2024-02-29T08:00:00.250Z'],
    ['-7d', '2024-05-08T00:00:00.000Z'],
    ['-1w', '2024-05-08T00:00:00.000Z'],
    ['-1m', '2024-04-15T00:00:00.000Z'],
    ['-1q', '2024-02-15T00:00:00.000Z'],
    ['-1y', '2023-05-15T00:00:00.000Z'],
    ['-24h', '2024-05-14T12:34:56.000Z'],
    ['-3h', '2024-05-15T09:34:56.000Z'],
    ['-30M', '2024-05-15T12:04:56.000Z'],
    ['dStart', '2024-05-15T00:00:00.000Z'],
    ['-1dStart', '2024-05-14T00:00:00.000Z'],
    ['wStart', '2024-05-12T00:00:00.000Z'],
    ['mStart', '2024-05-01T00:00:00.000Z'],
    ['mEnd', '2024-05-31T00:00:00.000Z'],
    ['-1mStart', '2024-04-01T00:00:00.000Z'],
    ['-1mEnd', '2024-04-30T00:00:00.000Z'],
    ['qStart', '2024-04-01T00:00:00.000Z'],
    ['yStart', '2024-01-01T00:00:00.000Z'],
    ['-1yStart', '2023-01-01T00:00:00.000Z'],
    ['-1yEnd', '2023-12-31T00:00:00.000Z'],
  ])('reads %s', (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  it('keeps to the last day of a shorter month', () => {
    const reader = { timezone: 'UTC', weekStart: 0, now: Date.parse('2024-03-31T10:00:00Z') };
    expect(iso(readDate('-1m', reader).instant)).toBe('2024-02-29T00:00:00.000Z');
  });

  it('counts days in the time zone of the project', () => {
    expect(read('-1d', 'America/Los_Angeles')).toBe('2024-05-14T07:00:00.000Z');
    expect(read('2024-02-29', 'Asia/Tokyo')).toBe('2024-02-28T15:00:00.000Z');
    expect(read('2024-02-29T10:00:00', 'Asia/Tokyo')).toBe('2024-02-29T01:00:00.000Z');
  });

  it.each(['', 'yesterday', '2024-02-30', '2024-13-01', '-7x', 'd', '2024-02-01T25:00:00Z'])(
    'refuses "%s"',
    (text) => {
      expect(() => read(text)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});

describe('the range of a request', () => {
  it('is seven days ago to the end of today without dates', () => {
    expect(range({})).toEqual(['2024-05-08T00:00:00.000Z', '2024-05-15T23:59:59.999Z']);
  });

  it('includes the whole last day, even when it is written as midnight', () => {
    expect(range({ from: '2024-05-01', to: '2024-05-02T00:00:00Z' })[1]).toBe('2024-05-02T23:59:59.999Z');
    expect(range({ from: '2024-05-01', to: '-1d' })[1]).toBe('2024-05-14T23:59:59.999Z');
  });

  it('takes an exact end at its word', () => {
    expect(range({ to: '2024-05-02T10:00:00Z', exact: true })[1]).toBe('2024-05-02T10:00:00.000Z');
  });

  it('ends with the hour by the hour', () => {
    expect(range({ from: '-24h', to: '2024-05-15T10:00:00Z' }, { interval: 'hour' })).toEqual([
      '2024-05-14T12:34:56.000Z',
      '2024-05-15T10:59:59.999Z',
    ]);
  });

  it('begins with the day of the first event where all is asked for', () => {
    expect(range({ from: 'all' })[0]).toBe('2024-04-30T00:00:00.000Z');
  });
});

describe('periods', () => {
  const periods = (from: string, to: string, interval: Interval, timezone = 'UTC') =>
    periodsOf({ from: Date.parse(from), to: Date.parse(to) }, interval, { timezone, weekStart: 0 });

  it('cover the range, the unfinished ones too', () => {
    expect(periods('2024-01-15', '2024-03-01', 'month').days).toEqual([
      '2024-01-01',
      '2024-02-01',
      '2024-03-01',
    ]);
    expect(periods('2024-05-14', '2024-05-21', 'week').days).toEqual(['2024-05-12', '2024-05-19']);
    expect(periods('2024-05-14T10:30:00Z', '2024-05-14T11:00:00Z', 'hour')).toMatchObject({
      days: ['2024-05-14 10:00:00', '2024-05-14 11:00:00'],
      labels: ['14-May-2024 10:00', '14-May-2024 11:00'],
    });
  });

  it('have 23 and 25 hours where the clocks change', () => {
    const { starts } = periods('2024-03-30T23:00:00Z', '2024-04-01T10:00:00Z', 'day', 'Europe/Berlin');
    expect(starts.map(iso)).toEqual([
      '2024-03-30T23:00:00.000Z',
      '2024-03-31T22:00:00.000Z',
      '2024-04-01T22:00:00.000Z',
    ]);
  });

  it('tell which one holds an instant', () => {
    const days = periods('2024-05-01', '2024-05-03', 'day');
    expect(
      ['2024-04-30T23:59:59Z', '2024-05-01', '2024-05-02T23:59:59Z', '2024-05-04'].map((at) =>
        periodAt(days, Date.parse(at)),
      ),
    ).toEqual([-1, 0, 1, -1]);
  });

  it('are refused where there are too many', () => {
    expect(() => periods('1024-01-01', '2024-01-01', 'hour')).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  it('start weeks on the day that is asked for', () => {
    const wednesday = Date.parse('2024-05-15T12:00:00Z');
    expect(iso(startOf('week', wednesday, { timezone: 'UTC', weekStart: 1 }))).toBe(
      '2024-05-13T00:00:00.000Z',
    );
  });
});

describe('the time before', () => {
  const calendar = { timezone: 'UTC', weekStart: 0 };
  const week = { from: Date.parse('2024-05-08T00:00:00Z'), to: Date.parse('2024-05-15T23:59:59.999Z') };
  const shown = ({ from, to }: { from: number; to: number }) => [iso(from), iso(to)];

  it('goes back as many days as the range says or has', () => {
    expect(shown(previousRange(week, { from: '-7d' }, {}, calendar))).toEqual([
      '2024-05-01T00:00:00.000Z',
      '2024-05-08T23:59:59.999Z',
    ]);
    expect(shown(previousRange(week, { from: '2024-05-08', to: '2024-05-15' }, {}, calendar))).toEqual([
      '2024-04-30T00:00:00.000Z',
      '2024-05-07T23:59:59.999Z',
    ]);
  });

  it('goes back by what is asked for', () => {
    expect(shown(previousRange(week, {}, { to: '-1y' }, calendar))).toEqual([
      '2023-05-08T00:00:00.000Z',
      '2023-05-15T23:59:59.999Z',
    ]);
  });
});

describe('time zones', () => {
  it('show the clocks of a place, and find the instant of a reading', () => {
    const instant = Date.parse('2024-07-01T02:30:00Z');
    const local = localTime(instant, 'America/New_York');
    expect(local).toMatchObject({ year: 2024, month: 6, day: 30, hour: 22, minute: 30 });
    expect(instantOf(local, 'America/New_York')).toBe(instant);
  });

  it('go past a gap in the clocks', () => {
    const gap = { year: 2024, month: 3, day: 31, hour: 2, minute: 30 };
    expect(iso(instantOf(gap, 'Europe/Berlin'))).toBe('2024-03-31T01:30:00.000Z');
  });

  it('are told from names that are none', () => {
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Mars/Olympus')]).toEqual([true, false]);
  });
});
