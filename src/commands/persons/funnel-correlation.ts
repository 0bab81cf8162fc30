import { defineCommand } from '../../cli/command/define-command.ts';
import {
  funnelFieldNames,
  funnelOptions,
  getOption,
  rareNames,
  readFunnel,
} from '../../insights/analyses/funnel.ts';
import { correlatedPeople, correlationActorsQuery, peopleRequest } from '../../insights/analyses/people.ts';
import { persons } from '../../service/persons.ts';
import { peopleOptions, personColumns } from './options.ts';

export const listCorrelationPeople = defineCommand({
  name: 'funnel-correlation',
  endpoints: [persons.funnelCorrelation, persons.funnelCorrelationGet],
  summary: 'List the persons behind an event that correlates with conversion',
  examples: [
    'persons funnel-correlation --events signup,paid --entity "watched video" --converted',
    'persons funnel-correlation --body @correlation.json --all -o csv',
  ],
  omit: [...funnelFieldNames, 'funnel_correlation_person_entity', 'funnel_correlation_person_converted'],
  options: {
    ...funnelOptions,
    entity: { type: 'text', placeholder: 'event', description: 'The correlated event' },
    converted: { type: 'boolean', description: 'Those who converted, or those who did not' },
    ...getOption,
    ...peopleOptions,
  },
  rare: rareNames,
  async run({ entity, converted, get, all, via, limit, offset, ...flags }, context) {
    const row = get ? persons.funnelCorrelationGet : persons.funnelCorrelation;
    const who = correlatedPeople({ entity, converted, body: flags.body });
    const funnel = readFunnel(flags, context);
    const { input, body, filters } = peopleRequest({ row, funnel, who, limit, offset, body: flags.body });
    const query = () => correlationActorsQuery(filters);
    await context.print(await context.fallback.list(row, input, { all, via, body, query }), personColumns);
  },
});
