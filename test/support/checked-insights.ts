import type { Setting } from './run-program.ts';
import { startService } from './service.ts';

export const days = ['2026-03-01', '2026-03-02'];
/** A trend of two days. */
export const answer = (id: number, figures = [100, 70]) => ({
  id,
  name: `Insight ${id}`,
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery' } },
  result: [{ label: '$pageview', data: figures, days }],
  last_refresh: '2026-03-03T12:00:00Z',
});
export const headers = { date: new Date('2026-03-04T12:00:00Z').toUTCString() };
export const idOf = (url: string) => Number(/insights\/(\d+)/.exec(url)?.[1]);
export const service = (answerOf: (id: number) => object = answer) =>
  startService([({ url }) => ({ json: answerOf(idOf(url)), headers })]);

/** Runs a file of checks of these entries, a line each. */
export async function run(
  { hogctl }: Awaited<ReturnType<typeof service>>,
  entries: readonly string[],
  { options = '', ...setting }: Setting & { readonly options?: string } = {},
) {
  const stdin = `checks:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
  return hogctl(`insights check --file - ${options}`, { stdin, ...setting });
}
