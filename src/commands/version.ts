import { defineCommand } from '../cli/command/define-command.ts';
import { askNewest, isNewer, VERSION } from '../cli/version.ts';
import { CliError } from '../errors.ts';

export const versionCommand = defineCommand({
  name: 'version',
  endpoints: [],
  summary: 'Show the version of hogctl, or ask whether there is a newer one',
  description:
    'With --check, and never otherwise, npm on this computer is asked for the newest version: its registry, proxy and\ncertificates are those of npm. No key and nothing of a project goes there. Ends with 9 where there is a newer version.',
  examples: ['version', 'version -o json', 'version --check'],
  options: { check: { type: 'flag', description: 'Ask npm for the newest version' } },
  async run({ check }, context) {
    const running = { version: VERSION, node: context.nodeVersion, platform: context.platform };
    if (!check) return context.print(running);
    const newest = await askNewest(context);
    await context.print({ ...running, newest });
    if (!isNewer(newest, VERSION)) return context.note('No newer version has been published.');
    throw new CliError('check', `hogctl ${newest} has been published, this is ${VERSION}`, {
      hint: 'install it the way this one was installed, such as npm install --global hogctl',
    });
  },
});
