import { forgetNames } from '../../cli/auth.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { usageError } from '../../errors.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Remove a stored project and its key from this computer',
  description: helpText('commands/auth/logout'),
  examples: ['auth logout shop', 'auth logout shop --yes'],
  arguments: { name: { type: 'text', offers: 'project', description: 'Name of a stored project' } },
  async run({ name }, context) {
    if (context.dryRun)
      throw usageError('--dry-run cannot be used here: auth logout sends no change', 'leave it out');
    const stored = context.projects.stored().find(name);
    await context.confirm({
      action: `remove the stored project ${stored.name} (${stored.id}) at ${stored.host} and its key from this computer`,
      local: true,
      stored,
    });
    const { removed, wasDefault } = await context.projects.stored().logout(name);
    forgetNames(removed, context);
    context.report(
      `Removed ${removed.name} (${removed.id}) at ${removed.host}. The key stays valid at the service.`,
    );
    if (wasDefault) context.note('No project is the default now; set one with hogctl auth use <name>.');
  },
});
