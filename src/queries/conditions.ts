import { filled, type Json, type JsonObject } from '../json/kinds.ts';

/** One condition on a property as it was typed. */
export type Condition = { readonly key: string; readonly operator: string; readonly value?: Json };

/** How SQL names the properties of the person who did an event. */
const PERSON = 'person.properties.';

/** A property filter of an analysis: about the event, or with `person.properties.plan` about its person. */
export function propertyFilter({ key, operator, value }: Condition): JsonObject {
  const ofPerson = key.startsWith(PERSON) && key.length > PERSON.length;
  return filled({
    key: ofPerson ? key.slice(PERSON.length) : key,
    operator,
    value,
    type: ofPerson ? 'person' : 'event',
  });
}
