import type { Insight } from '../../../api/schemas.ts';
import { CliError } from '../../../errors.ts';
import { insightRows } from '../../../output/insight-rows.ts';
import type { Expectation } from '../../../queries/expectation/expectation.ts';
import { judge } from '../../../queries/expectation/judge.ts';
import { describeInsight } from '../say-insight.ts';
import { chooseSeries } from './choose-series.ts';
import { type Series, seriesOf } from './series-of.ts';

type Wish = {
  readonly expectations: readonly Expectation[];
  readonly series: string | undefined;
  readonly breakdown: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** One expectation held against one series. */
export type Result = {
  readonly series: string | null;
  readonly breakdown: string | null;
  readonly expected: string;
  readonly found: string;
  readonly holds: boolean;
};

/** Holds every expectation against every series. Throws `check` for an answer that has no figures to look at. */
export function judgeAnswer(answer: Insight, wish: Wish): readonly Result[] {
  const age = ageOf(answer, wish.now);
  const chosen = chooseSeries(readSeries(answer), wish, describeInsight(answer));
  return wish.expectations.flatMap((expectation) => {
    // Its age is that of the whole answer.
    const judged = isAboutAge(expectation) ? chosen.slice(0, 1).map(nameless) : chosen;
    return judged.map(({ label, breakdown, measured }) => ({
      series: label,
      breakdown,
      expected: expectation.text,
      ...judge(expectation, { ...measured, age }),
    }));
  });
}

function readSeries(answer: Insight): readonly Series[] {
  const name = describeInsight(answer);
  const { error, error_message: reason } = answer.query_status ?? {};
  if (error === true) throw failed(`the calculation of ${name} failed${reason ? `: ${reason}` : ''}`);
  const read = insightRows(answer);
  if (read.outcome === 'no-result') throw failed(`${name} has no result: ${read.message}`);
  if (read.outcome === 'unknown') throw failed(`the figures of ${name} cannot be read: ${read.message}`);
  const series = seriesOf(read.figures);
  if (series.length > 0) return series;
  throw failed(`${name} has no figures: its result is empty`);
}

function failed(message: string): CliError {
  return new CliError('check', message, { hint: '--refresh calculates it anew' });
}

function ageOf({ last_refresh: refreshed }: Insight, now: number): number | undefined {
  const calculated = typeof refreshed === 'string' ? Date.parse(refreshed) : Number.NaN;
  return Number.isNaN(calculated) ? undefined : (now - calculated) / 1000;
}

function isAboutAge({ left, right }: Expectation): boolean {
  return [left, right].every(
    (side) => side.kind === 'constant' || (side.kind === 'named' && side.name === 'age'),
  );
}

function nameless(series: Series): Series {
  return { ...series, label: null, breakdown: null };
}
