import { withoutRealKeys } from '../../cli/auth.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { usageError } from '../../errors.ts';
import { inRehearsal, openSandbox, sandboxEnvironment, sandboxOptions } from './open-sandbox.ts';

export const execInSandbox = defineCommand({
  name: 'exec',
  summary: 'Run one command against a fresh sandbox',
  description: helpText('commands/sandbox/exec'),
  examples: [
    'sandbox exec -- hogctl persons list',
    'sandbox exec --dialect live -- hogctl persons bulk-delete --distinct-ids user_1,user_2 --yes',
    "sandbox exec -- sh -c 'hogctl persons list --all -o ndjson | wc -l'",
  ],
  arguments: { command: { type: 'words', description: 'The command' } },
  options: sandboxOptions,
  passThrough: true,
  async run({ command, ...input }, context) {
    const [first, ...rest] = command;
    if (first === undefined) throw usageError('a command is missing after --');
    const sandbox = await openSandbox(input, context);
    try {
      const [program, ...script] = context.system.self;
      const words: [string, ...string[]] =
        first === 'hogctl' ? [program, ...script, ...rest] : [first, ...rest];
      const environment = { ...withoutRealKeys(context), ...sandboxEnvironment(sandbox, input.dialect) };
      return await inRehearsal(context, async (own) => {
        // What it shows is gone with it, so completion has no use for it.
        const { code } = await context.spawn(words, { ...environment, ...own, HOGCTL_NO_NAMES: '1' });
        return code;
      });
    } finally {
      await sandbox.stop();
    }
  },
});
