import { defineCommand } from '../../cli/command/define-command.ts';
import { stickinessActorsQuery } from '../../insights/analyses/people.ts';
import { seriesFields, seriesParameters } from '../../insights/analyses/steps.ts';
import { filled } from '../../json/kinds.ts';
import { persons } from '../../service/persons.ts';
import { personColumns, seriesOptions } from './options.ts';

export const listStickinessPeople = defineCommand({
  name: 'stickiness',
  endpoints: [persons.stickiness],
  summary: 'List the persons who did something on a number of days',
  examples: [
    "persons stickiness --events '$pageview' --days 3 --date-from -14d",
    'persons stickiness --events paid --interval week --days 2 --all -o csv',
  ],
  omit: [...seriesFields, 'stickiness_days'],
  options: {
    ...seriesOptions,
    days: {
      type: 'integer',
      minimum: 1,
      description: 'Number of days, or other intervals, on which they did it',
    },
  },
  async run({ days, all, via, limit, offset, ...flags }, context) {
    const who = { ...seriesParameters(flags), stickiness_days: days };
    const actors = stickinessActorsQuery(filled(who));
    const input = { ...who, limit, offset };
    const people = await context.fallback.list(persons.stickiness, input, { all, via, query: () => actors });
    await context.print(people, personColumns);
  },
});
