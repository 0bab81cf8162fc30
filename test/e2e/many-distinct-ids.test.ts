import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedFormats } from '../../src/print/formats.ts';
import { allDeleted } from '../support/bulk-deletions.ts';
import { person, startService, temporaryDirectory } from '../support/service.ts';
import { answerFrom, type Known, known } from '../support/two-stores.ts';

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `anon-${index}`);
const listOf = (...counts: readonly number[]) =>
  startService([
    () => ({
      json: {
        next: null,
        results: counts.map((count, index) => ({ ...person(index + 1), distinct_ids: idsOf(count) })),
      },
    }),
  ]);

describe('a list with as many distinct ids of a person as the service names', () => {
  it.each([...namedFormats.filter((name) => name !== 'table'), 'csv --columns id,distinct_ids'])(
    'ends with 8, as %s',
    async (format) => {
      const service = await listOf(1000, 2, 1000);
      const { code, stdout, stderr } = await service.hogctl(`persons list -o ${format}`);
      expect(code).toBe(8);
      expect(stdout).toContain('anon-999');
      expect(stderr).toContain('2 persons may have more distinct ids than the list shows');
    },
  );

  it('leaves no file that passes for a whole one', async () => {
    const service = await listOf(1000);
    const file = join(temporaryDirectory(), 'people.csv');
    expect((await service.hogctl(`persons list --save ${file}`)).code).toBe(8);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['999 of them', 999, ''],
    ['a table', 1000, '-o table'],
    ['other columns', 1000, '-o csv --columns id'],
  ])('is whole with %s', async (_, count, options) => {
    const service = await listOf(count);
    expect((await service.hogctl(`persons list -o json ${options}`.replace('-o json -o', '-o'))).code).toBe(
      0,
    );
  });
});

describe('a person of more distinct ids than a list names', () => {
  const whole = known(1, undefined, { distinct_ids: idsOf(1001) });
  const inList = { ...whole, distinct_ids: idsOf(1000) };

  /** The list as the service answers it, whoever is asked for. */
  async function start(...listed: readonly Known[]) {
    const answer = answerFrom({ listed: [whole, known(2)] });
    const service = await startService([
      (received) => {
        if (received.method === 'DELETE') return { status: 202 };
        if (received.url.includes('bulk_delete')) return allDeleted(received);
        return received.url.includes('/persons/?')
          ? { json: { results: listed, next: null } }
          : answer(received);
      },
    ]);
    const changes = () =>
      service.log.filter(({ method, url }) => method === 'DELETE' || url.includes('bulk_delete'));
    return { ...service, changes };
  }

  it.each([
    ['bulk-delete --distinct-ids', 'the list leaves out', 'anon-1000', [inList], 0],
    ['bulk-delete --distinct-ids', 'the person does not have', 'other', [inList], 5],
    ['delete --distinct-id', 'the person does not have', 'other', [inList], 5],
    ['bulk-delete --distinct-ids', 'no person of a list has', 'other', [known(2), inList], 5],
    ['bulk-delete --distinct-ids', 'another of the list has', 'user_2', [inList, known(2)], 0],
  ])('is deleted by persons %s only if it is theirs: one that %s', async (line, _, id, listed, code) => {
    const service = await start(...listed);
    const end = await service.hogctl(`persons ${line} ${id} --yes`);
    expect([end.code, service.changes().length], end.stderr).toEqual([code, code === 0 ? 1 : 0]);
    // Who is still there is not asked about by each of their ids.
    expect(service.log.length).toBeLessThan(30);
    if (id === 'user_2') expect(service.changes()[0]?.json).toEqual({ ids: ['2'] });
  });
});
