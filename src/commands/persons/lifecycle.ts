import { defineCommand } from '../../cli/command/define-command.ts';
import { lifecycleActorsQuery, lifecyclePeople } from '../../insights/analyses/people.ts';
import { seriesFields } from '../../insights/analyses/steps.ts';
import { filled } from '../../json/kinds.ts';
import { persons } from '../../service/persons.ts';
import { personColumns, seriesOptions } from './options.ts';

export const listLifecyclePeople = defineCommand({
  name: 'lifecycle',
  endpoints: [persons.lifecycle],
  summary: 'List the persons behind one day of a lifecycle',
  description: 'If --day may lie outside the given dates, it replaces them.',
  examples: [
    "persons lifecycle --events '$pageview' --day 2026-01-05 --status new",
    "persons lifecycle --events '$pageview' --date-from -30d --day 2026-01-05 --status dormant --all -o csv",
  ],
  omit: [...seriesFields, 'target_date', 'lifecycle_type'],
  options: {
    ...seriesOptions,
    day: { type: 'date', description: 'The day, or the first of a week or month: YYYY-MM-DD' },
    status: {
      type: 'text',
      placeholder: 'status',
      choices: ['new', 'returning', 'resurrecting', 'dormant'],
      description: 'The status on that day',
    },
  },
  async run({ day, status, all, via, limit, offset, ...flags }, context) {
    const who = lifecyclePeople({ day, status, ...flags }, context);
    const actors = lifecycleActorsQuery(filled(who));
    const input = { ...who, limit, offset };
    const people = await context.fallback.list(persons.lifecycle, input, { all, via, query: () => actors });
    await context.print(people, personColumns);
  },
});
