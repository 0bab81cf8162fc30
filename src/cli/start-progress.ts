import type { GlobalOptions } from './command/global-options.ts';
import type { ProgressWish } from './context.ts';
import { hasUnicode } from './look.ts';
import type { Outside } from './outside/outside.ts';
import { createProgress, type Progress } from './outside/progress.ts';
import type { Talk } from './talk.ts';

type Situation = { readonly outside: Outside; readonly options: GlobalOptions; readonly talk: Talk };

/** Shows how far a work is. A bar makes way for whatever else is said on stderr, and is drawn anew thereafter. */
export function startProgress(
  { amidRows, ...wish }: ProgressWish,
  { outside, options, talk }: Situation,
): Progress {
  const inTheWay = amidRows === true && isAmidRows(outside, options);
  const progress = createProgress({
    ...wish,
    kind: inTheWay ? 'none' : (wish.kind ?? (options.quiet ? 'none' : 'auto')),
    stream: outside.stderr,
    unicode: hasUnicode(outside),
    dumb: outside.environment.TERM === 'dumb',
    now: outside.now,
  });
  if (!progress.isLive) return progress;
  talk.takeAway(progress.end);
  return {
    ...progress,
    end: () => {
      progress.end();
      talk.takeAway(undefined);
    },
  };
}

/** A bar on the terminal that the rows go to would stand in their way. */
function isAmidRows({ stdout, stderr }: Outside, { save }: GlobalOptions): boolean {
  return save === undefined && stdout.isTTY === true && stderr.isTTY === true;
}
