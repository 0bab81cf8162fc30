import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/service.ts';
import { addresses, twoRegions } from '../support/two-regions.ts';

describe('a request with a project in which nobody was found', () => {
  async function withNobody() {
    const regions = await twoRegions();
    const line = `persons bulk-delete --emails ${addresses(1)} --projects eu,us --yes`;
    expect(await regions.hogctl(line)).toMatchObject({ code: 0 });
    return { ...regions, name: regions.requests()[0] ?? '' };
  }

  it('shows, checks and prunes the runs of both', async () => {
    const { hogctl, name } = await withNobody();
    const shown = await hogctl(`runs show ${name} -o json`);
    expect(JSON.parse(shown.stdout)).toMatchObject([
      { project: 'eu', verdict: 'done', deleted: 1 },
      { project: 'us', verdict: 'nobody found' },
    ]);
    expect(await hogctl(`runs check ${name}`)).toMatchObject({ code: 0 });
    expect(await hogctl(`runs prune ${name} --yes`)).toMatchObject({ code: 0 });
    const again = await hogctl(`runs prune ${name} --yes`);
    expect([again.code, again.stderr]).toEqual([
      5,
      expect.stringContaining('the ids of 2 of 2 projects were not removed'),
    ]);
  });

  it('says so in each kind of report', async () => {
    const { hogctl, us, runs, name } = await withNobody();
    const sentence = 'eu: Carried out, not proved yet. us: No person found.';
    expect((await hogctl(`runs report ${name}`)).stdout).toContain(
      `**Done and proved in 0 of 2 projects.** ${sentence}\n`,
    );
    expect((await hogctl(`runs report ${name}`)).stdout).toContain(
      `| us | 7 | ${us.origin} | ${runs()[1]} | nobody found |`,
    );
    const { projects, verdict } = JSON.parse((await hogctl(`runs report ${name} -o json`)).stdout);
    expect(verdict).toBe('Done and proved in 0 of 2 projects');
    expect(projects).toMatchObject([
      { project: 'eu', run: runs()[0], verdict: 'done', report: { outcome: { verdict: 'done' } } },
      { project: 'us', run: runs()[1], verdict: 'nobody found', report: { request: name } },
    ]);
    const rows = (await hogctl(`runs report ${name} -o csv`)).stdout.trim().split('\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['project', 'eu', 'us']);
    const page = join(temporaryDirectory(), 'report.html');
    expect(await hogctl(`runs report ${name} --save ${page}`)).toMatchObject({ code: 0 });
    expect(readFileSync(page, 'utf8')).toContain('<strong>No person found</strong>');
    expect(readFileSync(page, 'utf8').indexOf(sentence)).toBeLessThan(
      readFileSync(page, 'utf8').indexOf('<h2>'),
    );
  });

  it('proves both, and asks nothing more then', async () => {
    const { hogctl, name } = await withNobody();
    const rows = [
      { project: 'eu (7)', holds: true },
      { project: 'us (7)', holds: true },
    ];
    for (const line of [`runs verify ${name} -o json`, 'runs verify last -o json'])
      expect(JSON.parse((await hogctl(line)).stdout)).toMatchObject(rows);
    const { stdout } = await hogctl('runs list -o csv --columns owed,verified,request');
    expect(stdout).toBe(`owed,verified,request\n,true,${name}\n,true,${name}\n`);
  });

  it.each([
    'persons delete --email user_1@example.org',
    'persons delete --distinct-id user_1',
    'persons bulk-delete --distinct-ids user_1 --delete-events',
    'persons bulk-delete --emails user_1@example.org --delete-events',
  ])('has a run for each: %s', async (words) => {
    const { hogctl, eu, us, runs, planOf, requests } = await twoRegions();
    const sent = () => [eu.deletions().length, us.deletions().length];
    const done = await hogctl(`${words} --projects us,eu --yes`);
    expect([done.code, sent()], done.stderr).toEqual([0, [1, 0]]);
    expect([runs().length, requests().length]).toEqual([2, 1]);
    const empty = runs().find((run) => planOf(run).project.name === 'us');
    expect(planOf(empty ?? '')).toMatchObject({ request: requests()[0], resolved: { persons: 0 } });
    const again = await hogctl(`runs resume ${requests()[0]} --yes`);
    expect([again.code, sent()], again.stderr).toEqual([0, [1, 0]]);
    expect(await hogctl(`runs resume ${empty} --yes -p us`)).toMatchObject({ code: 0 });
    expect(await hogctl(`${words} --projects us,eu --yes`)).toMatchObject({ code: 3 });
  });

  it('sends nothing there when it is resumed', async () => {
    const { hogctl, eu, us, requests } = await twoRegions();
    const line = `persons bulk-delete --emails ${addresses(1)} --projects eu,us --plan-only`;
    expect(await hogctl(line)).toMatchObject({ code: 0 });
    const dry = await hogctl(`runs resume ${requests()[0]} --dry-run -o json`);
    expect([dry.code, JSON.parse(dry.stdout)]).toEqual([
      0,
      [
        { project: 'eu', run: expect.any(String), ids: 1 },
        { project: 'us', run: expect.any(String), ids: 0 },
      ],
    ]);
    const { code, stderr } = await hogctl(`runs resume ${requests()[0]}`, { answers: ['1'] });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`  us (7) at ${us.origin}: nobody\n`)]);
    expect([eu.deletions().length, us.deletions()]).toEqual([1, []]);
  });

  it('is refused if all that was given are addresses, with their rows in a dry run', async () => {
    const { hogctl, sent } = await twoRegions();
    const line = `persons bulk-delete --distinct-ids ${addresses(1)} --projects eu,us`;
    for (const words of ['--yes', '--dry-run', '--dry-run -o csv']) {
      const { code, stderr } = await hogctl(`${line} ${words}`);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('no person has the address as a distinct id'),
      ]);
    }
    expect(await hogctl(`${line} --dry-run --ignore-missing`)).toMatchObject({ code: 0 });
    const list = 'user_1\nnull\n';
    const odd = await hogctl(
      'persons bulk-delete --from - --as distinct-ids --projects eu,us --dry-run -o csv',
      { stdin: list },
    );
    expect([odd.code, odd.stdout.match(/,odd,/g)?.length]).toEqual([2, 2]);
    expect(sent()).toEqual([[], []]);
  });
});

describe('a list in several projects of which every line is odd', () => {
  it.each(['distinct-ids', 'emails'])('is written away and answered: --as %s', async (as) => {
    const { hogctl, sent } = await twoRegions();
    const folder = temporaryDirectory();
    const receipt = join(folder, 'receipt.csv');
    const line = `persons bulk-delete --from - --as ${as} --projects eu,us --odd skip --receipt ${receipt}`;
    const stdin = 'null\n#N/A\n';
    const dry = await hogctl(`${line} --dry-run -o csv --columns line,outcome`, { stdin });
    expect([dry.code, dry.stdout]).toEqual([8, 'line,outcome\n1,odd\n2,odd\n1,odd\n2,odd\n']);
    const { code, stderr } = await hogctl(`${line} --yes`, { stdin });
    expect([code, sent()], stderr).toEqual([8, [[], []]]);
    expect(readFileSync(receipt, 'utf8')).toMatch(/\n#N\/A,2,odd,eu: odd; us: odd,,.+\n/);
  });
});

describe('a request that is called last', () => {
  it('is sent with --yes only if it is named', async () => {
    const { hogctl, eu, us, requests } = await twoRegions();
    await hogctl(`persons bulk-delete --emails ${addresses(2)} --projects eu,us --plan-only`);
    const { code, stderr } = await hogctl('runs resume last --yes');
    const hint = `hint: the newest is ${requests()[0]}; name it if that is the one`;
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
    expect(await hogctl('runs resume last --yes --dry-run')).toMatchObject({ code: 0 });
    expect([eu.deletions(), us.deletions()]).toEqual([[], []]);
    expect(await hogctl('runs resume last', { answers: ['2'] })).toMatchObject({ code: 0 });
    expect([eu.deletions().length, us.deletions().length]).toEqual([1, 1]);
  });
});
