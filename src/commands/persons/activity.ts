import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { allOption } from '../../cli/requests.ts';
import { printActivity } from '../../insights/answers/history.ts';
import { persons } from '../../service/persons.ts';

export const personActivity = defineCommand({
  name: 'activity',
  endpoints: [persons.activity, persons.allActivity],
  summary: 'Show the activity log of one person, or of all persons',
  examples: [
    'persons activity 42',
    'persons activity --all -o ndjson',
    'persons activity --page 2 --limit 20',
  ],
  arguments: { person: { type: 'person', optional: true } },
  options: { all: allOption },
  async run({ person, all, limit, page }, context) {
    const id = person && (await findPersonId(person, context));
    const rows = id
      ? await context.list(persons.activity, { id, limit, page }, { all })
      : await context.list(persons.allActivity, { limit, page }, { all });
    await printActivity(rows, context);
  },
});
