import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idsOf, summary, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { person, startWithPeople } from '../support/service.ts';

describe('errors that name persons', () => {
  it.each([
    ['who are no persons at all', 'distinct-ids', 'u1'],
    ['whom nobody asked for', 'ids', uuid(9)],
  ])('%s are listed and not sent', async (_, kind, stranger) => {
    const errors = [{ person_uuid: stranger, step: 'postgres' }];
    const service = await startWithPeople([
      { status: 202, json: summary({ found: 2, deleted: 1, errors }) },
      { status: 202, json: summary({ found: 1, deleted: 0 }) },
    ]);
    const { code, stdout, stderr } = await service.hogctl(
      `persons bulk-delete --from - --as ${kind} --yes -o json --retries 0`,
      { stdin: [uuid(1), uuid(2)].join('\n') },
    );
    // Whoever is there still is sent once more.
    const [both = [], ...others] = service.log.map(idsOf);
    expect([both.length, others]).toEqual([2, [[both[1]]]]);
    expect(both).not.toContain(stranger);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      failed: 1,
      failures: [{ person_uuid: null, step: 'postgres' }],
      not_accounted_for: 1,
    });
    expect(stderr).toMatch(/hogctl runs resume \S+ sends what is left/);
  });
});

describe('a person whom nobody asked for, among the errors of distinct ids', () => {
  const errors = [{ person_uuid: uuid(9), step: 'postgres' }];

  it.each(['live', 'specification'])('is never sent (%s)', async (dialect) => {
    const service = await startWithPeople([
      { status: 202, json: summary({ found: 2, deleted: 1, errors }) },
      { status: 202, json: summary({ found: 0, deleted: 0 }) },
    ]);
    const line = 'persons bulk-delete --distinct-ids u1,u2 --yes -o json --retries 0';
    const { code, stdout } = await service.hogctl(line, { environment: { HOGCTL_DIALECT: dialect } });
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({
      found: 2,
      deleted: 1,
      failed: 1,
      not_in_run: 1,
      not_accounted_for: 1,
    });
    expect(JSON.stringify(service.log.map(({ json }) => json))).not.toContain(uuid(9));
    const report = await service.hogctl('runs report 2026');
    expect(report.stdout).toContain('| not in this run | 1 |');
  });
});

describe('a record whose ids somebody changed', () => {
  const live = { HOGCTL_DIALECT: 'live' };
  const known = {
    on: /batch_by_uuids/,
    json: {
      results: { [uuid(1)]: { uuid: uuid(1), created_at: '2026-01-02T03:04:05Z', distinct_ids: ['u1'] } },
    },
  };
  const plan = `persons bulk-delete ${uuid(1)} --plan-only --yes`;

  it.each([
    ['an id', 'ids', `["ids","${uuid(1)}"`, `["ids","${uuid(2)}"`],
    ['whom it belongs to', 'ids', `"${uuid(1)}",[`, `"${uuid(2)}",[`],
    ['the check key', 'check-key', /^./, (digit: string) => (digit === '0' ? '1' : '0')],
  ] as const)('is not carried out: %s', async (_, name, from, to) => {
    const service = await startWithPeople([known, known]);
    expect(await service.hogctl(plan, { environment: live })).toMatchObject({ code: 0 });
    const [run = ''] = runsOf(service);
    const file = join(run, name);
    const text = readFileSync(file, 'utf8');
    // Casts: each pair of the table is one that `replace` takes.
    writeFileSync(file, text.replace(from as string, to as string));
    const sent = service.log.length;
    for (const verb of ['resume', 'verify']) {
      const { code, stderr } = await service.hogctl(`runs ${verb} ${run} --yes`, { environment: live });
      expect(code).toBe(9);
      expect(stderr).toMatch(/(are not those|is not the one) it was planned with/);
    }
    const checked = await service.hogctl(`runs check ${run} -o json`);
    expect(checked.code).toBe(9);
    expect(checked.stdout).toMatch(/are not those of the plan|is not the one it was planned with/);
    expect(service.log).toHaveLength(sent);
    if (name !== 'ids') return;
    // The same deletion, typed again, would go on with it.
    const again = await service.hogctl(plan.replace('--plan-only ', ''), { environment: live });
    expect(again.code, again.stderr).toBe(9);
    expect(again.stderr).toContain('are not those it was planned with');
    expect(service.log.slice(sent).filter(({ url }) => !url.includes('batch_by_uuids'))).toEqual([]);
  });
});

describe('somebody who is named by an option that takes one value', () => {
  it.each([
    ['--column', 'bulk-delete --from a.csv --as distinct-ids --column a --column b'],
    ['--search', 'bulk-delete --search a --search b --max 9'],
    ['--distinct-id', 'delete --distinct-id u1 --distinct-id=u2'],
    ['--email', 'delete --email a@example.org --email b@example.org'],
  ])('is not left out for another one: %s twice in %s', async (flag, line) => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl(`persons ${line} --yes`);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} was given 2 times`);
    expect(service.log).toEqual([]);
  });
});

describe('events whose deletion the service did not queue', () => {
  it.each([
    ['somebody was found', '--delete-events', 1, 8],
    ['nobody asked for it', '', 1, 0],
  ])('where %s', async (_, more, found, code) => {
    const answer = { status: 202, json: summary({ found, deleted: found, events: false }) };
    const service = await startWithPeople([{ on: /^GET /, json: person(1) }, answer]);
    const end = await service.hogctl(`persons bulk-delete 1 --yes -o json ${more}`);
    expect(end.code).toBe(code);
    expect(JSON.parse(end.stdout)).toMatchObject({ events_not_queued: code === 8 ? 1 : 0 });
    expect(end.stderr.includes('did not queue the deletion of the events of 1 person')).toBe(code === 8);
    expect(end.stderr).not.toContain('the deletion of events was requested');
    const report = await service.hogctl('runs report 2026');
    expect(report.stdout).toContain('# Bulk deletion');
    expect(report.stdout).not.toContain('the deletion of events was requested');
    expect(report.stdout).not.toContain('The deletion of events was requested');
  });
});

describe('persons whom a retry does not find any more', () => {
  it.each([
    ['are missed where it finds nobody', 0],
    ['are missed where it finds them and deletes nobody', 1],
  ] as const)('%s', async (_, found) => {
    const errors = [{ person_uuid: uuid(1), step: 'postgres' }];
    const service = await startWithPeople([
      { status: 202, json: summary({ found: 2, deleted: 1, errors }) },
      { status: 202, json: summary({ found, deleted: 0 }) },
    ]);
    const end = await service.hogctl('persons bulk-delete --distinct-ids u1,u2 --yes -o json');
    expect(end.code).toBe(8);
    expect(JSON.parse(end.stdout)).toMatchObject({ found: 2, deleted: 1, failed: 0, not_accounted_for: 1 });
  });
});
