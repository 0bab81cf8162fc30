import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import { platform } from '../../service/platform.ts';

export const deletionStatus = defineCommand({
  name: 'deletion-status',
  endpoints: [platform.deletionStatus],
  summary: 'Show how far the deletion of events is (live service only)',
  description:
    'It tells about events only; a person who is missing here may have had none, or no deletion was asked for.\nEvents go on Sundays at 05:00 UTC.',
  examples: ['persons deletion-status --pending', 'persons deletion-status --all -o csv'],
  options: {
    pending: { type: 'flag', description: 'Only those that are still to be done' },
    all: { type: 'flag', description: 'Every page; --limit is then the page size' },
  },
  async run({ pending, all, ...filters }, context) {
    if (pending && filters.status !== undefined)
      throw usageError('--pending and --status both name a status', 'give one of them');
    const wanted = pending ? { ...filters, status: 'pending' as const } : filters;
    await context.print(await context.list(platform.deletionStatus, wanted, { all }), [
      { key: 'person_uuid', kind: 'id' },
      { key: 'status' },
      { key: 'created_at' },
      { key: 'delete_verified_at' },
    ]);
  },
});
