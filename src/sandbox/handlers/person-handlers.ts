import { persons } from '../../api/endpoints/persons.ts';
import type { Handlers } from '../call.ts';
import { deletePersonProperty, splitPerson, updatePerson, updatePersonProperty } from './change-persons.ts';
import { bulkDeletePersons, deletePerson } from './delete-persons.ts';
import { listPersons } from './list-persons.ts';
import {
  getPerson,
  listPersonCohorts,
  showPersonActivity,
  showPersonsActivity,
  showTimeline,
} from './read-persons.ts';
import { unanswered } from './unanswered.ts';

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
  funnelGet: unanswered(persons.funnelGet),
  funnel: unanswered(persons.funnel),
  funnelCorrelationGet: unanswered(persons.funnelCorrelationGet),
  funnelCorrelation: unanswered(persons.funnelCorrelation),
  lifecycle: unanswered(persons.lifecycle),
  stickiness: unanswered(persons.stickiness),
  trends: unanswered(persons.trends),
};
