import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const resetSandbox = defineCommand({
  name: 'reset',
  endpoints: [platform.sandboxReset],
  summary: 'Put the running sandbox back to its first state',
  examples: ['sandbox reset --yes'],
  async run(_input, context) {
    await context.confirm({ action: 'throw away what was changed in the sandbox' });
    const client = await context.client();
    await context.print(await client.call(platform.sandboxReset, {}));
  },
});
