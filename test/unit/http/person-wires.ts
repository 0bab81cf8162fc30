import { persons } from '../../../src/service/persons.ts';
import { type Case, UUID, wire } from './wire-case.ts';

export const personWires: readonly Case[] = [
  wire(
    persons.list,
    {
      distinct_id: 'a b',
      email: 'ana+test@example.org',
      search: 'Zoë',
      properties: [{ key: 'plan', value: 'pro', operator: 'exact', type: 'person' }],
      limit: 50,
      offset: 100,
    },
    {
      id: 'P1',
      both: [
        'GET /api/projects/7/persons/?distinct_id=a%20b&email=ana%2Btest%40example.org&search=Zo%C3%AB&properties=%5B%7B%22key%22%3A%22plan%22%2C%22value%22%3A%22pro%22%2C%22operator%22%3A%22exact%22%2C%22type%22%3A%22person%22%7D%5D&limit=50&offset=100',
        '',
      ],
    },
  ),
  wire(persons.get, { id: UUID }, { id: 'P2', both: [`GET /api/projects/7/persons/${UUID}/`, ''] }),
  wire(
    persons.update,
    { id: '42', properties: { plan: 'pro', seats: 3, gone: null } },
    {
      id: 'P3',
      both: ['PATCH /api/projects/7/persons/42/', '{"properties":{"plan":"pro","seats":3,"gone":null}}'],
    },
  ),
  wire(
    persons.delete,
    { id: '42', delete_events: true },
    { id: 'P4', both: ['DELETE /api/projects/7/persons/42/?delete_events=true', ''] },
  ),
  wire(
    persons.delete,
    { id: '42', delete_events: false },
    { id: 'P4', about: 'a flag that is off is not sent', both: ['DELETE /api/projects/7/persons/42/', ''] },
  ),
  wire(
    persons.activity,
    { id: '42', limit: 10, page: 2 },
    { id: 'P5', both: ['GET /api/projects/7/persons/42/activity/?limit=10&page=2', ''] },
  ),
  wire(
    persons.deleteProperty,
    { id: '42', $unset: 'old plan' },
    {
      id: 'P6',
      specification: [
        'POST /api/projects/7/persons/42/delete_property/?%24unset=old%20plan',
        '{"$unset":"old plan"}',
      ],
      live: ['POST /api/projects/7/persons/42/delete_property/', '{"$unset":"old plan"}'],
    },
  ),
  wire(
    persons.timeline,
    { id: '42' },
    { id: 'P7', both: ['GET /api/projects/7/persons/42/properties_timeline/', ''] },
  ),
  wire(
    persons.split,
    { id: '42', main_distinct_id: 'ana' },
    { id: 'P8', both: ['POST /api/projects/7/persons/42/split/', '{"main_distinct_id":"ana"}'] },
  ),
  wire(
    persons.split,
    { id: '42', distinct_ids_to_split: ['b', 'c'] },
    {
      id: 'P8',
      about: 'some leave',
      both: ['POST /api/projects/7/persons/42/split/', '{"distinct_ids_to_split":["b","c"]}'],
    },
  ),
  wire(
    persons.updateProperty,
    { id: '42', key: 'plan', value: 'pro' },
    {
      id: 'P9',
      specification: [
        'POST /api/projects/7/persons/42/update_property/?key=plan&value=%22pro%22',
        '{"key":"plan","value":"pro"}',
      ],
      live: ['POST /api/projects/7/persons/42/update_property/', '{"key":"plan","value":"pro"}'],
    },
  ),
  wire(
    persons.updateProperty,
    { id: '42', key: 'note', value: 'x'.repeat(2000) },
    {
      id: 'P9',
      about: 'a value beyond 2,000 characters stays out of the address',
      specification: [
        'POST /api/projects/7/persons/42/update_property/',
        `{"key":"note","value":"${'x'.repeat(2000)}"}`,
      ],
      live: [
        'POST /api/projects/7/persons/42/update_property/',
        `{"key":"note","value":"${'x'.repeat(2000)}"}`,
      ],
    },
  ),
  wire(
    persons.allActivity,
    { limit: 5, page: 1 },
    { id: 'P10', both: ['GET /api/projects/7/persons/activity/?limit=5&page=1', ''] },
  ),
  wire(
    persons.bulkDelete,
    { ids: ['42', UUID], delete_events: true },
    {
      id: 'P11',
      specification: [
        'POST /api/projects/7/persons/bulk_delete/?delete_events=true',
        `{"ids":["42","${UUID}"],"delete_events":true}`,
      ],
      live: ['POST /api/projects/7/persons/bulk_delete/', `{"ids":["42","${UUID}"],"delete_events":true}`],
    },
  ),
  wire(
    persons.bulkDelete,
    { distinct_ids: ['7', 'a/b'], delete_events: false },
    {
      id: 'P11',
      about: 'events stay',
      both: ['POST /api/projects/7/persons/bulk_delete/', '{"distinct_ids":["7","a/b"]}'],
    },
  ),
  wire(
    persons.cohorts,
    { person_id: '42' },
    { id: 'P12', both: ['GET /api/projects/7/persons/cohorts/?person_id=42', ''] },
  ),
  wire(
    persons.cohorts,
    {},
    { id: 'P12', about: 'without a person', both: ['GET /api/projects/7/persons/cohorts/', ''] },
  ),
];
