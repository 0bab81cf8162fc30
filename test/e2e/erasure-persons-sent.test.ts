import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, numbered, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { person, queryOf, startService, startWithoutSql } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';

const isDeletion = ({ url }: Pick<Received, 'url'>) => url.includes('/bulk_delete/');
const bodies = (log: readonly Received[]) => log.filter(isDeletion).map(({ json }) => json);

/** Persons 1 to 2000 by their two distinct ids, of which odd ones are in SQL too, and by integer and UUID. */
function answer(received: Received, { sql }: { readonly sql: boolean }): StubAnswer {
  const { url, json } = received;
  const count = idsOf({ json }).length;
  if (isDeletion({ url })) return { json: summary({ found: count, deleted: count, events: true }) };
  if (url.includes('/query/')) {
    if (!sql) return { status: 403, json: { code: 'permission_denied', detail: 'no query:read' } };
    return { json: { results: sqlRows(json) } };
  }
  if (url.endsWith('/persons/?limit=10')) return { json: { next: null, results: known(2000) } };
  const distinctId = queryOf(received).get('distinct_id');
  const number = Number(/^(?:u|other_)(\d+)$/.exec(distinctId ?? '')?.[1]);
  if (distinctId !== null) return { json: { next: null, results: known(number) } };
  const [, id = ''] = /\/persons\/([^/]+)\//.exec(url) ?? [];
  const [one] = known(Number(/^\d+$/.test(id) ? id : id.slice(-12)));
  return one === undefined ? { status: 404, json: { code: 'not_found' } } : { json: one };
}

function known(number: number) {
  if (!(number >= 1 && number <= 2000)) return [];
  return [{ ...person(number), distinct_ids: [`u${number}`, `other_${number}`] }];
}

function sqlRows(json: unknown): readonly unknown[][] {
  // The program's own queries.
  const { query, values } = (json as { query: { query: string; values?: Record<string, string[]> } }).query;
  if (query === 'SELECT 1') return [[1]];
  if (query.includes('count()')) return [[uuid(2000), 2000]];
  if (query.includes('created_at')) return (values?.uuids ?? []).map((one) => [one, '2026-01-02 03:04:05']);
  if (query.includes('groupArray'))
    return (values?.uuids ?? []).map((one) => [one, [`u${Number(one.slice(-12))}`]]);
  const ids = values?.distinct_ids ?? [];
  expect(ids.length).toBeLessThanOrEqual(1000);
  return ids.flatMap((id) =>
    /^u\d+$/.test(id) && Number(id.slice(1)) <= 2000 ? [[id, uuid(Number(id.slice(1)))]] : [],
  );
}

describe('what a run of the specification sends', () => {
  const start = (sql = false) => startService([(received) => answer(received, { sql })]);
  const from = 'persons bulk-delete --from - --as distinct-ids --yes';

  it('are the integers of the persons, never distinct ids', async () => {
    const service = await start();
    const { code } = await service.hogctl('persons bulk-delete --distinct-ids u1,u2 --yes');
    expect(code).toBe(0);
    expect(bodies(service.log)).toEqual([{ ids: ['1', '2'] }]);
    expect((await service.hogctl('runs check last')).code).toBe(0);
  });

  it('are integers also by UUID, with events, and each person once', async () => {
    const service = await start();
    const line = `persons bulk-delete ${uuid(3)} --distinct-ids u3,other_3,u4 --delete-events --yes -o json`;
    const { code, stdout, stderr } = await service.hogctl(line);
    expect(code).toBe(0);
    expect(bodies(service.log)).toEqual([{ ids: ['3', '4'], delete_events: true }]);
    expect(stderr).toContain('2 persons found by look-up, with 4 of the ids');
    expect(JSON.parse(stdout)).toMatchObject({ unique: 4, sent: 2, same_person: 2, deleted: 2 });
    const { stdout: rows } = await service.hogctl('runs report last -o csv');
    expect(rows.match(/,deleted,/g)).toHaveLength(4);
  });

  it.each([true, false])(
    'are integers of persons whom the list shows, at any number: SQL %s',
    async (sql) => {
      const service = await start(sql);
      const { code, stderr } = await service.hogctl(from, { stdin: [...numbered(501), 'nobody'].join('\n') });
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('Looking up 502 ids first, one request each.'),
      ]);
      expect(service.log.flatMap((one) => (isDeletion(one) ? idsOf(one) : []))).toEqual(
        Array.from({ length: 501 }, (_, index) => String(index + 1)),
      );
    },
  );

  it('are the persons of a selection, as the list named them', async () => {
    const service = await startWithoutSql([
      {
        on: /^GET .*persons/,
        times: 9,
        json: { count: 9, next: null, results: [{ ...person(7), properties: { plan: 'x' } }] },
      },
      allDeleted,
    ]);
    const { code } = await service.hogctl('persons bulk-delete --property plan:exact=x --max 9 --yes');
    expect([code, bodies(service.log)]).toEqual([0, [{ ids: ['7'] }]]);
  });

  it('is not carried out once somebody changed an integer in the record', async () => {
    const service = await start();
    await service.hogctl('persons bulk-delete --distinct-ids u1 --plan-only --yes');
    const [run = ''] = runsOf(service);
    const file = join(run, 'ids');
    writeFileSync(file, readFileSync(file, 'utf8').replace(',"1"]', ',"2"]'));
    expect(await service.hogctl('runs resume 2026 --yes')).toMatchObject({ code: 9 });
    expect(bodies(service.log)).toEqual([]);
  });
});

describe('ids of nobody', () => {
  const nobody = { on: /^GET/, times: 99, json: { name: 'Shop', next: null, results: [] } };

  it('that look like addresses end with 2 and name --as emails in a run too', async () => {
    const service = await startWithoutSql([nobody]);
    const { code, stderr } = await service.hogctl('persons bulk-delete --distinct-ids a@x.org,b@x.org --yes');
    expect(code).toBe(2);
    expect(stderr).toContain('--as emails');
    expect(bodies(service.log)).toEqual([]);
  });

  it('are not sent, and the events that they may have are told in plan, end and report', async () => {
    const service = await startWithoutSql([nobody, { status: 202, json: summary({ found: 0, deleted: 0 }) }]);
    const line = 'persons bulk-delete --distinct-ids gone --delete-events --yes';
    expect(await service.hogctl(line)).toMatchObject({ code: 3 });
    const { code, stdout, stderr } = await service.hogctl(`${line} --ignore-missing`);
    expect(code).toBe(0);
    expect(bodies(service.log)).toEqual([]);
    expect(stdout).toMatch(/^events without a person +1 /m);
    expect(stderr.match(/1 id has no person; events with it stay/g)).toHaveLength(2);
    const report = await service.hogctl('runs report last');
    expect(report.stdout).toContain('1 id has no person; events with it stay');
    expect(report.stdout).toContain('## Outcome: nobody found');
  });

  it('beside others keep a run from being done, unless they may be missing', async () => {
    const service = await startService([(received) => answer(received, { sql: false })]);
    const line = 'persons bulk-delete --distinct-ids u1,gone --delete-events --yes -o json --new-run';
    const { code, stdout, stderr } = await service.hogctl(line);
    expect([code, JSON.parse(stdout).verdict]).toEqual([8, 'partly done']);
    expect(stderr).toContain('1 id without a person may have events');
    const missing = await service.hogctl(`${line} --ignore-missing`);
    expect([missing.code, JSON.parse(missing.stdout).verdict]).toEqual([0, 'partly done']);
    expect(bodies(service.log)).toEqual([1, 2].map(() => ({ ids: ['1'], delete_events: true })));
  });
});
