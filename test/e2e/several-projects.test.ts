import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { person, temporaryDirectory } from '../support/service.ts';
import { addresses, keyOf, twoRegions } from '../support/two-regions.ts';

describe('persons bulk-delete --projects', () => {
  it('asks once, naming each project, host and number, and sends each its own', async () => {
    const { hogctl, eu, us, sent, runs, planOf, requests, state } = await twoRegions();
    const line = `persons bulk-delete --emails ${addresses(1, 2)} --projects eu,us`;
    const no = await hogctl(line, { answers: ['2'] });
    expect(no, no.stderr).toMatchObject({ code: 7 });
    expect([sent(), runs(), requests()]).toEqual([[[], []], [], []]);
    const yes = await hogctl(line, { answers: ['3'] });
    expect(yes, yes.stderr).toMatchObject({ code: 0 });
    expect(yes.stderr.match(/This will/g)).toHaveLength(1);
    expect(yes.stderr.match(/To ask what is left/g)).toHaveLength(1);
    expect(yes.stderr).toContain(
      [
        `  eu (7) at ${eu.origin}: 2 persons of 2 addresses`,
        '    person 1, user_1@example.org, created 2026-01-02, 1 distinct id',
        '    person 2, user_2@example.org, created 2026-01-02, 1 distinct id',
        `  us (7) at ${us.origin}: 1 person of 2 addresses`,
        '    person 2, user_2@example.org, created 2026-01-02, 1 distinct id',
        'Type 3 to confirm: ',
      ].join('\n'),
    );
    expect(sent()).toEqual([[['1', '2']], [['2']]]);
    expect([[...eu.there], [...us.there]]).toEqual([[], [3]]);
    expect(runs()).toHaveLength(2);
    const [name = ''] = requests();
    const projects = [
      { id: '7', name: 'eu', host: eu.origin },
      { id: '7', name: 'us', host: us.origin },
    ];
    for (const [at, run] of runs().entries())
      expect(planOf(run)).toMatchObject({ host: projects[at]?.host, request: name, projects });
    expect(readdirSync(state)).toEqual(['runs']);
  });

  it('goes on in one project when another refuses, and sends the request to that one only', async () => {
    const { hogctl, us, sent, requests } = await twoRegions();
    us.refuse({ status: 403, json: { code: 'permission_denied', detail: 'Not with this key.' } });
    const line = `persons bulk-delete --emails ${addresses(2)} --projects us,eu --yes`;
    const { code, stderr, stdout } = await hogctl(`${line} -o json`);
    expect(code, stderr).toBe(8);
    expect(stderr).toContain('"message":"1 of 2 projects is not done: us"');
    expect(stderr).toMatch(/^warning: us: .*Not with this key/m);
    expect(JSON.parse(stdout)).toMatchObject([
      { project: 'us', verdict: 'stopped' },
      { project: 'eu', verdict: 'done', deleted: 1 },
    ]);
    expect(sent()).toEqual([[['2']], [['2']]]);
    const [name = ''] = requests();
    expect(await hogctl(`runs resume ${name} --yes`)).toMatchObject({ code: 8 });
    us.refuse(undefined);
    const again = await hogctl(line);
    expect(again, again.stderr).toMatchObject({ code: 2 });
    expect(again.stderr).toContain('the same deletion was begun in us before');
    const resumed = await hogctl(`runs resume ${name}`, { answers: ['1'] });
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    expect(resumed.stderr).toContain(`us (7) at ${us.origin}: 1 id left`);
    expect([sent()[0], us.there]).toEqual([[['2']], new Set([3])]);
  });

  it('takes nobody in one project as no failure, and nobody in all as not found', async () => {
    const { hogctl, sent, runs, planOf, requests } = await twoRegions();
    const receipt = join(temporaryDirectory(), 'answer.csv');
    const list = join(temporaryDirectory(), 'list.csv');
    writeFileSync(list, 'ticket,email\nA-1,user_1@example.org\nA-2,user_9@example.org\n');
    const line = `persons bulk-delete --from ${list} --as emails --column email --projects eu,us --yes`;
    const done = await hogctl(`${line} --receipt ${receipt}`);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[['1']], []]);
    const rows = readFileSync(receipt, 'utf8').trim().split('\n');
    const place = person(1).uuid;
    expect(rows).toEqual([
      'ticket,email,line,outcome,projects,person,remark',
      `A-1,user_1@example.org,2,deleted,eu: deleted; us: nobody,eu: ${place},`,
      'A-2,user_9@example.org,3,nobody,eu: nobody; us: nobody,,',
    ]);
    expect(statSync(receipt).mode & 0o777).toBe(0o600);
    const [name = ''] = requests();
    expect(planOf(runs()[1] ?? '')).toMatchObject({ project: { name: 'us' }, resolved: { persons: 0 } });
    const nobody = await hogctl(line);
    expect(nobody, nobody.stderr).toMatchObject({ code: 3 });
    expect(await hogctl(`${line} --ignore-missing`)).toMatchObject({ code: 0 });
    expect([sent(), requests()]).toEqual([[[['1']], []], [name]]);
  });

  it('asks for the events of distinct ids of one project without failing in the other', async () => {
    const { hogctl, sent } = await twoRegions();
    const line = 'persons bulk-delete --delete-events --projects eu,us --yes --distinct-ids';
    expect(await hogctl(`${line} user_1,user_3`)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[['1']], [['3']]]);
    expect(await hogctl(`${line} user_2,user_9`)).toMatchObject({ code: 8 });
  });

  it('sends nothing if one of the runs cannot be written down, and leaves none behind', async () => {
    const { hogctl, sent, runs } = await twoRegions();
    const line = `persons bulk-delete --emails ${addresses(1, 2)} --projects eu,us --yes`;
    // Both runs get the same name.
    const { code, stderr } = await hogctl(line, { random: () => 0.5 });
    expect([code, stderr]).toEqual([2, expect.stringContaining('the run cannot be written to')]);
    expect([sent(), runs()]).toEqual([[[], []], []]);
  });

  it('does not delete those who are excepted, in any of the projects', async () => {
    const { hogctl, sent } = await twoRegions();
    const folder = temporaryDirectory();
    const [list, hold, receipt] = ['list.csv', 'hold.csv', 'answer.csv'].map((name) => join(folder, name));
    writeFileSync(list ?? '', 'project,email\nx,user_3@example.org\nx,user_1@example.org\n');
    writeFileSync(hold ?? '', 'email\nuser_3@example.org\n');
    const line = `persons bulk-delete --from ${list} --as emails --column email --except ${hold} --projects eu,us`;
    const dry = await hogctl(`${line} --dry-run`);
    expect([dry.code, dry.stdout], dry.stderr).toEqual([
      0,
      expect.stringMatching(/^us +http:\S+ +2 +0 +1 +1 +0$/m),
    ]);
    const { code, stderr } = await hogctl(`${line} --receipt ${receipt} --yes`);
    expect([code, sent()], stderr).toEqual([0, [[['1']], []]]);
    expect(
      readFileSync(receipt ?? '', 'utf8')
        .trim()
        .split('\n'),
    ).toEqual([
      'project,email,line,outcome,projects,person,remark',
      'x,user_3@example.org,2,excepted,eu: nobody; us: excepted,,',
      `x,user_1@example.org,3,deleted,eu: deleted; us: nobody,eu: ${person(1).uuid},`,
    ]);
  });

  it('reads the legal holds of all projects before the first of them is asked', async () => {
    const hold = join(temporaryDirectory(), 'hold.csv');
    writeFileSync(hold, 'email\nuser_2@example.org\n');
    const { hogctl, eu, us, sent } = await twoRegions({}, { us: `--except ${hold} --except-as emails` });
    const line = '--projects eu,us --yes';
    const before = [eu.log.length, us.log.length];
    writeFileSync(hold, 'email\n');
    for (const command of [
      `persons bulk-delete --emails ${addresses(1, 2)}`,
      'persons delete --email user_1@example.org',
    ]) {
      const { code, stderr } = await hogctl(`${command} ${line}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('legal hold of project us cannot be used')]);
    }
    expect([eu.log.length, us.log.length]).toEqual(before);
    writeFileSync(hold, 'email\nuser_2@example.org\n');
    const { code } = await hogctl(`persons bulk-delete --emails ${addresses(1, 2)} ${line}`);
    expect([code, sent()]).toEqual([0, [[['1', '2']], []]]);
  });

  it.each([
    ['Ctrl-C', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
  ])('stops between two projects on %s, and goes on with the request', async (_, reason, code) => {
    const { hogctl, eu, us, sent, requests } = await twoRegions();
    const stop = new AbortController();
    eu.whenDeleting(() => stop.abort(reason));
    const line = `persons bulk-delete --emails ${addresses(2)} --projects eu,us --yes`;
    const broken = await hogctl(line, { signal: stop.signal });
    expect(broken, broken.stderr).toMatchObject({ code });
    expect(broken.stderr).toContain('1 of 2 projects is not done: us (not begun)');
    expect(sent()).toEqual([[['2']], []]);
    const [name = ''] = requests();
    const resumed = await hogctl(`runs resume ${name} --yes`);
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    expect(resumed.stderr.match(/To ask what is left.*\n.*/g)).toEqual([
      expect.stringContaining(`hogctl runs verify ${name}`),
    ]);
    expect([sent(), us.there]).toEqual([[[['2']], [['2']]], new Set([3])]);
    expect(await hogctl(`runs resume ${name} --yes`)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[['2']], [['2']]]);
  });

  it('stops a request that is resumed between two projects on Ctrl-C', async () => {
    const { hogctl, eu, sent, requests } = await twoRegions();
    await hogctl(`persons bulk-delete --emails ${addresses(2)} --projects eu,us --plan-only`);
    const stop = new AbortController();
    eu.whenDeleting(() => stop.abort('SIGINT'));
    const { code, stderr } = await hogctl(`runs resume ${requests()[0]} --yes`, { signal: stop.signal });
    expect([code, sent()]).toEqual([130, [[['2']], []]]);
    expect(stderr).toContain('1 of 2 projects is not done: us (not begun)');
    expect(await hogctl(`runs resume ${requests()[0]} --yes`)).toMatchObject({ code: 0 });
  });

  it('says that it keeps the persons, if only what is theirs is to be deleted', async () => {
    const { hogctl, sent } = await twoRegions({}, { eu: '--dialect live', us: '--dialect live' });
    const words = '--keep-person --delete-recordings --projects eu,us';
    const { code, stderr } = await hogctl(`persons delete --email user_2@example.org ${words}`, {
      answers: ['n'],
    });
    expect([code, sent()]).toEqual([7, [[], []]]);
    expect(stderr).toContain('This will keep these persons and request the deletion of their recordings');
  });

  it('refuses to keep the persons if nothing of theirs is to be deleted', async () => {
    const { hogctl, eu, us, requests } = await twoRegions({}, { eu: '--dialect live', us: '--dialect live' });
    for (const line of ['delete --email user_2@example.org', 'bulk-delete --emails user_2@example.org'])
      for (const where of ['--projects eu,us', '--project eu'])
        for (const how of ['--yes', '--dry-run']) {
          const { code, stderr } = await hogctl(`persons ${line} --keep-person ${where} ${how}`);
          expect([code, stderr.split('\n')[0]]).toEqual([
            2,
            'error: --keep-person without --delete-events or --delete-recordings deletes nothing',
          ]);
        }
    const aboutPeople = [...eu.log, ...us.log].filter(({ url }) => url.includes('/persons/'));
    expect([aboutPeople, requests()]).toEqual([[], []]);
  });

  it('wants each protected project named', async () => {
    const { hogctl, sent } = await twoRegions({}, { eu: '--protected', us: '--protected' });
    const line = `persons bulk-delete --emails ${addresses(2)} --projects eu,us`;
    for (const [words, message] of [
      ['--yes', 'projects eu and us must be confirmed by name'],
      ['--yes --confirm eu', 'project us must be confirmed by name'],
      ['--yes --confirm eu --confirm us --confirm it', '--confirm names "it", but the projects are eu, us'],
    ] as const) {
      const { code, stderr } = await hogctl(`${line} ${words}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await hogctl(line, { answers: ['2'] })).toMatchObject({ code: 7 });
    expect(sent()).toEqual([[], []]);
    expect(await hogctl(line, { answers: ['eu,us'] })).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[['2']], [['2']]]);
    const other = `persons bulk-delete --emails ${addresses(1)} --projects eu,us --yes --confirm eu`;
    expect(await hogctl(other)).toMatchObject({ code: 0 });
  });

  it('shows a dry run with a row for each line and project, also of all', async () => {
    const { hogctl, sent, runs } = await twoRegions();
    const line = `persons bulk-delete --emails ${addresses(1)} --dry-run`;
    const { code, stdout, stderr } = await hogctl(`${line} --projects all -o csv`);
    expect(code, stderr).toBe(0);
    expect(stdout.trim().split('\n')).toEqual([
      'project,line,given,kind,outcome,person,name',
      `eu,,user_1@example.org,emails,found,${person(1).uuid},person 1`,
      'us,,user_1@example.org,emails,nobody,,',
    ]);
    const table = await hogctl(`${line} --projects eu,us`);
    expect(table.stdout).toMatch(/^eu +http:\S+ +1 +1 +0 +0 +1$/m);
    expect(
      await hogctl(`persons bulk-delete --emails ${addresses(9)} --dry-run --projects eu,us`),
    ).toMatchObject({
      code: 3,
    });
    expect([sent(), runs()]).toEqual([[[], []], []]);
  });

  it('sends nothing anywhere if one plan fails', async () => {
    const { hogctl, sent, runs } = await twoRegions({ us: [2] });
    const line = `persons bulk-delete --emails ${addresses(1, 2)} --projects us,eu --yes`;
    const { code, stderr } = await hogctl(`${line} --max 1`);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: eu: .*nothing was deleted in any project$/m),
    ]);
    expect(await hogctl(line, { environment: { HOGCTL_PROTECTED: '1' } })).toMatchObject({ code: 2 });
    expect([sent(), runs()]).toEqual([[[], []], []]);
  });

  it.each([
    ['--ids 1 --projects eu,us', 'a person id is only valid in one project'],
    ['1 --projects eu,us', 'a person id is only valid in one project'],
    ['--distinct-ids a --projects eu,us -p eu', '--project and --projects cannot be used together'],
    ['--distinct-ids a --projects eu,us --host eu', '--host and --projects cannot be used together'],
    ['--distinct-ids a --projects eu,it', 'the stored project "it" was not found'],
    ['--distinct-ids a --projects eu,eu', '--projects names project 7 at'],
    ['--distinct-ids a --projects all', '--projects all can only be used with persons export or --dry-run'],
  ])('refuses %s', async (words, message) => {
    const { hogctl, sent, runs } = await twoRegions();
    const { code, stderr } = await hogctl(`persons bulk-delete --yes ${words}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect([sent(), runs()]).toEqual([[[], []], []]);
  });

  it('writes down the odd lines that it leaves out, but in a dry run, and ends with 8', async () => {
    const { hogctl, sent } = await twoRegions();
    const folder = temporaryDirectory();
    const list = join(folder, 'list.csv');
    writeFileSync(list, 'email\nuser_1@example.org\n\u200buser_2@example.org\n');
    const line = `persons bulk-delete --from ${list} --as emails --column email --projects eu,us`;
    const dry = await hogctl(`${line} --dry-run --odd skip`);
    expect([dry.code, sent()], dry.stderr).toEqual([8, [[], []]]);
    const done = await hogctl(`${line} --yes --odd skip`);
    expect([done.code, sent()], done.stderr).toEqual([8, [[['1']], []]]);
    expect(done.stderr).toContain('line 3: left out, characters that cannot be seen');
    // Nothing is left that could be sent.
    expect(done.stderr).toMatch(/^error: eu, us: the run is not complete: 1 line was left out$/m);
    expect(done.stderr).toMatch(/^hint: correct these lines and give them in a file of their own$/m);
  });

  it('plans nothing where nobody is to be deleted in any project', async () => {
    const { hogctl, sent, runs, requests } = await twoRegions();
    const { stderr } = await hogctl(
      `persons bulk-delete --emails ${addresses(9)} --projects eu,us --plan-only --ignore-missing --yes`,
    );
    expect(stderr).toContain('No person is to be deleted in any of the projects.');
    expect([sent(), runs(), requests()]).toEqual([[[], []], [], []]);
  });

  it('takes stored keys only, whatever the environment names', async () => {
    const { hogctl, eu, us } = await twoRegions();
    const environment = {
      HOGCTL_API_KEY: 'phx_other_0123456789',
      HOGCTL_PROJECT: '9',
      HOGCTL_HOST: eu.origin,
    };
    const line = `persons bulk-delete --emails ${addresses(2)} --projects eu,us --yes`;
    expect(await hogctl(line, { environment })).toMatchObject({ code: 0 });
    for (const { log, name } of [eu, us])
      expect(new Set(log.map(({ headers }) => headers.authorization))).toEqual(
        new Set([`Bearer ${keyOf(name)}`]),
      );
  });

  it('writes plans down with --plan-only, which the request carries out', async () => {
    const { hogctl, sent, requests } = await twoRegions();
    const planned = await hogctl(`persons bulk-delete --emails ${addresses(2)} --projects eu,us --plan-only`);
    expect(planned, planned.stderr).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[], []]);
    expect(await hogctl(`runs resume ${requests()[0]} --yes`)).toMatchObject({ code: 0 });
    expect(sent()).toEqual([[['2']], [['2']]]);
  });
});
