import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, uuid } from '../support/bulk-deletions.ts';
import { nobodyThere, person, startAsGiven, temporaryDirectory } from './service.ts';

/** A run of two persons whose ids were dropped; `left` are the numbers of those that a look-up still finds. */
async function droppedRun(left: readonly number[]) {
  const still = new Set(left);
  const service = await startAsGiven([
    ({ method, url, json }) => {
      if (method === 'POST') return allDeleted({ json });
      const number = [1, 2].find((one) => url.includes(uuid(one)));
      if (number === undefined || !still.has(number)) return nobodyThere({ url });
      return { json: { ...person(number), uuid: uuid(number) } };
    },
  ]);
  const { code } = await service.hogctl(`persons bulk-delete ${uuid(1)} ${uuid(2)} --yes --drop-ids`);
  expect(code).toBe(0);
  return {
    still,
    verify: async (...numbers: readonly number[]) =>
      (await service.hogctl(`runs verify 2026 --ids ${numbers.map((number) => uuid(number)).join(',')}`))
        .code,
    save: (file: string) =>
      service.hogctl(`runs verify 2026 --ids ${uuid(1)},${uuid(2)} -o json --save ${file}`),
    report: async () => JSON.parse((await service.hogctl('runs report 2026 -o json')).stdout),
    markdown: async () => (await service.hogctl('runs report 2026')).stdout,
    show: () => service.hogctl('runs show 2026'),
    shown: async () => JSON.parse((await service.hogctl('runs show 2026 -o json')).stdout),
    listed: async () => JSON.parse((await service.hogctl('runs list -o json')).stdout)[0],
  };
}

describe('a verification of some of the ids', () => {
  it('does not replace one of all of them that did not hold', async () => {
    const run = await droppedRun([2]);
    expect(await run.verify(1, 2)).toBe(9);
    expect(await run.verify(1)).toBe(0);
    expect(await run.report()).toMatchObject({
      verified: false,
      verification: { asked: 2, of: 2, left: 1, holds: false },
      partial_verifications: [{ asked: 1, of: 2, left: 0, holds: true }],
    });
    const titles = (await run.markdown()).match(/^## Verified.*/gm);
    expect(titles).toEqual([
      expect.stringMatching(/: does not hold$/),
      expect.stringMatching(/: holds, for 1 of 2 ids$/),
    ]);
    const { stderr } = await run.show();
    expect(stderr).toMatch(/^Verified at .*: does not hold$/m);
    expect(stderr).toMatch(/^Verified at .*: holds, for 1 of 2 ids$/m);
    expect(await run.shown()).toMatchObject({ verified: false });
    expect(await run.listed()).toMatchObject({ verified: false });
  });

  it('counts against one of all of them that held, where it does not hold itself', async () => {
    const run = await droppedRun([]);
    expect(await run.verify(1, 2)).toBe(0);
    expect(await run.listed()).toMatchObject({ verified: true });
    run.still.add(1);
    expect(await run.verify(1)).toBe(9);
    expect(await run.verify(2)).toBe(0);
    expect(await run.report()).toMatchObject({
      verified: false,
      verification: { asked: 2, holds: true },
      partial_verifications: [
        { asked: 1, holds: false },
        { asked: 1, holds: true },
      ],
    });
    expect(await run.listed()).toMatchObject({ verified: false, owed: 'persons' });
    run.still.clear();
    expect(await run.verify(1, 2)).toBe(0);
    expect(await run.listed()).toMatchObject({ verified: true, owed: null });
  });

  it('is outdated by the next one of all of them', async () => {
    const run = await droppedRun([1]);
    expect(await run.verify(1)).toBe(9);
    run.still.clear();
    expect(await run.verify(1, 2)).toBe(0);
    expect(await run.report()).toMatchObject({
      verified: true,
      verification: { asked: 2, holds: true },
      partial_verifications: [],
    });
    expect(await run.shown()).toMatchObject({ verified: true });
  });
});

it('is saved where it does not hold, as an answer of its own', async () => {
  const run = await droppedRun([2]);
  const file = join(temporaryDirectory(), 'verified.json');
  const { code, stderr } = await run.save(file);
  expect([code, stderr]).toEqual([9, expect.stringContaining(`Saved to ${file}.\n`)]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ asked: 2, left: 1, holds: false });
});

it('a run that nobody verified is called neither', async () => {
  const run = await droppedRun([]);
  expect(await run.report()).toMatchObject({ verified: null, verification: null, partial_verifications: [] });
  expect(await run.shown()).toMatchObject({ verified: null });
});

describe('a look-up by distinct id', () => {
  const run = (answer: object, whole = answer) =>
    startAsGiven([
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
    const listed = { ...person(7), distinct_ids: distinctIds };
    const service = await run(listed, { ...listed, distinct_ids: [...distinctIds, 'u1'] });
    expect(await service.hogctl(erase)).toMatchObject({ code: 0 });
    const { code, stdout } = await service.hogctl('runs verify 2026 -o json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ left: 1, holds: false });
  });
});

it('says of a plan that was not carried out that its ids were never sent', async () => {
  const service = await startAsGiven([{ on: /persons/, times: 9, json: { ...person(1), uuid: uuid(1) } }]);
  await service.hogctl(`persons bulk-delete ${uuid(1)} --plan-only --yes`);
  const { code, stderr } = await service.hogctl('runs verify last');
  expect(code).toBe(9);
  expect(stderr).toMatch(
    /^error: 1 person still there, and 1 id never sent\nhint: hogctl runs resume \S+ sends what is left$/m,
  );
});

it.each(['--ids 1,2 --no-resolve', `--ids ${uuid(1)},${uuid(2)} --no-resolve`])(
  'proves nothing where the project is not there any more: %s',
  async (given) => {
    const { hogctl } = await startAsGiven([
      ({ method, json }) =>
        method === 'POST' ? allDeleted({ json }) : { status: 404, json: { code: 'not_found' } },
    ]);
    expect(await hogctl(`persons bulk-delete ${given} --yes`)).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 3, stdout: '' });
    expect((await hogctl('runs list')).stdout).toMatch(/done +false/);
  },
);
