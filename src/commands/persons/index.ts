import type { Command } from '../../cli/command/define-command.ts';
import { bulkDeletePersons } from './bulk-delete-persons.ts';
import { deletePerson } from './delete-person.ts';
import { deletePersonProperty } from './delete-person-property.ts';
import { getPerson } from './get-person.ts';
import { listPersons } from './list-persons.ts';
import { personActivity } from './person-activity.ts';
import { personCohorts } from './person-cohorts.ts';
import { splitPerson } from './split-person.ts';
import { updatePerson } from './update-person.ts';
import { updatePersonProperty } from './update-person-property.ts';

export const personsCommands: readonly Command[] = [
  listPersons,
  getPerson,
  updatePerson,
  updatePersonProperty,
  deletePersonProperty,
  deletePerson,
  bulkDeletePersons,
  splitPerson,
  personActivity,
  personCohorts,
];
