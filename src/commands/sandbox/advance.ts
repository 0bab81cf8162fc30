import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import { platform } from '../../service/platform.ts';

export const advanceSandbox = defineCommand({
  name: 'advance',
  endpoints: [platform.sandboxAdvance],
  summary: 'Advance the clock of the running sandbox, and carry out what is queued',
  examples: ['sandbox advance --to 2026-06-22T06:00:00Z'],
  omit: ['to'],
  options: {
    to: { type: 'time', description: 'The new time, later than the present one' },
  },
  async run({ to }, context) {
    if (to === undefined)
      throw usageError('--to is missing', 'give the new time, as in --to 2026-06-22T06:00:00Z');
    const client = await context.client();
    await context.print(await client.call(platform.sandboxAdvance, { to }));
  },
});
