import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const resetDistinctId = defineCommand({
  name: 'reset-distinct-id',
  endpoints: [platform.resetDistinctId],
  summary: 'Let a deleted distinct id be used again (live service only)',
  description: 'The service may do nothing before the next event of this distinct id.',
  examples: ['persons reset-distinct-id user_42'],
  arguments: {
    'distinct-id': {
      type: 'text',
      placeholder: 'distinct id',
      description: 'A distinct id of a deleted person',
    },
  },
  omit: ['distinct_id'],
  async run({ 'distinct-id': distinctId }, context) {
    const client = await context.client();
    await client.call(platform.resetDistinctId, { distinct_id: distinctId });
    context.report(`Requested: ${distinctId} can be used again. The next event of it shows.`);
  },
});
