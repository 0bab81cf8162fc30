import { insights } from '../../api/endpoints/insights.ts';
import { defineCommand } from '../../cli/command/define-command.ts';
import { usageError } from '../../errors.ts';
import { changedColumns } from './columns.ts';
import { findInsightId } from './find-insight.ts';
import { DASHBOARDS_WARNING, givenFields, tagsOption } from './insight-fields.ts';
import { chooseTags } from './tags.ts';

export const updateInsight = defineCommand({
  name: 'update',
  endpoints: [insights.update],
  summary: 'Change an insight',
  description: 'Only what is named here is sent. --add-tag and --remove-tag read the insight first.',
  examples: [
    'insights update 9 --name "Weekly checkout"',
    'insights update zeNY2NOU --add-tag weekly --remove-tag draft',
    'insights update 9 --query @checkout.json',
  ],
  arguments: { insight: { type: 'insight' } },
  omit: ['deleted'],
  options: {
    tags: tagsOption,
    addTag: { type: 'repeated', placeholder: 'tag', description: 'Add a tag to those it has' },
    removeTag: { type: 'repeated', placeholder: 'tag', description: 'Take one tag away' },
    clearTags: { type: 'flag', description: 'Take all tags away' },
  },
  async run({ insight, tags, addTag, removeTag, clearTags, ...given }, context) {
    const wish = chooseTags({ tags, addTag, removeTag, clearTags });
    const fields = givenFields(given);
    if (wish === undefined && Object.keys(fields).length === 0)
      throw usageError('there is nothing to change', 'name a field, such as --name');
    if (fields.dashboards !== undefined) context.warn(DASHBOARDS_WARNING);
    const client = await context.client();
    const id = await findInsightId(insight, context);
    const changes = { ...fields, ...(wish && { tags: await wish(id, client) }) };
    const answer = await client.call(insights.update, { id, ...changes });
    context.report(`Changed insight ${id}: ${Object.keys(changes).join(', ')}.`);
    if (answer !== undefined) await context.print(answer, changedColumns);
  },
});
