import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, uuid } from '../support/bulk-deletions.ts';
import { person, startWithoutSql, startWithPeople, temporaryDirectory } from '../support/service.ts';
import { answerFrom, known } from '../support/two-stores.ts';

/** A run of two persons; `left` are the numbers of those that the person list still shows. Person 3 is there, too. */
async function doneRun(left: readonly number[]) {
  const still = new Set([1, 2]);
  const service = await startWithoutSql([
    (received) => {
      const listed = [...still, 3].map((number) => known(number));
      if (received.method !== 'POST') return answerFrom({ listed })(received);
      setLeft(left);
      return allDeleted(received);
    },
  ]);
  const setLeft = (numbers: readonly number[]) => {
    still.clear();
    for (const number of numbers) still.add(number);
  };
  const { code } = await service.hogctl(`persons bulk-delete ${uuid(1)} ${uuid(2)} --yes`);
  expect(code).toBe(0);
  return { setLeft, ...service };
}

it('is saved where it does not hold, as an answer of its own', async () => {
  const { hogctl } = await doneRun([2]);
  const file = join(temporaryDirectory(), 'verified.json');
  const { code, stderr } = await hogctl(`runs verify last -o json --save ${file}`);
  expect([code, stderr]).toEqual([9, expect.stringContaining(`Saved to ${file}.\n`)]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ asked: 2, left: 1, holds: false });
});

it('a run that nobody verified is called neither', async () => {
  const { hogctl } = await doneRun([]);
  const report = JSON.parse((await hogctl('runs report last -o json')).stdout);
  expect(report).toMatchObject({ verified: null, verification: null });
  expect(JSON.parse((await hogctl('runs show last -o json')).stdout)).toMatchObject({ verified: null });
});

it('tells what was found last, asks nothing and ends as it ended, once the ids are gone', async () => {
  const { hogctl, log, setLeft } = await doneRun([2]);
  expect(await hogctl('runs verify last')).toMatchObject({ code: 9 });
  setLeft([]);
  const held = await hogctl('runs verify last -o json');
  expect([held.code, JSON.parse(held.stdout)]).toMatchObject([0, { asked: 2, left: 0, holds: true }]);
  const asked = log.length;
  setLeft([1]);
  const again = await hogctl('runs verify last -o json');
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { asked: 2, left: 0, holds: true }]);
  expect(again.stderr).toContain('The record has no ids any more, so nothing was asked.');
  expect((await hogctl('runs verify last')).stdout).toMatch(/verified_at +2026-/);
  expect(log).toHaveLength(asked);
});

it('does not hold for a run that was given up before', async () => {
  const { hogctl, log } = await doneRun([2]);
  expect(await hogctl('runs verify last')).toMatchObject({ code: 9 });
  expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
  const asked = log.length;
  const { code, stdout, stderr } = await hogctl('runs verify last -o json');
  expect([code, JSON.parse(stdout)]).toMatchObject([9, { left: 1, holds: false }]);
  expect(stderr).toContain('the ids were removed from the record before all was known to be done');
  expect(log).toHaveLength(asked);
});

describe('a look-up by distinct id', () => {
  const run = (results: readonly object[], whole: object) => {
    let isSent = false;
    return startWithoutSql([
      (received) => {
        const isAsked = received.url.includes('distinct_id=u1');
        if (isSent && isAsked) return { json: { next: null, results } };
        if (isSent && received.url.includes(uuid(1))) return { json: whole };
        isSent ||= received.method === 'POST';
        const listed = [...(isSent ? [] : [known(1, undefined, { distinct_ids: ['u1'] })]), known(2)];
        return received.method === 'POST' ? allDeleted(received) : answerFrom({ listed })(received);
      },
    ]);
  };
  const erase = 'persons bulk-delete --distinct-ids u1 --yes';

  it('that brings somebody else does not prove that nobody is left', async () => {
    const other = { ...person(7), distinct_ids: ['u7'] };
    const service = await run([other], other);
    const end = await service.hogctl(erase);
    expect([end.code, end.stderr]).toEqual([
      0,
      expect.stringContaining('could not check whether they are gone'),
    ]);
    const { code, stdout, stderr } = await service.hogctl('runs verify 2026');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('the service answered with another person');
    const report = JSON.parse((await service.hogctl('runs report 2026 -o json')).stdout);
    expect(report).toMatchObject({ verified: null, ids_dropped: false });
  });

  it('finds somebody with more distinct ids than are listed', async () => {
    const distinctIds = Array.from({ length: 1000 }, (_, index) => `other-${index}`);
    const listed = { ...person(1), distinct_ids: distinctIds };
    const service = await run([listed], { ...listed, distinct_ids: [...distinctIds, 'u1'] });
    expect(await service.hogctl(erase)).toMatchObject({ code: 0 });
    const { code, stdout } = await service.hogctl('runs verify 2026 -o json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ left: 1, holds: false });
  });
});

it('says of a plan that was not carried out that its ids were never sent', async () => {
  const service = await startWithoutSql([answerFrom({ listed: [known(1), known(2)] })]);
  await service.hogctl(`persons bulk-delete ${uuid(1)} --plan-only --yes`);
  const { code, stderr } = await service.hogctl('runs verify last');
  expect(code).toBe(9);
  expect(stderr).toMatch(
    /^error: 1 person still there, and 1 id never sent\nhint: hogctl runs resume \S+ sends what is left$/m,
  );
});

it.each(['--ids 1,2', `--ids ${uuid(1)},${uuid(2)}`])(
  'proves nothing where the project is not there any more: %s',
  async (given) => {
    const { hogctl } = await startWithPeople([
      ({ method, json }) =>
        method === 'POST' ? allDeleted({ json }) : { status: 404, json: { code: 'not_found' } },
    ]);
    expect(await hogctl(`persons bulk-delete ${given} --yes`)).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 3, stdout: '' });
    expect((await hogctl('runs list')).stdout).toMatch(/done +false/);
  },
);

it('counts whoever is still there a day after the call as failed, whom resume sends again', async () => {
  const { hogctl, log } = await doneRun([2]);
  const sent = () => log.filter(({ method }) => method === 'POST').map(idsOf);
  const early = await hogctl('runs verify last');
  expect([early.code, early.stderr]).toEqual([9, expect.not.stringContaining('runs resume')]);
  expect(await hogctl('runs resume 2026 --yes --project 1')).toMatchObject({ code: 0 });
  expect(sent()).toHaveLength(1);
  const later = { now: () => Date.UTC(2026, 2, 3, 13) };
  const late = await hogctl('runs verify last', later);
  expect(late.code).toBe(9);
  expect(late.stderr).toMatch(/^error: 1 person still there, and 1 id not known to be done$/m);
  expect(late.stderr).toMatch(/^hint: hogctl runs resume \S+ sends what is left$/m);
  await hogctl('runs resume 2026 --yes --project 1', later);
  expect(sent()).toEqual([['1', '2'], ['2']]);
});
