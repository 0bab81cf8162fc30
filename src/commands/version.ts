import { defineCommand } from '../cli/command/define-command.ts';
import { helpText } from '../cli/command/help-text.ts';
import { checkVersion, IS_RELEASED, VERSION } from '../cli/version.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Show the version of hogctl, or check for a newer one',
  description: helpText('commands/version'),
  examples: ['version', 'version -o json', 'version --check'],
  options: { check: { type: 'flag', description: 'Check for a newer version with npm' } },
  async run({ check }, context) {
    const running = { version: VERSION, node: context.system.nodeVersion, platform: context.system.platform };
    if (check && IS_RELEASED) return checkVersion(running, context);
    await context.print(running);
    if (check) context.note('hogctl has not been released yet, so there is no newer version.');
  },
});
