import { describe, expect, it } from 'vitest';
import { allDeleted, uuid } from '../support/bulk-deletions.ts';
import { startService, startWithPeople } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

describe('who planned and who confirmed a deletion', () => {
  it('stands in the journal and in the report, by user and computer or by name', async () => {
    const service = await startWithPeople([allDeleted]);
    await service.hogctl('persons bulk-delete 1 2 --plan-only --by "Ana Berg"');
    const resumed = await service.hogctl('runs resume last', { answers: ['2'] });
    expect(resumed.code, resumed.stderr).toBe(0);
    const { stdout } = await service.hogctl('runs report last -o json');
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    expect(JSON.parse(stdout)).toMatchObject({
      planned_by: 'Ana Berg',
      confirmed_by: 'tester@computer',
      sessions: [{ by: 'tester@computer', hogctl: version }],
    });
  });

  it.each(['persons delete 1', 'persons bulk-delete 1'])('is said with --by: %s', async (line) => {
    const service = await startWithPeople([allDeleted, { on: /^DELETE/, status: 204 }]);
    const { code, stderr } = await service.hogctl(`${line} --yes --by jo`);
    expect(code, stderr).toBe(0);
    const report = JSON.parse((await service.hogctl('runs report last -o json')).stdout);
    expect([report.planned_by, report.confirmed_by]).toEqual(['jo', 'jo']);
    const empty = await service.hogctl(`${line} --yes --by " "`);
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('--by takes a name')]);
  });
});

describe('runs show --show-ids', () => {
  it('shows the people of a plan to somebody who checks it', async () => {
    const service = await startService([answerFrom({ listed: [known(1), known(2), known(3)] })]);
    await service.hogctl('persons bulk-delete 1 2 --plan-only');
    const { code, stdout, stderr } = await service.hogctl('runs show last --show-ids -o csv');
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'person,name,email,created_at,distinct_ids,is_there',
      `${uuid(1)},,user_1@example.org,2026-01-02T03:04:05Z,1,true`,
      `${uuid(2)},,user_2@example.org,2026-01-02T03:04:05Z,1,true`,
    ]);
  });
});
