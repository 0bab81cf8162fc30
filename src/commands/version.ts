import { defineCommand } from '../cli/command/define-command.ts';
import { askNewest, isNewer, VERSION } from '../cli/version.ts';
import { CliError } from '../errors.ts';

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Show the version of hogctl, or check for a newer one',
  description:
    'Only --check asks npm on this computer for the newest version, with the registry, proxy and certificates of npm.\nNo key and no project data is sent. Exits with 9 if there is a newer version.',
  examples: ['version', 'version -o json', 'version --check'],
  options: { check: { type: 'flag', description: 'Check for a newer version with npm' } },
  async run({ check }, context) {
    const running = { version: VERSION, node: context.nodeVersion, platform: context.platform };
    if (!check) return context.print(running);
    const newest = await askNewest(context);
    await context.print({ ...running, newest });
    if (!isNewer(newest, VERSION)) return context.note('No newer version has been published.');
    throw new CliError('check', `hogctl ${newest} is available, this is ${VERSION}`, {
      hint: 'install it as you installed this one, such as with npm install --global hogctl',
    });
  },
});
