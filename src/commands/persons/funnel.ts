import { defineCommand } from '../../cli/command/define-command.ts';
import {
  funnelFieldNames,
  funnelOptions,
  getOption,
  rareNames,
  readFunnel,
} from '../../insights/analyses/funnel.ts';
import { funnelActorsQuery, funnelPeople, peopleRequest } from '../../insights/analyses/people.ts';
import { persons } from '../../service/persons.ts';
import { peopleOptions, personColumns } from './options.ts';

export const listFunnelPeople = defineCommand({
  name: 'funnel',
  endpoints: [persons.funnel, persons.funnelGet],
  summary: 'List the persons of a funnel step',
  examples: [
    'persons funnel --events signup,paid --step 2',
    "persons funnel --event '$pageview' --event paid --step 2 --dropped --all -o csv",
    'persons funnel --events signup,paid --day 2026-06-07 --dropped',
  ],
  omit: [...funnelFieldNames, 'funnel_step', 'entrance_period_start', 'drop_off'],
  options: {
    ...funnelOptions,
    step: { type: 'integer', minimum: 1, description: 'Those who reached this step, from 1' },
    dropped: { type: 'flag', description: 'Those who dropped out before the step, or who began on the day' },
    day: { type: 'date', description: 'Those who began on this day, of a funnel over time' },
    ...getOption,
    ...peopleOptions,
  },
  rare: rareNames,
  async run({ step, dropped, day, get, all, via, limit, offset, ...flags }, context) {
    const row = get ? persons.funnelGet : persons.funnel;
    const who = funnelPeople({ step, dropped, day, viz: flags.viz, body: flags.body });
    const funnel = readFunnel(flags, context);
    const { input, body, filters } = peopleRequest({ row, funnel, who, limit, offset, body: flags.body });
    const how = { all, via, body, query: () => funnelActorsQuery(filters) };
    await context.print(await context.fallback.list(row, input, how), personColumns);
  },
});
