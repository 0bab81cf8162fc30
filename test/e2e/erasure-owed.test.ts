import { describe, expect, it } from 'vitest';
import { summary, uuid } from '../support/bulk-deletions.ts';
import { person, startWithoutSql } from '../support/service.ts';
import type { Received } from '../support/stub-server.ts';

const live = { environment: { HOGCTL_DIALECT: 'live' } };
const LINE = `persons bulk-delete ${uuid(1)} ${uuid(2)} --yes -o json`;

/** A live service where both persons are whenever they are looked up, with these answers to bulk deletions. */
async function startWith(...answers: readonly object[]) {
  const everybody = [1, 2, 999].map(person);
  const lookUp = ({ url, json }: Received) => {
    if (url.endsWith('/persons/?limit=10')) return { json: { next: null, results: everybody } };
    const { uuids = [], distinct_ids: ids = [] } = (json ?? {}) as Record<string, readonly string[]>;
    const found = everybody.flatMap((one) =>
      [one.uuid, ...one.distinct_ids]
        .filter((id) => [...uuids, ...ids].includes(id))
        .map((id) => [id, one] as const),
    );
    return { json: { results: Object.fromEntries(found) } };
  };
  const service = await startWithoutSql([
    ...answers.map((json) => ({ on: /bulk_delete/, status: 202, json })),
    lookUp,
  ]);
  return {
    erase: (more = '') => service.hogctl(`${LINE}${more}`, live),
    owed: async () => JSON.parse((await service.hogctl('runs list -o json')).stdout)[0].owed,
    due: () => service.hogctl('runs verify --due', live),
  };
}

describe('persons of whom a bulk deletion does not say that they were deleted', () => {
  it('are owed where another one failed in two steps', async () => {
    const errors = ['postgres', 'clickhouse'].map((step) => ({ person_uuid: uuid(1), step }));
    const answer = summary({ found: 2, deleted: 0, errors });
    const { erase, owed, due } = await startWith(answer, answer);
    const { code, stdout } = await erase();
    expect([code, JSON.parse(stdout)]).toEqual([
      8,
      expect.objectContaining({ failed: 1, not_accounted_for: 1 }),
    ]);
    expect(await owed()).toBe('persons');
    expect(await due()).toMatchObject({ code: 9 });
  });

  it('are as many as failed, in however many steps', async () => {
    const errors = ['postgres', 'clickhouse'].map((step) => ({ person_uuid: uuid(1), step }));
    const answer = summary({ found: 2, deleted: 1, errors });
    const { erase } = await startWith(answer, summary({ found: 1, deleted: 0, errors }));
    const { code, stdout, stderr } = await erase();
    expect([code, JSON.parse(stdout)]).toEqual([
      8,
      expect.objectContaining({ failed: 1, not_accounted_for: 0 }),
    ]);
    expect(stderr).toContain('1 person could not be deleted"');
  });

  it.each([
    ['how many were found', { persons_deleted: 1, deletion_errors: [] }, { not_accounted_for: 2 }],
    ['how many were found, though all were deleted', { persons_deleted: 2 }, { not_accounted_for: 2 }],
    ['how many were deleted or queued', { persons_found: 2, deletion_errors: [] }, { not_accounted_for: 2 }],
    ['anything', {}, { not_accounted_for: 2, accepted: 0 }],
  ])('are owed where the answer does not say %s', async (_, answer, figures) => {
    const { erase, owed, due } = await startWith(answer);
    const { code, stdout } = await erase();
    expect([code, JSON.parse(stdout)]).toEqual([8, expect.objectContaining(figures)]);
    expect(await owed()).toBe('persons');
    expect(await due()).toMatchObject({ code: 9 });
  });

  it.each([
    ['found nobody', summary({ found: 0, deleted: 0 })],
    ['found one', summary({ found: 1, deleted: 1 })],
  ])('are owed where the plan found both, and the call %s of them', async (_, answer) => {
    for (const more of ['', ' --ignore-missing']) {
      const { erase, owed, due } = await startWith(answer);
      const { code, stdout, stderr } = await erase(more);
      expect([code, JSON.parse(stdout)]).toEqual([8, expect.objectContaining({ not_accounted_for: 2 })]);
      expect(stderr).toContain('asks who is left');
      expect(await owed()).toBe('persons');
      expect(await due()).toMatchObject({ code: 9 });
    }
  });
});
