import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/service.ts';
import { addresses, twoRegions } from '../support/two-regions.ts';

describe('a request of which a run is gone or damaged', () => {
  async function withRequest() {
    const regions = await twoRegions();
    const { hogctl, requests } = regions;
    const line = `persons bulk-delete --emails ${addresses(1, 2)} --projects eu,us --yes`;
    expect(await hogctl(line)).toMatchObject({ code: 0 });
    return { ...regions, name: requests()[0] ?? '' };
  }

  it('is not there without a run that names it', async () => {
    const { hogctl, name, runs, state } = await withRequest();
    expect(await hogctl('runs show request-2020')).toMatchObject({ code: 3 });
    for (const run of runs()) rmSync(join(state, 'runs', run), { recursive: true });
    expect(await hogctl(`runs resume ${name} --yes`)).toMatchObject({ code: 3 });
  });

  it('misses one that has lost its plan', async () => {
    const { hogctl, name, runs, state } = await withRequest();
    rmSync(join(state, 'runs', runs()[0] ?? '', 'plan.json'));
    const { code, stderr } = await hogctl(`runs verify ${name}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('1 of 2 projects is not known to be done')]);
  });

  const whole = '"run":"RUN","createdAt":"2026-03-02","project":{"id":"7"},"host":"h"';
  it.each([
    '',
    'null',
    '[',
    '{"request":"NAME"}',
    `{${whole},"request":1,"projects":[]}`,
    `{${whole},"request":"NAME","projects":{}}`,
    `{${whole},"request":"NAME","projects":[{"id":"7","host":"h"}]}`,
    `{${whole},"request":"NAME","projects":[]}`,
  ])('misses a run of which this is the plan, and hides no other: %s', async (text) => {
    const { hogctl, us, name, runs, state } = await withRequest();
    const [run = ''] = runs();
    const plan = text.replace('NAME', name).replace('RUN', run);
    writeFileSync(join(state, 'runs', run, 'plan.json'), plan);
    const { code, stdout, stderr } = await hogctl(`runs show ${name} -o json`);
    expect([code, JSON.parse(stdout)]).toEqual([8, [expect.objectContaining({ project: 'us' })]]);
    expect(stderr).toContain('warning: eu: the record of the run in eu is missing or damaged');
    expect(await hogctl(`runs check ${name}`)).toMatchObject({ code: 9 });
    const resumed = await hogctl(`runs resume ${name} --yes`);
    expect([resumed.code, us.deletions().length], resumed.stderr).toEqual([8, 1]);
    expect(await hogctl(`runs verify ${name}`)).toMatchObject({ code: 9 });
  });

  it('verifies and shows one run when the record of the other is gone, and reports neither', async () => {
    const { hogctl, name, runs, state } = await withRequest();
    rmSync(join(state, 'runs', runs()[0] ?? ''), { recursive: true });
    const shown = await hogctl(`runs show ${name} -o json`);
    expect([shown.code, JSON.parse(shown.stdout).length]).toEqual([8, 1]);
    expect(shown.stderr).toContain('1 of 2 projects cannot be shown');
    expect(await hogctl(`runs report ${name}`)).toMatchObject({ code: 9, stdout: '' });
    const verified = await hogctl(`runs verify ${name} -o json`);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
      9,
      [
        { run: null, holds: false, remark: 'the record of the run in eu is missing or damaged' },
        { run: runs()[0], holds: true },
      ],
    ]);
    expect((await hogctl('runs show last')).stderr).toContain(`last is ${name}, in eu, us.`);
  });

  it('sends nothing of a run that could not be read when it asked', async () => {
    const { hogctl, eu, us, runs, requests, state } = await twoRegions();
    await hogctl(`persons bulk-delete --emails ${addresses(2)} --projects eu,us --plan-only`);
    const journal = join(state, 'runs', runs()[1] ?? '', 'journal.ndjson');
    const text = readFileSync(journal, 'utf8');
    writeFileSync(journal, 'damaged\n');
    eu.whenDeleting(() => writeFileSync(journal, text));
    const { code, stderr } = await hogctl(`runs resume ${requests()[0]}`, { answers: ['1'] });
    expect([code, stderr]).toEqual([8, expect.stringContaining('more ids are left than you agreed to')]);
    expect(stderr).toContain(`us (7) at ${us.origin}: cannot be read`);
    expect([eu.there, us.there]).toEqual([new Set([1]), new Set([2, 3])]);
  });
});

describe('a request of which the process was killed in its first project', () => {
  it('owes the second, which nobody began, once the first was resumed by its own name', async () => {
    const { hogctl, eu, us, runs, state } = await twoRegions();
    const left = join(temporaryDirectory(), 'state');
    eu.whenDeleting(() => cpSync(state, left, { recursive: true }));
    const line = `persons bulk-delete --emails ${addresses(2)} --projects eu,us --yes`;
    expect(await hogctl(line)).toMatchObject({ code: 0 });
    us.there.add(2);
    const [first = '', second = ''] = runs();
    for (const run of [first, second])
      for (const name of readdirSync(join(left, 'runs', run)).filter((one) => one.startsWith('lock')))
        rmSync(join(left, 'runs', run, name));
    const there = { environment: { HOGCTL_STATE_DIR: left } };
    await hogctl(`runs resume ${first} --project eu --yes`, there);
    const [, begun] = JSON.parse((await hogctl('runs list -o json', there)).stdout);
    expect(begun).toMatchObject({ run: second, owed: 'persons' });
    const verified = await hogctl('runs verify --due -o json', there);
    expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
      9,
      expect.arrayContaining([expect.objectContaining({ run: second, holds: false })]),
    ]);
    expect(us.there).toEqual(new Set([2, 3]));
  });
});

it('a request that was proved answers its list later, too', async () => {
  const { hogctl, requests } = await twoRegions();
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'list.txt'), 'user_2@example.org\n');
  const list = `--from ${join(folder, 'list.txt')} --as emails`;
  expect(await hogctl(`persons bulk-delete ${list} --projects eu,us --yes`)).toMatchObject({ code: 0 });
  expect(await hogctl('runs verify --due')).toMatchObject({ code: 0 });
  const receipt = join(folder, 'answer.csv');
  const { code, stderr } = await hogctl(`runs verify ${requests()[0]} ${list} --receipt ${receipt}`);
  expect(code, stderr).toBe(0);
  expect(readFileSync(receipt, 'utf8')).toMatch(/^user_2@example.org,.*person list/m);
});
