import { defineCommand } from '../../cli/command/define-command.ts';
import { platform } from '../../service/platform.ts';

export const resetDistinctId = defineCommand({
  name: 'reset-distinct-id',
  endpoints: [platform.resetDistinctId],
  summary: 'Allow a deleted distinct id to be used again (live service only)',
  description: 'It may take effect only with the next event of this distinct id.',
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
    context.report(`Requested that ${distinctId} can be used again. Its next event shows whether it worked.`);
  },
});
