import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted } from '../support/bulk-deletions.ts';
import { runProgram } from '../support/run-program.ts';
import { runsOf } from '../support/runs-of.ts';
import { person, startWithoutSql, startWithPeople, temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';
import { answerFrom } from '../support/two-stores.ts';

/** Somebody else, who is always there. */
const bystander = person(999);

it('guards a project under its other name, and names the one of the plan', async () => {
  const { environment: all, log } = await startWithoutSql([
    { on: /^GET .*\/persons\//, times: 9, json: { next: null, results: [person(1)] } },
    { on: /^GET/, times: 9, json: { id: 1, name: 'Shop', results: [] } },
    allDeleted,
  ]);
  const { HOGCTL_CONFIG_DIR = '', HOGCTL_STATE_DIR = '', HOGCTL_HOST, HOGCTL_API_KEY } = all;
  const environment = { HOGCTL_CONFIG_DIR, HOGCTL_STATE_DIR };
  const hogctl = (line: string, stdin = '') => runProgram(splitWords(line), { environment, stdin });
  for (const name of ['other', 'live-shop --protected']) {
    const login = `auth login --host ${HOGCTL_HOST} --project 1 --dialect specification --key-stdin --name ${name}`;
    expect(await hogctl(login, `${HOGCTL_API_KEY}\n`)).toMatchObject({ code: 0 });
  }
  await hogctl('auth use other');
  const deletion = 'persons bulk-delete --distinct-ids user_1 --yes --project';
  expect(await hogctl(`${deletion} other`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('add --confirm other'),
  });
  expect(await hogctl(`${deletion} live-shop --plan-only`)).toMatchObject({ code: 0 });
  const { code, stderr } = await hogctl('runs resume 2026 --yes --confirm live-shop');
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --project live-shop')]);
  expect(log.filter(({ method }) => method === 'POST')).toEqual([]);
});

describe('a dry run', () => {
  const list = 'Ticket;Customer\nT1;user_1\nT2;nobody\nT3;user_1\nT4;null\n';
  const line = 'persons bulk-delete --from - --as distinct-ids --column Customer --dry-run';
  const found = { ...person(1), name: 'Ana', distinct_ids: ['user_1'] };
  const serve = () => startWithoutSql([answerFrom({ listed: [found, bystander] })]);

  it.each(['live', 'specification'])('tells what becomes of each line, dialect %s', async (dialect) => {
    const { hogctl, log } = await serve();
    const setting = { stdin: list, environment: { HOGCTL_DIALECT: dialect } };
    const { code, stdout, stderr } = await hogctl(`${line} -o csv`, setting);
    expect(stdout.trim().split('\n')).toEqual([
      'line,given,kind,outcome,person,name,reason',
      `2,user_1,distinct-ids,found,${found.uuid},Ana,`,
      '3,nobody,distinct-ids,nobody,,,',
      `4,user_1,distinct-ids,found,${found.uuid},Ana,`,
      '5,null,distinct-ids,odd,,,"a word or sign for no value, like null"',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('(line 5: a word or sign for no value, like null)'),
    ]);
    expect(log.every(({ url }) => !url.includes('bulk_delete'))).toBe(true);
  });

  it('says for people in sentences what would be done, and lists the lines when ids may be shown', async () => {
    const { hogctl } = await serve();
    const setting = { stdin: list, environment: { HOGCTL_DIALECT: 'live' } };
    const counts = await hogctl(`${line} --odd send`, setting);
    expect(counts.stdout).toMatch(/^Project 1 at http.*\n.* different ids .*\n/);
    expect(counts.stdout).toMatch(/\d persons? found by look-up; 2 ids without a person, not sent\n/);
    const ofNobody = await hogctl('persons bulk-delete --distinct-ids nobody --delete-events --dry-run');
    expect(ofNobody.stdout).not.toMatch(/their|stay;/);
    expect(counts.stdout).not.toMatch(/[a-z]_[a-z]/);
    expect(counts.stdout + counts.stderr).not.toContain('user_1');
    const { code, stdout } = await hogctl(`${line} --odd send --show-ids`, setting);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n +3 +nobody +distinct-ids +nobody/);
  });
});

describe('a receipt', () => {
  const list = 'Ticket;Customer;line\nREQ-1;user_1;x\nREQ-2;nobody;y\nREQ-3;user_1;"a;b"\n';
  const from = '--from - --as distinct-ids --column Customer --receipt';
  const known = { ...person(1), distinct_ids: ['user_1'] };
  const environment = { HOGCTL_DIALECT: 'live' };
  const serve = () => {
    let listed = [known, bystander];
    return startWithoutSql([
      (received) => {
        if (!received.url.includes('bulk_delete')) return answerFrom({ listed })(received);
        listed = [bystander];
        return allDeleted(received);
      },
    ]);
  };
  const answer = (outcome: string) => [
    'Ticket,Customer,line,hogctl_line,outcome,person,remark',
    `REQ-1,user_1,x,2,${outcome},${known.uuid},`,
    'REQ-2,nobody,y,3,nobody,,',
    `REQ-3,user_1,a;b,4,${outcome},${known.uuid},`,
  ];

  it('answers the list with its own columns, which the record of the run does not hold', async () => {
    const service = await serve();
    const file = join(temporaryDirectory(), 'receipt.csv');
    const line = ['persons', 'bulk-delete', ...splitWords(from), file, '--yes'];
    expect(await service.hogctl(line, { stdin: list, environment })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(answer('deleted'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [run = ''] = runsOf(service);
    for (const name of readdirSync(run))
      expect(readFileSync(join(run, name), 'utf8')).not.toMatch(/REQ-|Ticket/);
  });

  it('has the format of its name, whatever is printed', async () => {
    const service = await serve();
    const file = join(temporaryDirectory(), 'receipt.csv');
    const line = ['persons', 'bulk-delete', ...splitWords(from), file, '--yes', '-o', 'json'];
    const { stdout } = await service.hogctl(line, { stdin: list, environment });
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'done' });
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(answer('deleted'));
  });

  it('is written by resume from the list that is given again, lines of others included', async () => {
    const service = await serve();
    const file = join(temporaryDirectory(), 'receipt.csv');
    const plan = `persons bulk-delete ${from.replace('--receipt', '--plan-only')} --yes`;
    const early = await service.hogctl([...splitWords(plan), '--receipt', file], {
      stdin: list,
      environment,
    });
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('runs resume') });
    expect(await service.hogctl(plan, { stdin: list, environment })).toMatchObject({ code: 0 });
    const resume = ['runs', 'resume', '2026', '--yes', ...splitWords(from), file];
    const more = `${list}REQ-4;other;z\n`;
    expect(await service.hogctl(resume, { stdin: more, environment })).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('1 line of the list is not in this run'),
    });
    const rows = [...answer('deleted'), 'REQ-4,other,z,5,not in this run,,'];
    expect(readFileSync(file, 'utf8').trim().split('\n')).toEqual(rows);
    const without = await service.hogctl(['runs', 'resume', '2026', '--yes', '--force', '--receipt', file], {
      environment,
    });
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('add --from') });
  });
});

it('keeps the pace of the plan, which each command shows', async () => {
  const { hogctl, log } = await startWithPeople([allDeleted]);
  const pace = 'at most 30 a minute, 2 at the same time';
  const line = 'persons bulk-delete --distinct-ids u1,u2,u1 --batch-size 1 --yes';
  const planned = await hogctl(`${line} --rate 30 --concurrency 2 --plan-only`);
  expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining(pace)]);
  expect(planned.stderr).toContain('2 different ids of 3 given, 1 repeat dropped');
  const again = await hogctl(line);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('and not yet confirmed')]);
  expect(again.stderr).toMatch(/hint: hogctl runs resume \S+ carries that plan out/);
  for (const command of ['show last', 'resume 2026 --yes'])
    expect(await hogctl(`runs ${command}`)).toMatchObject({ stderr: expect.stringContaining(pace) });
  expect(log.filter(({ url }) => url.includes('bulk_delete'))).toHaveLength(2);
});
