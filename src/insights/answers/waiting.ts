import type { Options } from '../../cli/command/options.ts';
import type { Context } from '../../cli/context.ts';
import { usageError } from '../../errors.ts';
import { type Duration, inMilliseconds } from '../../semantics/calendar.ts';

export const watchOption = {
  watch: {
    type: 'duration',
    needsRows: true,
    placeholder: 'time',
    description: 'Draw again at this interval (default 60s), until Ctrl-C; only at a terminal',
  },
} as const satisfies Options;

/** The service calculates for others as well. */
const SHORTEST_WATCH = 5_000;

/** Draws in place until Ctrl-C, which is a success. Throws a usage error without a terminal to draw on. */
export async function showAgain(
  every: Duration | undefined,
  show: () => Promise<void>,
  context: Context,
): Promise<void> {
  if (every === undefined) return show();
  const { width, format } = context.output.format();
  if (width === undefined || format !== 'table')
    throw usageError('--watch can only draw at a terminal', 'leave it out, also with --save and -o');
  const pause = inMilliseconds(every);
  if (pause < SHORTEST_WATCH) throw usageError('--watch is too short', 'give 5s or more');
  let isDrawn = false;
  for (;;) {
    try {
      await context.output.raw(CLEAR);
      await show();
      isDrawn = true;
      context.note(
        `Drawn at ${new Date(context.now()).toISOString()}, again in ${pause / 1000} s; Ctrl-C ends it.`,
      );
      await context.wait(pause, context.signal);
    } catch (failure) {
      if (context.signal.reason === 'SIGINT' && isDrawn) return;
      throw failure;
    }
  }
}

const CLEAR = '\u001b[2J\u001b[H';
