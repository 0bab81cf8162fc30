import { forgetNames } from '../../cli/auth.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';

export const logout = defineCommand({
  name: 'logout',
  endpoints: [],
  summary: 'Remove a stored project and its key from this computer',
  description:
    'The key itself stays valid at the service until it is deleted there. The names that are kept of the project for\ncompletion go with it. A project that is protected, as stored or by HOGCTL_PROTECTED=1, wants its name typed, or\n--confirm <name>.',
  examples: ['auth logout shop', 'auth logout shop --yes'],
  arguments: { name: { type: 'text', offers: 'project', description: 'Name of a stored project' } },
  async run({ name }, context) {
    if (context.dryRun) throw usageError('--dry-run has nothing to show: logout changes this computer only');
    const stored = context.projects().find(name);
    await context.confirm({
      action: `remove the stored project ${stored.name} (${stored.id}) at ${stored.host} and its key from this computer`,
      local: true,
      stored,
    });
    const { removed, wasDefault } = await context.projects().logout(name);
    forgetNames(removed, context);
    context.report(
      `Removed ${removed.name} (${removed.id}) at ${removed.host}. The key stays valid at the service.`,
    );
    if (wasDefault) context.note('There is no default project now; hogctl auth use <name> sets one.');
  },
});
