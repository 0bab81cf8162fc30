import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, uuid } from '../support/bulk-deletions.ts';
import { nobodyThere, person, startWithPeople, temporaryDirectory } from './service.ts';

/** A run of two persons; `left` are the numbers of those that a look-up still finds. */
async function doneRun(left: readonly number[]) {
  const still = new Set(left);
  const service = await startWithPeople([
    ({ method, url, json }) => {
      if (method === 'POST') return allDeleted({ json });
      const number = [1, 2].find((one) => url.includes(uuid(one)));
      if (number === undefined || !still.has(number)) return nobodyThere({ url });
      return { json: { ...person(number), uuid: uuid(number) } };
    },
  ]);
  const { code } = await service.hogctl(`persons bulk-delete ${uuid(1)} ${uuid(2)} --yes`);
  expect(code).toBe(0);
  return { still, ...service };
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
  const { hogctl, log, still } = await doneRun([2]);
  expect(await hogctl('runs verify last')).toMatchObject({ code: 9 });
  still.clear();
  const held = await hogctl('runs verify last -o json');
  expect([held.code, JSON.parse(held.stdout)]).toMatchObject([0, { asked: 2, left: 0, holds: true }]);
  const asked = log.length;
  still.add(1);
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
  const run = (answer: object, whole = answer) =>
    startWithPeople([
      ({ method, url, json }) => {
        if (method === 'POST') return allDeleted({ json });
        return { json: url.includes('/persons/?') ? { next: null, results: [answer] } : whole };
      },
    ]);
  const erase = 'persons bulk-delete --distinct-ids u1 --yes';

  it('that brings somebody else does not prove that nobody is left', async () => {
    const service = await run({ ...person(7), distinct_ids: ['u7'] });
    expect(await service.hogctl(erase)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await service.hogctl('runs verify 2026');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('the service answered with persons who do not have the distinct id');
    const report = JSON.parse((await service.hogctl('runs report 2026 -o json')).stdout);
    expect(report).toMatchObject({ verified: null, ids_dropped: false });
  });

  it('finds somebody with more distinct ids than are listed', async () => {
    const distinctIds = Array.from({ length: 1000 }, (_, index) => `other-${index}`);
    const listed = { ...person(1), distinct_ids: distinctIds };
    const service = await run(listed, { ...listed, distinct_ids: [...distinctIds, 'u1'] });
    expect(await service.hogctl(erase)).toMatchObject({ code: 0 });
    const { code, stdout } = await service.hogctl('runs verify 2026 -o json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ left: 1, holds: false });
  });
});

it('says of a plan that was not carried out that its ids were never sent', async () => {
  const service = await startWithPeople([
    { on: /distinct_id=/, times: 9, json: { next: null, results: [] } },
    { on: /persons/, times: 9, json: person(1) },
  ]);
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
