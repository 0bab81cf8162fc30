import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, temporaryDirectory } from '../support/service.ts';
import { addresses, keyOf, twoRegions } from '../support/two-regions.ts';

describe('persons delete --projects', () => {
  it('deletes the person in each project that has them, after one question', async () => {
    const { hogctl, eu, us, requests } = await twoRegions();
    const line = 'persons delete --email user_2@example.org --projects eu,us';
    expect(await hogctl(line, { answers: ['1'] })).toMatchObject({ code: 7 });
    expect([eu.deletions(), us.deletions()]).toEqual([[], []]);
    const { code, stderr } = await hogctl(line, { answers: ['2'] });
    expect(code, stderr).toBe(0);
    const who = 'person 2 (person 2, user_2@example.org, created 2026-01-02, 1 distinct id)';
    expect(stderr).toContain(`  eu (7) at ${eu.origin}: ${who}\n  us (7) at ${us.origin}: ${who}\n`);
    expect([[...eu.there], [...us.there], requests().length]).toEqual([[1], [3], 1]);
    expect(await hogctl('persons delete --email user_1@example.org --projects eu,us --yes')).toMatchObject({
      code: 0,
    });
    expect(await hogctl('persons delete --email user_1@example.org --projects eu,us --yes')).toMatchObject({
      code: 3,
    });
    expect(us.deletions()).toHaveLength(1);
    expect(await hogctl('persons delete 3 --projects eu,us --yes')).toMatchObject({ code: 2 });
  });

  it('shows the requests of a dry run', async () => {
    const { hogctl, eu, us } = await twoRegions();
    const { code, stdout } = await hogctl(
      'persons delete --email user_2@example.org --projects all --dry-run --show-ids',
    );
    expect(code).toBe(0);
    expect(stdout).toContain(`DELETE ${eu.origin}/api/projects/7/persons/2/`);
    expect(stdout).toContain(`DELETE ${us.origin}/api/projects/7/persons/2/`);
    const one = await hogctl('persons delete --email user_1@example.org --projects all --dry-run --show-ids');
    expect([one.code, one.stdout]).toEqual([0, expect.not.stringContaining(us.origin)]);
    expect([eu.deletions(), us.deletions()]).toEqual([[], []]);
  });
});

describe('persons export --projects', () => {
  it('writes a file for each project that has the person', async () => {
    const { hogctl } = await twoRegions();
    const folder = join(temporaryDirectory(), 'ana');
    const both = await hogctl(`persons export --email user_2@example.org --projects all --save ${folder}`);
    expect(both, both.stderr).toMatchObject({ code: 0 });
    expect(readdirSync(folder).sort()).toEqual(['eu.json', 'us.json']);
    expect(JSON.parse(readFileSync(join(folder, 'us.json'), 'utf8'))).toMatchObject({ project: '7' });
    expect(statSync(join(folder, 'us.json')).mode & 0o777).toBe(0o600);
    const tables = join(temporaryDirectory(), 'ana');
    const one = await hogctl(
      `persons export --email user_1@example.org --projects eu,us -o csv --save ${tables}`,
    );
    expect(one, one.stderr).toMatchObject({ code: 0 });
    expect(readdirSync(tables)).toEqual(['eu']);
    expect(readdirSync(join(tables, 'eu'))).toContain('person.csv');
  });

  it('writes no file that is a device on Windows, or lies in another folder', async () => {
    const { hogctl, eu, us } = await twoRegions();
    const folder = join(temporaryDirectory(), 'ana');
    for (const [name, { origin }, key] of [
      ['nul', us, keyOf('us')],
      ['../a:b', eu, keyOf('eu')],
    ] as const)
      await hogctl(`auth login --host ${origin} --project 7 --name ${name} --key-stdin`, { stdin: key });
    const { code, stderr } = await hogctl(
      `persons export --email user_2@example.org --projects nul,../a:b --save ${folder}`,
    );
    expect(code, stderr).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['%2E.%2Fa%3Ab.json', '%6Eul.json']);
  });

  it('refuses what has no answer in several projects, and ends with 3 if none has the person', async () => {
    const { hogctl } = await twoRegions();
    const folder = join(temporaryDirectory(), 'ana');
    const line = 'persons export --projects eu,us';
    for (const words of ['1', '', '--email a@example.org', '--email a@example.org --save a.json'])
      expect(await hogctl(`${line} ${words}`)).toMatchObject({ code: 2 });
    expect(await hogctl(`${line} --email a@example.org --save ${folder}`)).toMatchObject({ code: 3 });
  });
});

describe('a project that fails', () => {
  const refusal = { status: 403, json: { code: 'permission_denied', detail: 'Not with this key.' } };

  it('does not keep persons delete from the others, and gives its code only if all failed alike', async () => {
    const { hogctl, eu, us } = await twoRegions();
    const line = 'persons delete --email user_2@example.org --projects us,eu --yes';
    us.refuse(refusal);
    const one = await hogctl(line);
    expect([one.code, one.stderr]).toEqual([8, expect.stringContaining('1 of 2 projects is not done: us')]);
    expect([[...eu.there], [...us.there]]).toEqual([[1], [2, 3]]);
    eu.there.add(2);
    eu.refuse(refusal);
    const both = await hogctl(line);
    expect([both.code, both.stderr]).toEqual([
      4,
      expect.stringContaining('2 of 2 projects are not done: us, eu'),
    ]);
  });

  it('does not keep persons export from the others', async () => {
    const { hogctl, us } = await twoRegions();
    us.refuseAll(refusal);
    const folder = join(temporaryDirectory(), 'ana');
    const line = `persons export --email user_2@example.org --projects us,eu --save ${folder}`;
    const { code, stderr } = await hogctl(line);
    expect([code, stderr]).toEqual([8, expect.stringContaining('1 of 2 projects was not exported: us')]);
    expect(readdirSync(folder)).toEqual(['eu.json']);
  });
});

describe('runs of a request', () => {
  async function withRequest() {
    const regions = await twoRegions();
    const { hogctl, requests } = regions;
    const line = `persons bulk-delete --emails ${addresses(1, 2)} --projects eu,us --yes`;
    expect(await hogctl(line)).toMatchObject({ code: 0 });
    return { ...regions, name: requests()[0] ?? '' };
  }

  it('verifies all of them, and ends with 9 if one does not hold', async () => {
    const { hogctl, us, name } = await withRequest();
    us.there.add(2);
    const open = await hogctl(`runs verify ${name} -o json`);
    expect(open, open.stderr).toMatchObject({ code: 9 });
    expect(JSON.parse(open.stdout)).toMatchObject([
      { project: 'eu (7)', holds: true },
      { project: 'us (7)', holds: false },
    ]);
    us.there.delete(2);
    const done = await hogctl(`runs verify ${name.slice(0, 17)}`);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(await hogctl(`runs verify ${name}`)).toMatchObject({ code: 0 });
    expect(await hogctl(`runs verify ${name} -p eu`)).toMatchObject({ code: 2 });
    const again = await hogctl(`runs resume ${name} --yes`);
    expect(again, again.stderr).toMatchObject({ code: 0 });
  });

  it('answers the list with a row for each line over all projects after a verification', async () => {
    const { hogctl, name } = await withRequest();
    const list = join(temporaryDirectory(), 'list.txt');
    const receipt = join(temporaryDirectory(), 'answer.csv');
    writeFileSync(list, 'user_1@example.org\nuser_2@example.org\n');
    const { code, stderr } = await hogctl(
      `runs verify ${name} --from ${list} --as emails --receipt ${receipt}`,
    );
    expect(code, stderr).toBe(0);
    const rows = readFileSync(receipt, 'utf8').trim().split('\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual([
      'given',
      'user_1@example.org',
      'user_2@example.org',
    ]);
  });

  it('answers it for a project with nobody, too', async () => {
    const { hogctl, requests } = await twoRegions();
    const list = join(temporaryDirectory(), 'list.txt');
    const receipt = join(temporaryDirectory(), 'answer.csv');
    writeFileSync(list, 'user_1@example.org\n');
    const source = `--from ${list} --as emails`;
    expect(await hogctl(`persons bulk-delete ${source} --projects eu,us --yes`)).toMatchObject({ code: 0 });
    const verified = await hogctl(`runs verify ${requests()[0]} ${source} --receipt ${receipt}`);
    expect(verified, verified.stderr).toMatchObject({ code: 0 });
    const rows = readFileSync(receipt, 'utf8').trim().split('\n');
    expect(rows.slice(1)).toEqual([
      `user_1@example.org,1,deleted,eu: deleted; us: nobody,eu: ${person(1).uuid},,eu: person list`,
    ]);
    const resumed = await hogctl(`runs resume ${requests()[0]} ${source} --receipt ${receipt} --force --yes`);
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(receipt, 'utf8')).toContain(',deleted,eu: deleted; us: nobody,');
  });

  it('is what last means, until another run begins', async () => {
    const { hogctl, name, runs } = await withRequest();
    const { stdout, stderr } = await hogctl('runs verify last -o json');
    expect([stderr.includes(`last is ${name}, in eu, us.`), JSON.parse(stdout).length]).toEqual([true, 2]);
    for (const line of ['show last', 'check last', 'report last', 'resume last --dry-run'])
      expect((await hogctl(`runs ${line}`)).stderr).toContain(`last is ${name}`);
    const one = await hogctl(`runs resume ${runs()[1]} --yes --project us`);
    expect(one.stderr).toContain('hogctl runs verify last --project us');
    expect((await hogctl('runs show last --project us')).stderr).not.toContain('request-');
    await hogctl('persons bulk-delete --distinct-ids user_3 --project us --yes');
    expect((await hogctl('runs show last')).stderr).not.toContain('request-');
  });

  it('shows, lists and reports them, each with its project', async () => {
    const { hogctl, eu, us, name, runs } = await withRequest();
    const shown = await hogctl(`runs show ${name} -o json`);
    expect(JSON.parse(shown.stdout)).toMatchObject([
      { project: 'eu', host: eu.origin, deleted: 2 },
      { project: 'us', host: us.origin, deleted: 1 },
    ]);
    expect((await hogctl(`runs show ${name}`)).stdout).toMatch(/^us +deleted +1/m);
    const listed = JSON.parse((await hogctl('runs list -o json')).stdout);
    expect(listed).toMatchObject([{ request: name }, { request: name }]);
    expect((await hogctl('runs list')).stdout.match(/ request-/g)).toHaveLength(2);
    expect(await hogctl(`runs list ${name}`)).toMatchObject({ code: 2 });
    const markdown = (await hogctl(`runs report ${name}`)).stdout;
    expect(markdown).toContain(`# Request ${name}`);
    for (const run of runs()) expect(markdown).toContain(`# Bulk deletion ${run}`);
    expect(markdown).not.toMatch(/user_|0000-4000/);
    const report = JSON.parse((await hogctl(`runs report ${name} -o json`)).stdout);
    expect(report).toMatchObject({
      request: name,
      projects: [{ project: 'eu', verdict: 'done' }, { project: 'us' }],
    });
    const rows = (await hogctl(`runs report ${name} -o csv`)).stdout.trim().split('\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['project', 'eu', 'eu', 'us', 'us']);
    const page = join(temporaryDirectory(), 'report.html');
    expect(await hogctl(`runs report ${name} --save ${page}`)).toMatchObject({ code: 0 });
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<!doctype html>/g)).toHaveLength(1);
    expect(html.match(/The evidence of run/g)).toHaveLength(2);
  });

  it('checks and prunes them', async () => {
    const { hogctl, name, runs, state } = await withRequest();
    const checked = await hogctl(`runs check ${name} -o json`);
    expect(JSON.parse(checked.stdout)).toMatchObject([
      { project: 'eu', holds: true },
      { project: 'us', holds: true },
    ]);
    expect(await hogctl(`runs check ${name} --expect 1:${'0'.repeat(64)}`)).toMatchObject({ code: 2 });
    expect(await hogctl(`runs prune ${name}`, { answers: ['n'] })).toMatchObject({ code: 7 });
    const pruned = await hogctl(`runs prune ${name} --yes`);
    expect(pruned, pruned.stderr).toMatchObject({ code: 0 });
    const places = runs().map((run) => join(state, 'runs', run));
    for (const place of places) expect(readdirSync(place)).not.toContain('ids');
    rmSync(join(places[0] ?? '', 'journal.ndjson'));
    const damaged = await hogctl(`runs check ${name}`);
    expect(damaged).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('the record of 1 of 2 projects'),
    });
    expect(readdirSync(state)).toEqual(['runs']);
  });

  it('removes no ids of a request if one of its questions is answered with a no', async () => {
    const { hogctl, name, runs, state } = await withRequest();
    expect(await hogctl(`runs prune ${name}`, { answers: ['y', 'n'] })).toMatchObject({ code: 7 });
    const places = runs().map((run) => join(state, 'runs', run));
    for (const place of places) expect(readdirSync(place)).toContain('ids');
    const { code, stderr } = await hogctl(`runs prune ${name}`, { answers: ['y', 'y'] });
    expect([code, stderr.match(/^Removed the ids of run /gm)?.length], stderr).toEqual([0, 2]);
    for (const place of places) expect(readdirSync(place)).not.toContain('ids');
  });

  it('removes the ids of one run of a request if those of another have gone before', async () => {
    const { hogctl, name, runs } = await withRequest();
    const [first] = runs();
    expect(await hogctl(`runs prune ${first} --yes`)).toMatchObject({ code: 0 });
    const { code, stderr } = await hogctl(`runs prune ${name} --yes`);
    expect(code).toBe(8);
    expect(stderr).toContain('the ids of 1 of 2 projects were not removed');
    expect(stderr.match(/^Removed the ids of run /gm)).toHaveLength(1);
  });

  it('wants a name that only one request has', async () => {
    const { hogctl, name } = await withRequest();
    expect(
      await hogctl('persons bulk-delete --emails user_3@example.org --projects eu,us --yes'),
    ).toMatchObject({ code: 0 });
    const { code, stderr } = await hogctl(`runs show ${name.slice(0, 12)}`);
    expect([code, stderr]).toEqual([3, expect.stringContaining('2 requests begin with "request-2026"')]);
    for (const words of ['--host eu', '-p eu'])
      expect(await hogctl(`runs resume ${name} --yes ${words}`)).toMatchObject({ code: 2 });
  });

  it('goes on with one run when the key of the other is gone', async () => {
    const { hogctl, us, requests } = await twoRegions();
    await hogctl(`persons bulk-delete --emails ${addresses(2)} --projects eu,us --plan-only`);
    expect(await hogctl('auth logout eu --yes')).toMatchObject({ code: 0 });
    const { code, stderr } = await hogctl(`runs resume ${requests()[0]} --yes`);
    expect([code, us.there]).toEqual([8, new Set([3])]);
    expect(stderr).toContain('no key is stored for project eu (7)');
  });
});

describe('auth login', () => {
  it('stores no project of the name that stands for all', async () => {
    const { hogctl, eu } = await twoRegions();
    const { code, stderr } = await hogctl(
      `auth login --host ${eu.origin} --project 8 --name all --key-stdin`,
      {
        stdin: keyOf('eu'),
      },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('a project cannot be called all')]);
  });
});
