import type { Options, OptionsInput } from '../../cli/command/options.ts';
import { usageError } from '../../errors.ts';

/** Whether to wait for a calculation in the background, and how long. */
export const waitOption = {
  wait: { type: 'flag', description: 'Wait until a calculation in the background has ended' },
  waitTimeout: {
    type: 'number',
    placeholder: 'seconds',
    minimum: 0.001,
    description: 'How long to wait at most (300)',
  },
} as const satisfies Options;

const LONGEST_WAIT = 300;

/** Seconds to wait at most, undefined without `--wait`. Throws a usage error for a limit without it. */
export function readWait({ wait, waitTimeout }: OptionsInput<typeof waitOption>): number | undefined {
  if (wait) return waitTimeout ?? LONGEST_WAIT;
  if (waitTimeout === undefined) return undefined;
  throw usageError('--wait-timeout limits a wait that was not asked for', 'add --wait');
}
