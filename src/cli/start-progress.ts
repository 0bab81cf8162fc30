import type { GlobalOptions } from './command/global-options.ts';
import type { ProgressWish } from './context.ts';
import { hasUnicode } from './look.ts';
import type { Outside } from './outside/outside.ts';
import { createProgress, type Progress } from './outside/progress.ts';
import type { Talk } from './talk.ts';

type Situation = { readonly outside: Outside; readonly options: GlobalOptions; readonly talk: Talk };

const SECOND = 1000;

/** Shows how far a work is. A bar makes way for whatever else is said on stderr, and is drawn anew thereafter. */
export function startProgress(
  { amidRows, first, ...wish }: ProgressWish,
  { outside, options, talk }: Situation,
): Progress {
  const inTheWay = amidRows === true && isAmidRows(outside, options);
  const progress = createProgress({
    ...wish,
    waiting: first ?? wish.waiting,
    kind: inTheWay ? 'none' : (wish.kind ?? (options.quiet ? 'none' : 'auto')),
    stream: outside.stderr,
    unicode: hasUnicode(outside),
    dumb: outside.environment.TERM === 'dumb',
    now: outside.now,
  });
  if (progress.isLive) talk.takeAway(progress.end);
  const clock = first === undefined ? undefined : setInterval(() => progress.follow(undefined), SECOND);
  clock?.unref();
  return {
    ...progress,
    update: (...figures) => {
      clearInterval(clock);
      progress.update(...figures);
    },
    follow: (told) => {
      if (told !== undefined) clearInterval(clock);
      progress.follow(told);
    },
    end: () => {
      clearInterval(clock);
      progress.end();
      if (progress.isLive) talk.takeAway(undefined);
    },
  };
}

/** A bar on the terminal that the rows go to would stand in their way. */
function isAmidRows({ stdout, stderr }: Outside, { save }: GlobalOptions): boolean {
  return save === undefined && stdout.isTTY === true && stderr.isTTY === true;
}
