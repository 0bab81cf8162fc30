import { describe, expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { person, startWithPeople } from '../support/service.ts';

describe('whom to delete', () => {
  it.each([
    '1 --property plan:exact=x',
    '--distinct-ids a --property plan:exact=x',
    '--distinct-ids a --search a',
  ])('is said in one way at a time: %s', async (words) => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl(`persons bulk-delete ${words} --max 9 --yes`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('ids cannot be combined with a selection')]);
    expect(service.log).toEqual([]);
  });

  it.each(['persons delete', 'persons unset', 'persons split'])(
    'is not guessed where several have the same email: %s',
    async (command) => {
      const results = [1, 2].map((id) => ({ ...person(id), properties: { email: 'a@example.org' } }));
      const service = await startWithPeople([{ json: { next: null, results }, times: 9 }]);
      const more = { 'persons unset': 'plan', 'persons split': '--main a' }[command] ?? '';
      const { code, stderr } = await service.hogctl(`${command} --email a@example.org ${more} --yes`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('2 persons have the email')]);
      expect(service.log.every(({ method }) => method === 'GET')).toBe(true);
    },
  );

  it.each([
    ['--email a@example.org', 'persons who do not have'],
    ['--distinct-id a', 'a person who does not have'],
  ])('is not taken from a service that answers with somebody else: %s', async (words, said) => {
    const service = await startWithPeople([{ json: { next: null, results: [person(1)] } }]);
    const { code, stderr } = await service.hogctl(`persons delete ${words} --yes`);
    expect([code, stderr]).toEqual([5, expect.stringContaining(said)]);
    expect(service.log.map(({ method }) => method)).toEqual(['GET']);
  });

  it.each(['--property plan:exact=x', '--property plan:is_not_set --property email:exact=b@x.org'])(
    'is not taken from a service that selects somebody else: %s',
    async (words) => {
      const service = await startWithPeople([{ json: { next: null, results: [person(1)] }, times: 9 }]);
      const { code, stderr } = await service.hogctl(`persons bulk-delete ${words} --max 9 --project 1 --yes`);
      expect([code, stderr]).toEqual([5, expect.stringContaining('the service selected person 1')]);
      expect(service.log.map(({ method }) => method)).toEqual(['GET']);
    },
  );

  it('is everybody only where the project is named for it', async () => {
    const everybody = { json: { count: 1, next: null, results: [person(1)] }, times: 9 };
    const service = await startWithPeople([{ ...everybody, on: /^GET/ }, allDeleted]);
    const line = 'persons bulk-delete --search user --max 9 --project 1 --yes';
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining('project 1 must be confirmed by name')]);
    expect((await service.hogctl(`${line} --confirm 1`)).code).toBe(0);
    expect(service.log.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });
});
