import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const personsCommands = {
  list: async () => (await import('./list-persons.ts')).listPersons,
  get: async () => (await import('./get-person.ts')).getPerson,
  export: async () => (await import('./export/export-persons.ts')).exportPersons,
  update: async () => (await import('./update-person.ts')).updatePerson,
  'update-property': async () => (await import('./update-person-property.ts')).updatePersonProperty,
  'delete-property': async () => (await import('./delete-person-property.ts')).deletePersonProperty,
  delete: async () => (await import('./delete-person.ts')).deletePerson,
  'bulk-delete': async () => (await import('./bulk-delete-persons.ts')).bulkDeletePersons,
  split: async () => (await import('./split-person.ts')).splitPerson,
  activity: async () => (await import('./person-activity.ts')).personActivity,
  cohorts: async () => (await import('./person-cohorts.ts')).personCohorts,
  timeline: async () => (await import('./person-timeline.ts')).personTimeline,
  funnel: async () => (await import('./list-funnel-people.ts')).listFunnelPeople,
  'funnel-correlation': async () => (await import('./list-correlation-people.ts')).listCorrelationPeople,
  lifecycle: async () => (await import('./list-lifecycle-people.ts')).listLifecyclePeople,
  stickiness: async () => (await import('./list-stickiness-people.ts')).listStickinessPeople,
  trends: async () => (await import('./list-trend-people.ts')).listTrendPeople,
  'deletion-status': async () => (await import('./deletion-status.ts')).deletionStatus,
  'reset-distinct-id': async () => (await import('./reset-distinct-id.ts')).resetDistinctId,
} satisfies CommandLoaders;
