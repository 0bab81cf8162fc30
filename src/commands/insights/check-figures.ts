import type { Insight } from '../../api/schemas.ts';
import type { Options } from '../../cli/command/options.ts';
import { type Duration, inMilliseconds } from '../../cli/command/typed-value.ts';
import { CliError } from '../../errors.ts';
import { describeInsight } from './say-insight.ts';

/** What a result must be, so that a script may rely on it. */
export const freshOptions = {
  requireResult: { type: 'flag', description: 'End with 9 where there is no result' },
  maxAge: {
    type: 'duration',
    placeholder: 'time',
    description: 'End with 9 where the result is older: 30min, 24h',
  },
} as const satisfies Options;

type Wish = {
  readonly requireResult: boolean | undefined;
  readonly maxAge: Duration | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Throws `check` for an insight without the result that was asked for, or with one that is too old. */
export function checkFigures(insight: Insight, { requireResult, maxAge, now }: Wish): void {
  const isMissing = insight.result === undefined || insight.result === null;
  if (isMissing && (requireResult || maxAge)) {
    throw failed(`${describeInsight(insight)} has no result`);
  }
  if (maxAge === undefined) return;
  const calculated = insight.last_refresh ? Date.parse(insight.last_refresh) : Number.NaN;
  if (Number.isNaN(calculated)) {
    throw failed(`the service does not say when ${describeInsight(insight)} was calculated`);
  }
  if (now - calculated > inMilliseconds(maxAge)) {
    throw failed(
      `the result of ${describeInsight(insight)} is of ${insight.last_refresh}, older than --max-age allows`,
    );
  }
}

function failed(message: string): CliError {
  return new CliError('check', message, { hint: '--refresh calculates it anew' });
}
