import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { person, startWithoutSql, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { conditionOf } from '../support/two-stores.ts';

const PEOPLE = [1, 2, 3].map(person);

function answer(received: Received): StubAnswer {
  if (received.url.includes('/bulk_delete/')) return allDeleted(received);
  const byId = PEOPLE.find(({ uuid }) => received.url.includes(`/persons/${uuid}/`));
  if (byId !== undefined) return { json: byId };
  return { json: { next: null, results: PEOPLE.filter(conditionOf(received)) } };
}

async function start(files: Readonly<Record<string, string>>) {
  const service = await startWithoutSql([answer]);
  const folder = temporaryDirectory();
  const file = (name: string) => join(folder, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  const from = Object.keys(files)
    .map((name) => `--from ${file(name)}`)
    .join(' ');
  const deleted = () => service.log.filter(({ url }) => url.includes('/bulk_delete/')).flatMap(idsOf);
  const read = (name: string) =>
    readFileSync(file(name), 'utf8').trimEnd().replaceAll(`${folder}/`, '').split('\n');
  return { ...service, file, from, deleted, read };
}

const LISTS = {
  'a.csv': 'ticket,id\nR-1,user_1\nR-2,user_2\n',
  'b.csv': 'id,ticket\nuser_2,R-3\nuser_3,R-4\n',
};

describe('several files of ids', () => {
  it.each([
    ['--from a.csv b.csv', '--from a.csv --from b.csv'],
    ['--from a.csv b.csv --projects shop,other', '--from a.csv --from b.csv'],
    ['--distinct-ids user_1 --except a.csv b.csv', '--except a.csv --except b.csv'],
  ])('each need their own option: %s', async (words, right) => {
    const { hogctl, log } = await start(LISTS);
    const { code, stderr } = await hogctl(`persons bulk-delete ${words} --as distinct-ids --yes`);
    expect([code, log]).toEqual([2, []]);
    expect(stderr).toContain('error: the argument "b.csv" is not a person id');
    expect(stderr).toContain(`hint: if it is a file, give each file its own option: ${right}\n`);
  });

  it('are one deletion, with the column of that name in each and repeats across them dropped', async () => {
    const { hogctl, from, deleted } = await start(LISTS);
    const { code, stderr } = await hogctl(`persons bulk-delete ${from} --as distinct-ids --column id --yes`);
    expect([code, deleted()]).toEqual([0, ['1', '2', '3']]);
    expect(stderr).toContain('3 different ids of 4 given, 1 repeat dropped');
    expect(stderr).toMatch(/^\S+b\.csv: the first line is a header \("id"\) and is not sent$/m);
  });

  it('stand with their lines in a dry run and in the receipt', async () => {
    const { hogctl, from, file, read } = await start(LISTS);
    const line = `persons bulk-delete ${from} --as distinct-ids --column id`;
    const dry = await hogctl(`${line} --dry-run -o csv --columns file,line,given --save ${file('rows.csv')}`);
    expect(dry).toMatchObject({ code: 0 });
    expect(read('rows.csv')).toEqual([
      'file,line,given',
      'a.csv,2,user_1',
      'a.csv,3,user_2',
      'b.csv,2,user_2',
      'b.csv,3,user_3',
    ]);
    expect(await hogctl(`${line} --receipt ${file('answer.csv')} --yes`)).toMatchObject({ code: 0 });
    const uuids = PEOPLE.map(({ uuid }) => uuid);
    expect(read('answer.csv')).toEqual([
      'ticket,id,file,line,outcome,person,remark',
      `R-1,user_1,a.csv,2,deleted,${uuids[0]},`,
      `R-2,user_2,a.csv,3,deleted,${uuids[1]},`,
      `R-3,user_2,b.csv,2,deleted,${uuids[1]},`,
      `R-4,user_3,b.csv,3,deleted,${uuids[2]},`,
    ]);
  });

  it('are refused together, each problem by file and line', async () => {
    const { hogctl, from, file, log } = await start({
      'a.txt': 'u1\nnull\n',
      'b.txt': 'u2\n\u0001\n',
      'c.txt': 'u3',
    });
    const { code, stderr } = await hogctl(`persons bulk-delete ${from} --as distinct-ids --yes`);
    expect(code).toBe(2);
    expect(stderr).toContain(`1 of the ids in ${file('a.txt')} looks damaged (line 2: `);
    expect(stderr).toContain(`\n${file('b.txt')}: line 2 holds a control character`);
    expect(log).toEqual([]);
  });

  it('leave out what is damaged with its file', async () => {
    const { hogctl, from, file, read, deleted } = await start({
      'a.txt': 'user_1\nnull\n',
      'b.txt': 'null\nuser_3\n',
    });
    const line = `persons bulk-delete ${from} --as distinct-ids --odd skip --yes`;
    expect(await hogctl(`${line} --receipt ${file('answer.csv')}`)).toMatchObject({ code: 8 });
    expect(deleted()).toEqual(['1', '3']);
    expect(read('answer.csv').map((row) => row.split(',').slice(1, 4))).toEqual([
      ['file', 'line', 'outcome'],
      ['a.txt', '1', 'deleted'],
      ['a.txt', '2', 'odd'],
      ['b.txt', '1', 'odd'],
      ['b.txt', '2', 'deleted'],
    ]);
  });

  it('hold addresses of nobody, told by file and line, and are found again', async () => {
    const list = { 'a.txt': 'user_1@example.org\n', 'b.txt': 'bo@example.org\nuser_3@example.org\n' };
    const { hogctl, from, deleted } = await start(list);
    const { code, stderr } = await hogctl(`persons bulk-delete ${from} --as emails --yes`);
    expect([code, deleted().length]).toEqual([0, 2]);
    expect(stderr).toMatch(/^\S+b\.txt, line 1: no person has this email$/m);
    const found = await hogctl(`runs find ${from} --as emails -o csv --columns line,given`);
    expect(found.code).toBe(9);
    expect(found.stdout).toBe('line,given\n1,user_1@example.org\n2,user_3@example.org\n');
    expect(found.stderr).toContain('2 of 3 lines name persons');
  });

  it('are excepted together', async () => {
    const { hogctl, file, from, deleted } = await start({ 'a.txt': 'user_1\nuser_2\nuser_3\n' });
    for (const id of ['1', '3']) writeFileSync(file(`hold-${id}`), `user_${id}\n`);
    const except = `--except ${file('hold-1')} --except ${file('hold-3')}`;
    const { code } = await hogctl(`persons bulk-delete ${from} ${except} --as distinct-ids --yes`);
    expect([code, deleted()]).toEqual([0, ['2']]);
  });

  it('are listed with what is damaged among them and among the arguments', async () => {
    const { hogctl, file, log } = await start({ 'a.txt': 'user_1\nnull\n' });
    const words = `--distinct-ids user_2,NaN --from ${file('a.txt')} --as distinct-ids --dry-run -o csv`;
    const { code, stdout, stderr } = await hogctl(`persons bulk-delete ${words}`);
    expect([code, stdout.match(/,odd,/g)?.length]).toEqual([2, 2]);
    expect(stderr).toMatch(/looks damaged[^\n]*\n[^\n]*looks damaged/);
    expect(log.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it.each([
    ['runs verify last --from f', '--from is the list that a receipt answers'],
    ['runs resume last --from f --as ids', '--from is the list that a receipt answers'],
    ['runs resume last --from LIST --as ids --column x --receipt g', 'the input has no column "x"'],
    ['runs verify last --from f --receipt g', '--from needs --as'],
    ['runs verify last --as ids', '--as needs --from'],
    ['runs verify last --column id', '--column needs --from'],
    ['runs verify last --sheet One', '--sheet needs --from'],
    ['persons bulk-delete --from f --yes', '--from needs --as'],
    ['persons bulk-delete --yes', 'name the people to delete'],
    ['runs check last --expect x', '--expect cannot read "x"'],
    ['runs prune last --older-than 1', '--older-than chooses among all runs'],
  ])('are needed, or not to be combined: %s', async (line, message) => {
    const { hogctl, file } = await start({ 'list.csv': 'person,ticket\n1,R-1\n' });
    expect(await hogctl('persons bulk-delete --distinct-ids user_1 --plan-only --yes')).toMatchObject({
      code: 0,
    });
    const { code, stderr } = await hogctl(line.replace('LIST', file('list.csv')));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('are excepted by addresses, of which some are of no person', async () => {
    const { hogctl, deleted, file } = await start({
      hold: 'user_1@example.org\nuser_9@example.org\n',
    });
    const line = `persons bulk-delete --ids 1,2 --except ${file('hold')} --except-as emails --yes`;
    const ids = line.replace('1,2', PEOPLE.map(({ uuid }) => uuid).join(','));
    const { code, stderr } = await hogctl(ids);
    expect([code, deleted()], stderr).toEqual([0, ['2', '3']]);
    expect(stderr).toContain(`Exceptions, from ${file('hold')}:`);
    expect(stderr).toContain('line 2: no person has this email\n');
  });

  it('name standard input once at most', async () => {
    const { hogctl, log } = await start({});
    const { code, stderr } = await hogctl('persons bulk-delete --from - --from - --as ids --yes', {
      stdin: '1',
    });
    expect([code, log]).toEqual([2, []]);
    expect(stderr).toContain('standard input can be read only once');
  });
});
