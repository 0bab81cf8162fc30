import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const resetSandbox = defineCommand({
  name: 'reset',
  endpoints: [platform.sandboxReset],
  summary: 'Reset the running sandbox to its first state',
  examples: ['sandbox reset --yes'],
  async run(_input, context) {
    await context.confirm({ action: 'discard all changes in the sandbox' });
    const client = await context.client();
    await context.print(await client.call(platform.sandboxReset, {}));
  },
});
