import { defineCommand } from '../../cli/command/define-command.ts';
import { findPersonId } from '../../cli/find-person.ts';
import { viaOption } from '../../cli/requests.ts';
import { propertyFilter } from '../../insights/analyses/steps.ts';
import { printTimeline, propertiesAtEnd } from '../../insights/answers/history.ts';
import { persons } from '../../service/persons.ts';

export const personTimeline = defineCommand({
  name: 'timeline',
  endpoints: [persons.timeline],
  summary: 'Show how the properties of a person changed over time',
  description:
    'If the service refuses this to keys, the properties at the end of the range are shown instead: at --date-to, or now.',
  examples: [
    'persons timeline 42 --date-from -30d',
    'persons timeline --distinct-id user_42 --date-to 2026-01-05 -o json',
  ],
  arguments: { person: { type: 'person' } },
  omit: ['properties'],
  options: {
    property: { type: 'properties', description: 'Condition on the events that count' },
    via: viaOption,
  },
  async run({ person, property, via, ...dates }, context) {
    const id = await findPersonId(person, context);
    const { answer, replaced } = await context.fallback.call(
      persons.timeline,
      { id, ...dates, properties: property?.map(propertyFilter) },
      { via, call: (client) => propertiesAtEnd({ id, end: dates.date_to, now: context.now() }, client) },
    );
    await printTimeline(answer, { replaced }, context);
  },
});
