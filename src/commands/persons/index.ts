import type { Command } from '../../cli/command/define-command.ts';
import { bulkDeletePersons } from './bulk-delete-persons.ts';
import { deletePerson } from './delete-person.ts';
import { deletePersonProperty } from './delete-person-property.ts';
import { deletionStatus } from './deletion-status.ts';
import { exportPersons } from './export/export-persons.ts';
import { getPerson } from './get-person.ts';
import { listCorrelationPeople } from './list-correlation-people.ts';
import { listFunnelPeople } from './list-funnel-people.ts';
import { listLifecyclePeople } from './list-lifecycle-people.ts';
import { listPersons } from './list-persons.ts';
import { listStickinessPeople } from './list-stickiness-people.ts';
import { listTrendPeople } from './list-trend-people.ts';
import { personActivity } from './person-activity.ts';
import { personCohorts } from './person-cohorts.ts';
import { personTimeline } from './person-timeline.ts';
import { resetDistinctId } from './reset-distinct-id.ts';
import { splitPerson } from './split-person.ts';
import { updatePerson } from './update-person.ts';
import { updatePersonProperty } from './update-person-property.ts';

export const personsCommands: readonly Command[] = [
  listPersons,
  getPerson,
  exportPersons,
  updatePerson,
  updatePersonProperty,
  deletePersonProperty,
  deletePerson,
  bulkDeletePersons,
  splitPerson,
  personActivity,
  personCohorts,
  personTimeline,
  listFunnelPeople,
  listCorrelationPeople,
  listLifecyclePeople,
  listStickinessPeople,
  listTrendPeople,
  deletionStatus,
  resetDistinctId,
];
