import { defineCommand } from '../../cli/command/define-command.ts';
import { trendPeople, trendsActorsQuery } from '../../insights/analyses/people.ts';
import { seriesFields } from '../../insights/analyses/steps.ts';
import { persons } from '../../service/persons.ts';
import { personColumns, seriesOptions } from './options.ts';

export const listTrendPeople = defineCommand({
  name: 'trends',
  endpoints: [persons.trends],
  summary: 'List the persons behind one point of a trend',
  examples: [
    "persons trends --events '$pageview' --day 2026-01-05",
    'persons trends --events signup,paid --series 2 --date-from -30d --all -o csv',
    'persons trends --events paid --breakdown plan --breakdown-type person --breakdown-value pro --day 2026-01-05',
  ],
  omit: [...seriesFields, 'entity_id', 'entity_type', 'entity_math'],
  options: {
    ...seriesOptions,
    breakdown: { type: 'repeated', placeholder: 'key', description: 'Property key to break down by' },
    math: { type: 'text', placeholder: 'name', description: 'How the series is counted: dau, weekly_active' },
    day: { type: 'date', description: 'First day of the point, instead of --date-from and --date-to' },
    series: {
      type: 'integer',
      minimum: 1,
      description: 'Number of the event or action among several, from 1',
    },
  },
  async run({ all, via, limit, offset, ...flags }, context) {
    const { fields, point } = trendPeople(flags);
    const query = () => trendsActorsQuery(fields, point);
    const input = { ...fields, limit, offset };
    const people = await context.fallback.list(persons.trends, input, { all, via, query });
    await context.print(people, personColumns);
  },
});
