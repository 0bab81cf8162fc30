import { defineCommand } from '../../cli/command/define-command.ts';
import { helpText } from '../../cli/command/help-text.ts';
import { allOption } from '../../cli/requests.ts';
import { usageError } from '../../errors.ts';
import { platform } from '../../service/platform.ts';

export const deletionStatus = defineCommand({
  name: 'deletion-status',
  endpoints: [platform.deletionStatus],
  summary: 'Show the progress of event deletion (live service only)',
  description: helpText('commands/persons/deletion-status'),
  examples: ['persons deletion-status --pending', 'persons deletion-status --all -o csv'],
  options: {
    pending: { type: 'flag', description: 'Only deletions that are not done yet' },
    all: allOption,
  },
  async run({ pending, all, ...filters }, context) {
    if (pending && filters.status !== undefined)
      throw usageError('--pending and --status cannot be used together', 'give one of them');
    const wanted = pending ? { ...filters, status: 'pending' as const } : filters;
    await context.print(await context.list(platform.deletionStatus, wanted, { all }), [
      { key: 'person_uuid', kind: 'id' },
      { key: 'status' },
      { key: 'created_at' },
      { key: 'delete_verified_at' },
    ]);
  },
});
