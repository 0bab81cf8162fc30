import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { person, startWithoutSql, startWithPeople, temporaryDirectory } from '../support/service.ts';

function fileOf(text: string): string {
  const file = join(temporaryDirectory(), 'people.csv');
  writeFileSync(file, text);
  return file;
}

const damaged = ['1.23E+15', 'null', '#N/A', 'ana\u200b@example.org', 'bo '];
const inputs: readonly (readonly [string, string, string])[] = [
  ['a list', ['u1', ...damaged].join('\n'), ''],
  ['a CSV', ['id,who', 'u1,x', ...damaged.map((id) => `"${id}",x`)].join('\r\n'), '--column id'],
  ['JSON lines', ['u1', ...damaged].map((id) => JSON.stringify({ id })).join('\n'), ''],
];

describe('ids that a spreadsheet or a script damaged', () => {
  it.each(inputs)('are refused before anything is sent, in %s', async (_, content, more) => {
    const service = await startWithPeople([]);
    const file = fileOf(content);
    const line = `persons bulk-delete --from ${file} --as distinct-ids ${more}`;
    for (const how of ['--yes', '--dry-run', '--plan-only']) {
      const { code, stdout, stderr } = await service.hogctl(`${line} ${how}`);
      const first = content.startsWith('id,') ? 3 : 2;
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`error: 5 of the ids in ${file} look damaged:\n  line ${first}: a number as`);
      expect(stderr).toContain(`\n  line ${first + 1}: a word or sign for no value, like null\n`);
      expect(stderr).toContain('--odd send');
      for (const id of damaged) expect(stderr).not.toContain(`"${id}"`);
    }
    expect(service.log).toEqual([]);
  });

  it('are refused as arguments and from standard input', async () => {
    const service = await startWithPeople([]);
    const given = await service.hogctl('persons bulk-delete --distinct-ids u1,undefined --yes');
    expect(given).toMatchObject({ code: 2, stdout: '' });
    expect(given.stderr).toContain('1 of the ids in the arguments looks damaged (argument 2: ');
    const piped = await service.hogctl('persons bulk-delete --from - --as distinct-ids --yes', {
      stdin: 'u1\nundefined\n',
    });
    expect(piped).toMatchObject({ code: 2, stdout: '' });
    expect(piped.stderr).toContain('1 of the ids in standard input looks damaged (line 2: ');
    expect(service.log).toEqual([]);
  });

  it.each(inputs)('are looked up exactly as they are where that is said, in %s', async (_, content, more) => {
    const service = await startWithPeople([allDeleted]);
    const line = `persons bulk-delete --from ${fileOf(content)} --as distinct-ids ${more} --odd send --yes`;
    const { code, stderr } = await service.hogctl(line);
    expect(code).toBe(0);
    expect(service.lookedUp).toEqual(new Set(['u1', ...damaged]));
    expect(stderr).toMatch(/warning: 5 of the ids in .* look damaged .*; used as given/);
    expect(stderr).toContain('5 ids that look damaged, used as given');
  });

  it('stand in the plan, for whoever carries it out', async () => {
    const service = await startWithPeople([allDeleted]);
    const line = 'persons bulk-delete --distinct-ids u1,null --odd send --plan-only -o json';
    const { directory, run } = JSON.parse((await service.hogctl(line)).stdout);
    expect(JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'))).toMatchObject({ oddIds: 1 });
    const resumed = await service.hogctl(`runs resume ${run} --yes`);
    expect(resumed.stderr).toContain('1 id that looks damaged, used as given');
    const report = await service.hogctl(`runs report ${run}`);
    expect(report.stdout).toContain('| Ids that look damaged | 1, used as given |');
    const evidence = await service.hogctl(`runs report ${run} -o json`);
    expect(JSON.parse(evidence.stdout)).toMatchObject({ odd_ids: 1 });
  });
});

describe('a first line that may be the name of the column', () => {
  const file = () => fileOf('user_email_hash\n9f86d081884c7d65\n60303ae22b998861\n');
  const line = () => `persons bulk-delete --from ${file()} --as distinct-ids --yes`;

  it('is refused before anything is sent', async () => {
    const service = await startWithPeople([]);
    const { code, stderr } = await service.hogctl(line());
    expect(code).toBe(2);
    expect(stderr).toContain('line 1: a first line that looks like the name of a column');
    expect(stderr).toContain('add --column <name> if the first line');
    expect(service.log).toEqual([]);
  });

  it('is not sent with --column, and sent with --odd send', async () => {
    const ids = ['9f86d081884c7d65', '60303ae22b998861'];
    const service = await startWithPeople([allDeleted, allDeleted]);
    expect(await service.hogctl(`${line()} --column user_email_hash`)).toMatchObject({ code: 0 });
    expect(await service.hogctl(`${line()} --odd send`)).toMatchObject({ code: 0 });
    // By then nobody has the two others any more.
    expect(service.log.map(({ json }) => idsOf({ json }).length)).toEqual([2, 1]);
    expect(service.lookedUp).toEqual(new Set(['user_email_hash', ...ids]));
  });
});

describe('--trim and --odd skip', () => {
  const content = 'ticket;id\nR-1; u1 \nR-2;null\nR-3;\nR-4;u4\nR-5;1.23E+15\n;\n';

  it('take white space off, and leave out what looks damaged, with the reason', async () => {
    const service = await startWithPeople([allDeleted]);
    const receipt = join(temporaryDirectory(), 'receipt.csv');
    const line = `persons bulk-delete --from ${fileOf(content)} --as distinct-ids --column id`;
    const { code, stderr } = await service.hogctl(`${line} --trim --odd skip --receipt ${receipt} --yes`);
    expect(code).toBe(8);
    expect(service.log.map(({ json }) => json)).toEqual([{ ids: ['1', '4'] }]);
    expect(readFileSync(receipt, 'utf8').trimEnd().split('\n')).toEqual([
      'ticket,id,line,outcome,person,remark',
      `R-1," u1 ",2,deleted,${person(1).uuid},`,
      'R-2,null,3,odd,,"a word or sign for no value, like null"',
      'R-3,"",4,odd,,an empty id',
      `R-4,u4,5,deleted,${person(4).uuid},`,
      'R-5,1.23E+15,6,odd,,"a number as a spreadsheet shortens it, like 1.23E+15"',
    ]);
    expect(stderr).toContain('line 3: left out, a word or sign for no value, like null\n');
    expect(stderr).toContain(
      'error: the run is not complete: 3 lines were left out\nhint: correct these lines',
    );
  });

  it('are shown by a dry run', async () => {
    const service = await startWithPeople([]);
    const line = `persons bulk-delete --from ${fileOf(content)} --as distinct-ids --column id`;
    const { code, stdout } = await service.hogctl(`${line} --trim --odd skip --dry-run -o csv`);
    expect(code).toBe(8);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'line,given,kind,outcome,person,name,reason',
      `2,u1,distinct-ids,found,${person(1).uuid},person 1,`,
      '3,null,distinct-ids,odd,,,"a word or sign for no value, like null"',
      '4,"",distinct-ids,odd,,,an empty id',
      `5,u4,distinct-ids,found,${person(4).uuid},person 4,`,
      '6,1.23E+15,distinct-ids,odd,,,"a number as a spreadsheet shortens it, like 1.23E+15"',
    ]);
  });

  it('are shown once each by a dry run of arguments', async () => {
    const service = await startWithPeople([]);
    const line = 'persons bulk-delete --distinct-ids u1,null,u2 --odd skip --dry-run -o csv';
    const { code, stdout, stderr } = await service.hogctl(line);
    expect(code).toBe(8);
    expect(stderr).toContain('an argument: left out, a word or sign');
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      `,u1,distinct-ids,found,${person(1).uuid},person 1,`,
      ',null,distinct-ids,odd,,,"a word or sign for no value, like null"',
      `,u2,distinct-ids,found,${person(2).uuid},person 2,`,
    ]);
  });

  it('tell the heading that a dry run refuses from the other lines', async () => {
    const service = await startWithPeople([]);
    const line = 'persons bulk-delete --from - --as distinct-ids --dry-run -o csv';
    const { code, stdout } = await service.hogctl(line, { stdin: 'Customer ID\nu1\n' });
    expect(code).toBe(2);
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^1,Customer ID,distinct-ids,odd,,,.+/),
      `2,u1,distinct-ids,found,${person(1).uuid},person 1,`,
    ]);
  });

  it('end with 0 where nothing is left out', async () => {
    const service = await startWithPeople([allDeleted]);
    const line = 'persons bulk-delete --distinct-ids u1 --odd skip --yes';
    expect(await service.hogctl(line)).toMatchObject({ code: 0 });
  });

  it('leave out a heading, and white space if it is not taken off', async () => {
    const service = await startWithPeople([allDeleted]);
    const line = 'persons bulk-delete --from - --as distinct-ids --odd skip --yes';
    const { code } = await service.hogctl(line, { stdin: 'Customer ID\nu1\nu2 \n' });
    expect(code).toBe(8);
    expect(service.log.map(({ json }) => json)).toEqual([{ ids: ['1'] }]);
  });

  it('name the first ten lines', async () => {
    const service = await startWithPeople([]);
    const stdin = Array.from({ length: 12 }, () => 'null').join('\n');
    const line = 'persons bulk-delete --from - --as distinct-ids --odd skip --yes';
    const { code, stderr } = await service.hogctl(line, { stdin });
    expect([code, stderr.match(/left out, a word/g)?.length]).toEqual([8, 10]);
    expect(stderr).toContain('and 2 more lines are left out; --dry-run -o csv shows all');
  });
});

describe('one person named by what a script left of an id', () => {
  it.each([
    [
      'persons delete --distinct-id null',
      'the distinct id "null" looks damaged: a word or sign for no value',
    ],
    ['persons delete --email undefined', 'the email "undefined" looks damaged'],
  ])('is not deleted: %s', async (line, message) => {
    const service = await startWithPeople([]);
    for (const how of ['--yes', '--dry-run']) {
      const { code, stdout, stderr } = await service.hogctl(`${line} ${how}`);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`error: ${message}`);
      expect(stderr).toContain('hint: correct it, or add --odd send');
    }
    expect(service.log).toEqual([]);
  });

  it('is deleted where that is said', async () => {
    const found = { ...person(7), distinct_ids: ['null'] };
    const service = await startWithPeople([
      { on: /^GET/, json: { next: null, results: [found] } },
      { on: /^DELETE/, status: 204 },
    ]);
    const line = 'persons delete --distinct-id null --odd send --yes';
    expect(await service.hogctl(line)).toMatchObject({ code: 0 });
    expect(service.log.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  });
});

describe('a list of which every line is odd', () => {
  it.each([
    ['distinct-ids', 'id;t\nnull;R-1\n#N/A;R-2\n'],
    ['emails', 'id;t\nnull;R-1\nana;R-2\n'],
  ])('is shown and answered like others: --as %s', async (as, text) => {
    const service = await startWithoutSql([]);
    const folder = temporaryDirectory();
    const receipt = join(folder, 'receipt.csv');
    const line = `persons bulk-delete --from ${fileOf(text)} --column id --as ${as} --odd skip`;
    const dry = await service.hogctl(`${line} --dry-run -o csv --columns line,kind,outcome`);
    expect([dry.code, dry.stdout]).toEqual([8, `line,kind,outcome\n2,${as},odd\n3,${as},odd\n`]);
    const { code, stderr } = await service.hogctl(`${line} --receipt ${receipt} --yes`);
    expect([code, service.log]).toEqual([8, []]);
    expect(stderr).toContain('no line is left to look up; nothing was sent\n');
    expect(readFileSync(receipt, 'utf8')).toMatch(
      /^id,t,line,.*,remark\nnull,R-1,2,odd,,.+\n.*,R-2,3,odd,,.+\n$/,
    );
  });

  it('or some, and that is refused, counts none of them as used, and none twice', async () => {
    const service = await startWithPeople([]);
    const list = fileOf('Customer ID\nu1\nnull\n');
    const { code, stdout, stderr } = await service.hogctl(
      `persons bulk-delete --from ${list} --as distinct-ids --dry-run -o csv --columns line,outcome`,
    );
    expect([code, stdout]).toEqual([2, 'line,outcome\n1,odd\n2,found\n3,odd\n']);
    expect(stderr).toContain('\n1 id: 1 distinct id\n');
    expect(stderr).not.toContain('used as given');
    expect(stderr).toContain('error: 2 of the ids');
  });
});
