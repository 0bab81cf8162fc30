import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Dialect } from '../../src/service/endpoint.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

const THURSDAY = Date.parse('2026-06-18T12:00:00Z');
const people = ['ana', 'bo', 'cy', 'ANA'];
const data = {
  persons: people.map((name, index) => ({
    distinct_ids: [`user_${index}`, `phone_${index}`],
    properties: { email: `${name}@example.org` },
  })),
  events: people.map((_, index) => ({
    event: 'visit',
    distinct_id: `user_${index}`,
    timestamp: '2026-06-11T08:00:00Z',
  })),
};
const list = `Ticket;E-Mail
R-1;Ana@example.org
R-2;bo@example.org
R-3;nobody@example.org
R-4;
`;

/** A sandbox, and the program pointed at it; a minute passes from command to command. */
async function startErasing(dialect: Dialect) {
  const sandbox = await borrowSandbox({ dialect, now: new Date(THURSDAY).toISOString(), data });
  onTestFinished(() => sandbox.stop());
  const folder = temporaryDirectory();
  const file = (name: string) => join(folder, name);
  writeFileSync(file('list.csv'), list);
  let minute = 0;
  const hogctl = (line: string) => {
    minute += 1;
    const now = THURSDAY + minute * 60_000;
    return runProgram(splitWords(line), {
      now: () => now,
      environment: {
        ...sandboxEnvironment(sandbox, dialect),
        HOGCTL_STATE_DIR: file('state'),
      },
    });
  };
  const receipt = () => readFileSync(file('receipt.csv'), 'utf8').trimEnd().split('\n');
  return { hogctl, file, receipt, advance: (to: string) => hogctl(`sandbox advance --to ${to}`) };
}

const from = (file: string) => `--from ${file} --column E-Mail --as emails`;

describe.each<Dialect>(['live', 'specification'])('a list of addresses, %s dialect', (dialect) => {
  it('is answered by verify, line by line, with what is proven', async () => {
    const { hogctl, file, receipt, advance } = await startErasing(dialect);
    const list = from(file('list.csv'));
    const erase = `persons bulk-delete ${list} --odd skip --max 9 --delete-events --yes`;
    expect(await hogctl(erase)).toMatchObject({ code: 8 });
    const early = await hogctl(`runs verify last ${list} --receipt ${file('receipt.csv')}`);
    expect(early, early.stderr).toMatchObject({ code: 9 });
    expect(statSync(file('receipt.csv')).mode & 0o777).toBe(0o600);
    const [heading, ...rows] = receipt();
    expect(heading).toBe('Ticket,E-Mail,line,outcome,person,remark,proven');
    // What the service queued has gone once that is proven.
    const ofLive = (proven: string) => (proven === 'no' ? 'queued' : 'gone');
    const wordOf = (proven: string) => (dialect === 'live' ? ofLive(proven) : 'deleted');
    const pattern = (row: string, proven: string) =>
      expect.stringMatching(
        new RegExp(`^${row},${wordOf(proven)},[0-9a-f-]{36}( [0-9a-f-]{36})?,,${proven}$`),
      );
    const expected = (proven: string) => [
      pattern('R-1,Ana@example.org,2', proven),
      pattern('R-2,bo@example.org,3', proven),
      'R-3,nobody@example.org,4,nobody,,,',
      'R-4,"",5,odd,,an empty address,',
    ];
    expect(rows).toEqual(expected('no'));
    expect(await advance('2026-06-21T06:00:00Z')).toMatchObject({ code: 0 });
    const late = await hogctl(`runs verify last ${list} --force --receipt ${file('receipt.csv')}`);
    expect(late, late.stderr).toMatchObject({ code: 0 });
    expect(receipt().slice(1)).toEqual(expected('person list and sql'));
    const run = join(file('state'), 'runs', readdirSync(join(file('state'), 'runs'))[0] ?? '');
    expect(readdirSync(run)).not.toContain('ids');
    for (const name of readdirSync(run))
      expect(readFileSync(join(run, name), 'utf8')).not.toMatch(/@example|R-1/);
  });

  it('is answered from the record once the ids have gone, if that was proved', async () => {
    const { hogctl, file, receipt } = await startErasing(dialect);
    writeFileSync(file('one.csv'), 'E-Mail;Ticket\nbo@example.org;R-2\n');
    const list = `${from(file('one.csv'))} --force --receipt ${file('receipt.csv')}`;
    expect(await hogctl(`persons bulk-delete ${list} --yes`)).toMatchObject({ code: 0 });
    expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
    const unproved = await hogctl(`runs verify last ${list}`);
    expect(unproved).toMatchObject({ code: 9 });
    expect(unproved.stderr).toContain('the ids were removed from the record before all was known to be done');
    expect(await hogctl(`persons bulk-delete --emails cy@example.org --yes`)).toMatchObject({ code: 0 });
    expect(await hogctl('runs verify last')).toMatchObject({ code: 0 });
    writeFileSync(file('one.csv'), 'E-Mail;Ticket\n CY@example.org;R-3\n');
    const again = await hogctl(`runs verify last ${list}`);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(receipt()[1]).toMatch(/^" CY@example.org",R-3,2,\w+,,,person list and sql$/);
  });

  it('is proven for nobody if the ids were given up before', async () => {
    const { hogctl, file, receipt } = await startErasing(dialect);
    const list = `${from(file('list.csv'))} --receipt ${file('receipt.csv')}`;
    await hogctl('persons bulk-delete --emails bo@example.org --delete-events --yes');
    expect(await hogctl('runs verify last')).toMatchObject({ code: 9 });
    expect(await hogctl('runs prune last --yes')).toMatchObject({ code: 0 });
    const { code, stderr } = await hogctl(`runs verify last ${list}`);
    expect([code, stderr]).toEqual([9, expect.stringContaining('The record has no ids any more')]);
    expect(receipt().filter((row) => row.includes('person list'))).toEqual([]);
  });

  it('is proven for no id of a plan that nobody agreed to, ids of nobody included', async () => {
    const { hogctl, file, receipt } = await startErasing(dialect);
    writeFileSync(file('ids.txt'), 'user_1\nphone_1\nuser_2\nnobody\n');
    const list = `--from ${file('ids.txt')} --as distinct-ids`;
    expect(await hogctl(`persons bulk-delete ${list} --plan-only --yes`)).toMatchObject({ code: 0 });
    expect(await hogctl('persons delete --distinct-id user_2 --yes')).toMatchObject({ code: 0 });
    const run = JSON.parse((await hogctl('runs list -o json')).stdout)[0].run;
    const { code } = await hogctl(`runs verify ${run} ${list} --receipt ${file('receipt.csv')}`);
    expect(code).toBe(9);
    const proven = receipt().map((row) => row.replace(/^(\w+),.*,(\w*)$/, '$1 $2'));
    expect(proven).toEqual(['given proven', 'user_1 no', 'phone_1 no', 'user_2 no', 'nobody no']);
  });

  it('tells of ids that were given with --trim what became of them', async () => {
    const { hogctl, file, receipt } = await startErasing(dialect);
    writeFileSync(file('ids.txt'), ' user_1\nuser_2 \n phone_9\n');
    const list = `--from ${file('ids.txt')} --as distinct-ids`;
    const planned = await hogctl(`persons bulk-delete ${list} --trim --yes`);
    expect(planned, planned.stderr).toMatchObject({ code: 0 });
    await hogctl(`runs verify last ${list} --receipt ${file('receipt.csv')}`);
    const proven = receipt().map((row) => row.replace(/^([^,]+),\d,(\w*),[^,]*,,(.*)$/, '$1 $2 $3'));
    expect(proven.slice(1)).toEqual([
      expect.stringMatching(/^" user_1" (deleted|gone) person list and sql$/),
      expect.stringMatching(/^"user_2 " (deleted|gone) person list and sql$/),
      '" phone_9" nobody ',
    ]);
  });

  it('is answered by resume as well', async () => {
    const { hogctl, file, receipt } = await startErasing(dialect);
    const plan = `persons bulk-delete --emails ana@example.org,bo@example.org --max 3 --plan-only --yes`;
    expect(await hogctl(plan)).toMatchObject({ code: 0 });
    const list = `${from(file('list.csv'))} --receipt ${file('receipt.csv')}`;
    const resumed = await hogctl(`runs resume 2026 ${list} --yes --project 1`);
    expect(resumed, resumed.stderr).toMatchObject({ code: 8 });
    expect(resumed.stderr).toContain('1 line of the list is not in this run');
    expect(receipt()).toHaveLength(5);
    expect(receipt()[3]).toBe('R-3,nobody@example.org,4,not in this run,,');
  });
});

it.each([
  ['persons bulk-delete', '--receipt list.csv', '--receipt and --from'],
  ['persons bulk-delete', '--except hold.csv --receipt hold.csv', '--receipt and --except'],
  ['persons bulk-delete', '--receipt link.csv', '--receipt and --from'],
  ['persons bulk-delete', '--dry-run -o csv --save list.csv', '--save and --from'],
  ['runs resume 2026', '--receipt list.csv', '--receipt and --from'],
  ['runs verify last', '--receipt list.csv', '--receipt and --from'],
])('%s refuses files that would take the place of one another: %s', async (command, more, text) => {
  const { hogctl, file } = await startErasing('specification');
  const plan = 'persons bulk-delete --emails ana@example.org,bo@example.org --max 3 --plan-only --yes';
  expect(await hogctl(plan)).toMatchObject({ code: 0 });
  symlinkSync(file('list.csv'), file('link.csv'));
  writeFileSync(file('hold.csv'), 'E-Mail\nbo@example.org\n');
  const words = more.replaceAll(/(?<= )\S+\.csv/g, (name) => file(name));
  const yes = command.startsWith('runs verify') ? '' : '--yes --project 1';
  const { code, stderr } = await hogctl(`${command} ${from(file('list.csv'))} ${words} ${yes}`);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${text} name one file`)]);
  expect(readFileSync(file('list.csv'), 'utf8')).toBe(list);
});

it('is written over no other file before anything is sent, but with --force', async () => {
  const { hogctl, file, receipt } = await startErasing('live');
  writeFileSync(file('receipt.csv'), 'an older answer\n');
  const line = `persons bulk-delete --emails bo@example.org --receipt ${file('receipt.csv')} --yes`;
  const { code, stderr } = await hogctl(line);
  expect([code, stderr]).toEqual([2, expect.stringContaining('is there already\nhint: name another file')]);
  expect(receipt()).toEqual(['an older answer']);
  expect(JSON.parse((await hogctl('runs list -o json')).stdout)).toEqual([]);
  expect(await hogctl(`${line} --force`)).toMatchObject({ code: 0 });
  expect(receipt()[0]).toBe('given,line,outcome,person,remark');
});

it('is refused for a selection, which has no list', async () => {
  const { hogctl, file } = await startErasing('live');
  const line = `persons bulk-delete --property email:exact=bo@example.org --receipt ${file('receipt.csv')} --max 1 --yes`;
  expect(await hogctl(line)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--receipt answers a list, and a selection has none'),
  });
  expect(readdirSync(file('.'))).not.toContain('receipt.csv');
});

it('remarks whom an earlier run erased, and keeps excepted what was excepted', async () => {
  const { hogctl, file, receipt } = await startErasing('live');
  writeFileSync(
    file('two.csv'),
    'E-Mail;Ticket\nbo@example.org;R-1\ncy@example.org;R-2\nANA@example.org;R-3\n',
  );
  writeFileSync(file('hold.csv'), 'email\ncy@example.org\n');
  expect(await hogctl('persons bulk-delete --emails BO@example.org --yes')).toMatchObject({ code: 0 });
  const list = `${from(file('two.csv'))} --force --receipt ${file('receipt.csv')}`;
  const hold = `--except ${file('hold.csv')} --except-as emails`;
  expect(await hogctl(`persons bulk-delete ${list} ${hold} --max 3 --yes`)).toMatchObject({ code: 0 });
  const rows = [
    'bo@example.org,R-1,2,nobody,,"erased before, 2026-06-18"',
    'cy@example.org,R-2,3,excepted,,',
    expect.stringMatching(/^ANA@example.org,R-3,4,gone,/),
  ];
  expect(receipt().slice(1)).toEqual(rows);
  expect(await hogctl(`runs verify last ${list}`)).toMatchObject({ code: 0 });
  const later = await hogctl(`runs verify last ${list}`);
  expect(later).toMatchObject({ code: 0, stderr: expect.stringContaining('so nothing was asked') });
  expect(receipt().slice(1, 3)).toEqual([`${rows[0]},`, `${rows[1]},`]);
});
