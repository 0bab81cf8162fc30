import { createProgress, type Progress } from '../system/progress.ts';
import type { System } from '../system/system.ts';
import type { GlobalOptions } from './command/options.ts';
import type { ProgressWish } from './context.ts';
import { hasUnicode } from './look.ts';
import type { Talk } from './talk.ts';

type Situation = { readonly system: System; readonly options: GlobalOptions; readonly talk: Talk };

const SECOND = 1000;

/** Shows how far a work is. A bar makes way for whatever else is said on stderr, and is drawn anew thereafter. */
export function startProgress(
  { amidRows, first, ...wish }: ProgressWish,
  { system, options, talk }: Situation,
): Progress {
  const inTheWay = amidRows === true && isAmidRows(system, options);
  const progress = createProgress({
    ...wish,
    waiting: first ?? wish.waiting,
    kind: inTheWay ? 'none' : (wish.kind ?? (options.quiet ? 'none' : 'auto')),
    stream: system.stderr,
    unicode: hasUnicode(system),
    dumb: system.environment.TERM === 'dumb',
    now: system.now,
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
function isAmidRows({ stdout, stderr }: System, { save }: GlobalOptions): boolean {
  return save === undefined && stdout.isTTY === true && stderr.isTTY === true;
}
