import { defineCommand } from '../../cli/command/define-command.ts';
import {
  funnelFieldNames,
  funnelOptions,
  getOption,
  rareNames,
  readFunnel,
} from '../../insights/analyses/funnel.ts';
import { funnelActorsQuery, funnelStep, peopleRequest } from '../../insights/analyses/people.ts';
import { persons } from '../../service/persons.ts';
import { peopleOptions, personColumns } from './options.ts';

export const listFunnelPeople = defineCommand({
  name: 'funnel',
  endpoints: [persons.funnel, persons.funnelGet],
  summary: 'List the persons of a funnel step',
  examples: [
    'persons funnel --events signup,paid --step 2',
    "persons funnel --event '$pageview' --event paid --step 2 --dropped --all -o csv",
    'persons funnel --body @funnel.json --step 1',
  ],
  omit: [...funnelFieldNames, 'funnel_step'],
  options: {
    ...funnelOptions,
    step: { type: 'integer', minimum: 1, description: 'Those who reached this step, from 1' },
    dropped: { type: 'flag', description: 'Those who dropped out before the step' },
    ...getOption,
    ...peopleOptions,
  },
  rare: rareNames,
  async run({ step, dropped, get, all, via, limit, offset, ...flags }, context) {
    const row = get ? persons.funnelGet : persons.funnel;
    const who = { funnel_step: funnelStep({ step, dropped, body: flags.body }) };
    const funnel = readFunnel(flags, context);
    const { input, body, filters } = peopleRequest({ row, funnel, who, limit, offset, body: flags.body });
    const query = () => funnelActorsQuery(filters);
    await context.print(await context.listOrQuery(row, input, { all, via, body, query }), personColumns);
  },
});
