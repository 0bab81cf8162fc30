import type { persons } from '../../api/endpoints/persons.ts';
import type { Handlers } from '../call.ts';
import { deletePersonProperty, splitPerson, updatePerson, updatePersonProperty } from './change-persons.ts';
import { bulkDeletePersons, deletePerson } from './delete-persons.ts';
import {
  listCorrelationPeople,
  listFunnelPeople,
  listLifecyclePeople,
  listStickinessPeople,
  listTrendPeople,
} from './list-actors.ts';
import { listPersons } from './list-persons.ts';
import {
  getPerson,
  listPersonCohorts,
  showPersonActivity,
  showPersonsActivity,
  showTimeline,
} from './read-persons.ts';

/** P1 to P19. */
export const personHandlers: Handlers<typeof persons> = {
  list: listPersons,
  get: getPerson,
  update: updatePerson,
  delete: deletePerson,
  activity: showPersonActivity,
  deleteProperty: deletePersonProperty,
  timeline: showTimeline,
  split: splitPerson,
  updateProperty: updatePersonProperty,
  allActivity: showPersonsActivity,
  bulkDelete: bulkDeletePersons,
  cohorts: listPersonCohorts,
  funnelGet: listFunnelPeople,
  funnel: listFunnelPeople,
  funnelCorrelationGet: listCorrelationPeople,
  funnelCorrelation: listCorrelationPeople,
  lifecycle: listLifecyclePeople,
  stickiness: listStickinessPeople,
  trends: listTrendPeople,
};
