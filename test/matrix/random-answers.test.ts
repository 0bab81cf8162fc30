import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { dice, HOUR, KINDS, type Meant, NOW } from './random-answers.ts';

const EXPECTATIONS = [
  'last >= 30',
  'first <= 30',
  'min > 5',
  'max < 50',
  'sum >= 90',
  'mean <= 25',
  'count > 3',
  'last >= first',
  'drop <= 20%',
  'conversion >= 30',
];

/** What holds, read off the meaning of the series. */
function holds(expected: string, { values, own = values, conversion }: Meant): boolean {
  const [name = '', sign = '', right = ''] = expected.split(' ');
  const whole = (list: readonly (number | null)[]) =>
    list.length > 0 && !list.includes(null) ? (list as readonly number[]) : undefined;
  const sum = (list: readonly number[] | undefined) => list?.reduce((left, one) => left + one, 0);
  const isRunning = own !== values;
  const levels = right === 'first' && isRunning ? own : values;
  const [before, last] = [own.at(-2), own.at(-1)];
  const read: Record<string, () => number | null | undefined> = {
    last: () => levels.at(-1),
    first: () => levels.at(0),
    min: () => whole(values) && Math.min(...(whole(values) ?? [])),
    max: () => whole(values) && Math.max(...(whole(values) ?? [])),
    sum: () => sum(whole(own)),
    mean: () => (whole(own) === undefined ? undefined : (sum(whole(own)) ?? 0) / own.length),
    count: () => (values.length === 0 ? undefined : values.length),
    conversion: () => conversion,
    drop: () => {
      if (typeof before !== 'number' || typeof last !== 'number') return undefined;
      if (last >= before) return 0;
      return before === 0 ? undefined : ((before - last) / before) * 100;
    },
  };
  const left = read[name]?.();
  const limit = right === 'first' ? levels.at(0) : Number(right.replace('%', ''));
  if (typeof left !== 'number' || typeof limit !== 'number') return false;
  if (sign === '>=') return left >= limit;
  if (sign === '<=') return left <= limit;
  return sign === '>' ? left > limit : left < limit;
}

const OF_EACH = 200;

it.each(Object.entries(KINDS))('200 random answers are judged as they are meant: %s', async (name, make) => {
  const roll = dice([...name].reduce((seed, letter) => seed * 31 + letter.charCodeAt(0), 7) % 2_147_483_648);
  const cases = Array.from({ length: OF_EACH }, () => make(roll));
  const service = await startService([
    ({ url }) => {
      const id = Number(/insights\/(\d+)/.exec(url)?.[1]);
      const last_refresh = new Date(NOW - HOUR).toISOString();
      return {
        json: { id, last_refresh, ...cases[id - 1]?.answer },
        headers: { date: new Date(NOW).toUTCString() },
      };
    },
  ]);
  const expect_ = JSON.stringify(EXPECTATIONS);
  const stdin = cases.map((_, index) => `- {insight: ${index + 1}, expect: ${expect_}}\n`).join('');
  const { stdout } = await service.hogctl('insights check --file - -o json', { stdin });
  const rows = JSON.parse(stdout) as readonly {
    readonly line: number;
    readonly series: string | null;
    readonly expected: string;
    readonly holds: boolean;
    readonly found: string;
  }[];
  const wrong = rows.filter((row) => {
    const series = cases[row.line - 1]?.meant.find((one) => one.series === row.series);
    return series === undefined || holds(row.expected, series) !== row.holds;
  });
  expect(
    wrong
      .slice(0, 3)
      .map((row) => ({ ...row, answer: cases[row.line - 1]?.answer, meant: cases[row.line - 1]?.meant })),
  ).toEqual([]);
  expect(rows).toHaveLength(cases.flatMap(({ meant }) => meant).length * EXPECTATIONS.length);
  // Some of both, or it would prove nothing.
  for (const value of [true, false])
    expect(rows.filter((row) => row.holds === value).length).toBeGreaterThan(50);
});
