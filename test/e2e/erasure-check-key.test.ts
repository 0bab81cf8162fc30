import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/erasure/record/digest.ts';
import { encodeLine } from '../../src/erasure/record/journal.ts';
import { allDeleted } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { nobodyThere, startWithPeople } from '../support/service.ts';

/** A run whose ids were removed when it held. */
async function provenRun() {
  const service = await startWithPeople([
    (received) => (received.method === 'GET' ? nobodyThere(received) : allDeleted(received)),
  ]);
  const done = await service.hogctl('persons bulk-delete --distinct-ids u1,u2 --yes');
  expect(done.code).toBe(0);
  expect(done.stderr).toMatch(/ask what is left:\nHOGCTL_STATE_DIR=\S+ hogctl runs verify last$/m);
  expect(await service.hogctl('runs verify last')).toMatchObject({ code: 0 });
  const [run = ''] = runsOf(service);
  const check = async () => {
    const { code, stdout } = await service.hogctl(`runs check ${run} -o json`);
    return { code, ...JSON.parse(stdout) };
  };
  return { service, run, keyFile: join(run, 'check-key'), check };
}

describe('the check key of a run that lost its ids', () => {
  it('holds where nobody changed it, and its fingerprint is in the report', async () => {
    const { service, run, check, keyFile } = await provenRun();
    expect(await check()).toMatchObject({ code: 0, holds: true, check_key: 'holds', problems: [] });
    const report = JSON.parse((await service.hogctl(`runs report ${run} -o json`)).stdout);
    const plan = JSON.parse(readFileSync(join(run, 'plan.json'), 'utf8'));
    expect(report.members.key_fingerprint).toBe(plan.keyFingerprint);
    expect(plan.keyFingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([report, plan])).not.toContain(readFileSync(keyFile, 'utf8').trim());
  });

  it.each([
    ['changed', 'the check key of this run is not the one it was planned with'],
    ['cut short', 'the check key of this run is not the one it was planned with'],
    ['missing', 'the check key of this run is missing'],
  ])('is told of where it is %s, and nobody is called a stranger', async (how, problem) => {
    const { service, run, check, keyFile } = await provenRun();
    if (how === 'missing') rmSync(keyFile);
    else if (how === 'changed') writeFileSync(keyFile, `${'0a'.repeat(32)}\n`);
    else writeFileSync(keyFile, readFileSync(keyFile, 'utf8').slice(0, 20));
    const state = how === 'missing' ? 'missing' : 'changed';
    expect(await check()).toMatchObject({ code: 9, holds: false, check_key: state, problems: [problem] });
    const found = await service.hogctl('runs find --distinct-ids u1,u2');
    expect([found.code, found.stderr]).toEqual([8, expect.stringContaining(problem)]);
    expect(await service.hogctl(`runs report ${run}`)).toMatchObject({ code: 0 });
    expect(await service.hogctl(`runs show ${run}`)).toMatchObject({ code: 0 });
    expect(await service.hogctl('runs list')).toMatchObject({ code: 0 });
  });
});

it('a record of another shape is told, and nothing is sent from it', async () => {
  const service = await startWithPeople([]);
  await service.hogctl('persons bulk-delete --distinct-ids u1 --plan-only --yes');
  const [run = ''] = runsOf(service);
  const [plan, journal] = [join(run, 'plan.json'), join(run, 'journal.ndjson')];
  const [planned, happened] = [plan, journal].map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const { hash: _, previous: __, ...first } = happened;
  const { lines: ___, ...unlined } = planned;
  const others = [
    [{ ...planned, format: 2 }, first],
    [unlined, first],
    [{ ...planned, members: { count: '1' } }, first],
    [planned, { ...first, batches: undefined }],
  ];
  for (const [otherPlan, otherLine] of others) {
    const text = `${JSON.stringify(otherPlan)}\n`;
    writeFileSync(plan, text);
    writeFileSync(journal, `${encodeLine(otherLine, sha256(text)).text}\n`);
    for (const command of ['resume 2026 --yes', 'verify 2026', 'report 2026', 'show 2026']) {
      const { code, stderr } = await service.hogctl(`runs ${command}`);
      expect([code, stderr]).toEqual([9, expect.stringContaining('by another version of hogctl')]);
    }
    expect((await service.hogctl('runs list')).code).not.toBe(1);
    expect((await service.hogctl('runs verify --due')).code).not.toBe(1);
  }
  expect(service.log).toEqual([]);
});
