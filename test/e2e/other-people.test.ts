import { describe, expect, it } from 'vitest';
import { person, startWithoutSql } from '../support/service.ts';

const UUID = '00000000-0000-4000-8000-000000000042';
const email = { properties: { email: 'user@example.org' }, distinct_ids: ['user_42'] };

/** A service whose every read answers so, and which takes every change. */
function answering(answer: unknown) {
  return startWithoutSql([
    ({ method, url }) => (method === 'GET' || url.includes('batch_by') ? { json: answer } : { status: 202 }),
  ]);
}

describe('a service that answers about somebody else', () => {
  it.each([
    ['the person 43 for 42', 'persons delete 42', person(43)],
    ['a list for the person 42', 'persons delete 42', { results: [], next: null }],
    ['the person 43 for 42, of many', 'persons bulk-delete 42', person(43)],
    ['a person without an id, of many', 'persons bulk-delete 42', { distinct_ids: ['a'] }],
    ['another UUID', `persons bulk-delete ${UUID}`, { results: { [UUID]: person(43) } }],
    [
      'a person without an id for a distinct id',
      'persons bulk-delete --distinct-ids a',
      { results: { a: email } },
    ],
    [
      'another person for a distinct id',
      'persons bulk-delete --distinct-ids a',
      { results: { a: { ...email, uuid: UUID } } },
    ],
    [
      'a person without an id for an email',
      'persons update --email user@example.org --set a=1',
      { results: [email] },
    ],
    [
      'a person with another email',
      'persons update --email user@example.org --set a=1',
      { results: [person(43)] },
    ],
    ['a person with another distinct id', 'persons delete --distinct-id user_42', { results: [person(43)] }],
    ['a word for an id', 'persons delete --distinct-id user_42', { results: [{ ...email, id: 'me' }] }],
    [
      'a selection without ids',
      'persons bulk-delete --max 9 --property email:exact=user@example.org',
      { results: [email], next: null },
    ],
  ])('changes nobody when it names %s', async (_, line, answer) => {
    const service = await answering(answer);
    const { code, stderr } = await service.hogctl(`${line} --yes`, {
      environment: { HOGCTL_DIALECT: 'live' },
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error: the service answered with (another person|a person who|persons who)/m);
    const changes = service.log.filter(({ method, url }) => method !== 'GET' && !url.includes('batch_by'));
    expect(changes).toEqual([]);
  });
});
