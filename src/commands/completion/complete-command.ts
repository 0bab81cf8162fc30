import { defineCommand } from '../../cli/command/define-command.ts';
import { SHELLS, writeCompletion } from './write-completion.ts';

export const completeCommand = defineCommand({
  name: 'completion',
  endpoints: [],
  summary: 'Print the completion script of a shell',
  description:
    'The script is complete in itself: it starts no program and asks no service while you type.\nAdd its line to the start-up file of your shell, for example ~/.bashrc: source <(hogctl completion bash)',
  examples: [
    'completion bash',
    'completion zsh --save _hogctl',
    'completion fish --save hogctl.fish',
    'completion powershell',
  ],
  arguments: {
    shell: {
      type: 'text',
      placeholder: 'shell',
      choices: SHELLS,
      description: `One of ${SHELLS.join(', ')}`,
    },
  },
  async run({ shell }, context) {
    await context.printRaw(await writeCompletion(shell, context.groups));
  },
});
