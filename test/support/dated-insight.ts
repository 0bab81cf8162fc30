import { startService } from './service.ts';

/** A service whose own clock says when it answers, and which calculated an hour before unless said otherwise. */
export const at = (date: string, insight: object) => {
  const calculated = new Date(Date.parse(date) - 3_600_000).toISOString();
  const answer = { id: 9, short_id: 'Ab12', timezone: 'UTC', last_refresh: calculated, ...insight };
  return startService([() => ({ json: answer, headers: { date: new Date(date).toUTCString() } })]);
};

export const NOW = '2026-11-28T10:00:00Z';

/** Days up to and beyond the 28th, a Saturday. */
export const daily = (data: readonly (number | null)[], first = 25, about: object = {}) => ({
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', ...about } },
  result: [
    {
      label: 'signup',
      data,
      days: data.map((_, index) => new Date(Date.UTC(2026, 10, first + index)).toISOString().slice(0, 10)),
    },
  ],
});
