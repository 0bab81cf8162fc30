import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf, uuid } from '../support/bulk-deletions.ts';
import { runsOf } from '../support/runs-of.ts';
import { person, startService, startWithoutSql, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { answerFrom, conditionOf, known } from '../support/two-stores.ts';

const PEOPLE = [
  { email: 'Ana@Example.org' },
  { email: 'bo@example.org' },
  { email: 'BO@example.org' },
  { Email: 'cy@example.org', $email: 'CY@example.org' },
  { email: 'xana@example.org' },
  { email: 'ÄNNE@example.org' },
].map((properties, index) => ({ ...person(index + 1), uuid: uuid(index + 1), properties }));

const isDeletion = ({ url }: Pick<Received, 'url'>) => url.includes('bulk_delete');

type Query = { readonly query: { readonly query: string; readonly values?: { addresses?: string[] } } };

/** Finds people by SQL, or by the conditions of a list, as a service does. */
function answer(received: Received, { sql }: { sql: boolean }): StubAnswer {
  const { method, url, json } = received;
  if (isDeletion({ url })) return allDeleted({ json });
  if (url.includes('/query/')) {
    if (!sql) return { status: 403, json: { detail: 'missing query:read' } };
    const { query } = json as Query;
    const wanted = query.values?.addresses ?? [];
    // Like ClickHouse, whose lower() knows ASCII only.
    const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const found = PEOPLE.filter(
      ({ properties: { email = '' } }) => email !== '' && wanted.includes(lower(email)),
    );
    return { json: { results: found.map((one) => [one.uuid, one.properties.email]), columns: [] } };
  }
  expect(method).toBe('GET');
  const one = PEOPLE.find((known) => url.includes(`/persons/${known.uuid}/`));
  if (one !== undefined) return { json: one };
  return { json: { results: PEOPLE.filter(conditionOf(received)), next: null } };
}

async function start({ sql = false } = {}) {
  const service = await startService([(received) => answer(received, { sql })]);
  return { ...service, deleted: () => service.log.filter(isDeletion).map(idsOf) };
}

const ways = [
  ['SQL', { sql: true }],
  ['the person list', { sql: false }],
] as const;

describe.each(ways)('addresses looked up by %s', (_, how) => {
  it('lead to all who have them in any case, and to nobody else', async () => {
    const service = await start(how);
    const given = 'ana@example.org,bo@example.org,änne@example.org,cy@example.org,di@example.org';
    const { code, stderr } = await service.hogctl(`persons bulk-delete --emails ${given} --yes --max 4`);
    expect(code).toBe(0);
    expect(service.deleted()).toEqual([['1', '2', '3', '6']]);
    expect(stderr).toContain('address 2: all 2 persons with this address are included\n');
    expect(stderr).toContain(
      'address 4: no person has this email; another person has it as $email, Email and is not included\n',
    );
    expect(stderr).toContain('address 5: no person has this email\n');
    expect(stderr).toContain('5 addresses: 2 with one person, 1 with several, 2 with none\n');
  });

  it('need --max beside --yes if several persons have one', async () => {
    const service = await start(how);
    const refused = await service.hogctl('persons bulk-delete --emails bo@example.org --yes');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('error: 1 address belongs to several persons, so --yes needs --max');
    expect(refused.stderr).toContain('hint: add --max <n>');
    const over = await service.hogctl('persons bulk-delete --emails bo@example.org --yes --max 1');
    expect(over.code).toBe(2);
    expect(service.deleted()).toEqual([]);
  });

  it('of nobody end with 3, and not as people who are gone', async () => {
    const service = await start(how);
    const missing = 'persons bulk-delete --emails di@example.org --yes';
    const { code, stderr } = await service.hogctl(missing);
    expect(code).toBe(3);
    expect(stderr).toContain('error: no person has any of these emails\n');
    expect(await service.hogctl(`${missing} --ignore-missing`)).toMatchObject({ code: 0, stdout: '' });
    expect(service.deleted()).toEqual([]);
  });
});

it('do not lead to a person of SQL whom the person list shows with another email', async () => {
  const [ana, bo, , , other] = PEOPLE;
  const stale = [
    [other?.uuid, 'bo@example.org'],
    [ana?.uuid, 'old@example.org'],
    [bo?.uuid, 'BO@example.org'],
  ];
  const service = await startService([
    (received) =>
      received.url.includes('/query/')
        ? { json: { results: stale, columns: [] } }
        : answer(received, { sql: true }),
  ]);
  const line = 'persons bulk-delete --emails old@example.org,bo@example.org --max 9';
  const dry = await service.hogctl(`${line} --dry-run -o csv --columns given,outcome,person`);
  const rows = [
    'old@example.org,nobody,',
    `bo@example.org,several,${bo?.uuid}`,
    `bo@example.org,several,${uuid(3)}`,
  ];
  expect(dry.stdout.trim().split('\n').slice(1)).toEqual(rows);
  const { code, stderr } = await service.hogctl(`${line} --yes`);
  expect([code, service.log.filter(isDeletion).map(idsOf)]).toEqual([0, [['2', '3']]]);
  expect(stderr).toContain(
    'an address: SQL shows a person with this email, whom the person list shows with another; not included\n',
  );
  const { code: missed } = await service.hogctl('persons bulk-delete --emails old@example.org --yes');
  expect([missed, service.log.filter(isDeletion)]).toEqual([3, [expect.anything()]]);
});

it('that are excepted spare also people who have them under another key', async () => {
  const service = await start({ sql: true });
  const hold = join(temporaryDirectory(), 'hold.csv');
  writeFileSync(hold, 'email\ncy@example.org\n');
  const line = `persons bulk-delete ${uuid(4)} ${uuid(1)} --except ${hold} --except-as emails --yes`;
  const { code, stderr } = await service.hogctl(line);
  expect([code, service.deleted()], stderr).toEqual([0, [['1']]]);
  expect(stderr).toContain('1 person excepted\n');
});

it('asks SQL about at most a thousand at a time', async () => {
  const service = await start({ sql: true });
  const many = Array.from({ length: 1001 }, (_, index) => `User${index}@example.org\n`);
  const { code, stderr } = await service.hogctl('persons bulk-delete --from - --as emails --yes', {
    stdin: `email\nana@example.org\n${many.join('')}`,
  });
  expect(code).toBe(0);
  expect(service.deleted()).toEqual([['1']]);
  const sizes = service.log.flatMap(({ url, json }) =>
    url.includes('/query/') ? ((json as Query).query.values?.addresses?.length ?? []) : [],
  );
  expect(sizes).toEqual([1000, 2]);
  expect(stderr).not.toContain('were not looked for');
  expect(stderr).toContain('and 991 more lines; --dry-run -o csv shows all\n');
});

describe('a file of addresses', () => {
  const text =
    'Ticket;E-Mail\nR-1;ANA@example.org\nR-2;bo@example.org\nR-3;di@example.org\nR-4;ana@example.org\n';
  const fileOf = (content: string) => {
    const file = join(temporaryDirectory(), 'people.csv');
    writeFileSync(file, content);
    return file;
  };

  it('shows in a dry run who each line is', async () => {
    const service = await start({ sql: true });
    const line = `persons bulk-delete --from ${fileOf(text)} --column E-Mail --as emails --dry-run -o csv`;
    const { code, stdout } = await service.hogctl(line);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((row) => row.split(',').slice(0, 5).join(','))).toEqual([
      'line,given,kind,outcome,person',
      `2,ANA@example.org,emails,found,${uuid(1)}`,
      `3,bo@example.org,emails,several,${uuid(2)}`,
      `3,bo@example.org,emails,several,${uuid(3)}`,
      '4,di@example.org,emails,nobody,',
      `5,ana@example.org,emails,found,${uuid(1)}`,
      '',
    ]);
    expect(service.deleted()).toEqual([]);
  });

  it('is answered by a receipt, and the record of the run holds none of them', async () => {
    const service = await start();
    const receipt = join(temporaryDirectory(), 'receipt.csv');
    const line = `persons bulk-delete --from ${fileOf(text)} --column E-Mail --as emails --yes --max 3`;
    const { code } = await service.hogctl(`${line} --receipt ${receipt}`);
    expect(code).toBe(0);
    expect(service.deleted()).toEqual([['1', '2', '3']]);
    expect(readFileSync(receipt, 'utf8').trimEnd().split('\n')).toEqual([
      'Ticket,E-Mail,line,outcome,person,remark',
      `R-1,ANA@example.org,2,deleted,${uuid(1)},`,
      `R-2,bo@example.org,3,deleted,${uuid(2)} ${uuid(3)},`,
      'R-3,di@example.org,4,nobody,,',
      `R-4,ana@example.org,5,deleted,${uuid(1)},`,
    ]);
    expect(statSync(receipt).mode & 0o777).toBe(0o600);
    const [directory = ''] = runsOf(service);
    for (const name of readdirSync(directory))
      expect(readFileSync(join(directory, name), 'utf8')).not.toMatch(/@example/);
  });

  it('is carried out without the lines that are no addresses, if that is said', async () => {
    const service = await start();
    const folder = temporaryDirectory();
    const receipt = join(folder, 'receipt.csv');
    const file = fileOf('email\n ana@example.org \nR-17\n=A1\n');
    const line = `persons bulk-delete --from ${file} --as emails --trim --odd skip --yes`;
    const { code, stderr } = await service.hogctl(`${line} --receipt ${receipt}`);
    expect(code).toBe(8);
    expect(service.deleted()).toEqual([['1']]);
    expect(stderr).toContain('1 address: 1 with one person, 0 with several, 0 with none\n');
    expect(stderr).not.toContain('nobody has this address');
    expect(stderr).toContain('line 3: left out, not an e-mail address');
    expect(readFileSync(receipt, 'utf8')).toContain('R-17,3,odd,');
  });

  it('leaves lines out with 8, also if nobody has the other addresses', async () => {
    const service = await start();
    const line = `persons bulk-delete --from ${fileOf('email\nno@example.org\n=A1\n')} --as emails --odd skip`;
    const receipt = join(temporaryDirectory(), 'receipt.csv');
    const end = await service.hogctl(`${line} --ignore-missing --yes --receipt ${receipt}`);
    expect(end).toMatchObject({ code: 8 });
    expect(readFileSync(receipt, 'utf8')).toMatch(/\nno@example.org,2,nobody,,\n=A1,3,odd,,.+\n$/);
    expect(service.deleted()).toEqual([]);
  });

  it('is shown with all of its lines in a dry run, and saved', async () => {
    const service = await start();
    const folder = temporaryDirectory();
    const [_odd, plan] = [join(folder, 'odd.csv'), join(folder, 'plan.csv')];
    const file = fileOf('ticket,email\nR-1, ana@example.org \nR-2,#N/A\nR-3,\nR-4,ana@example.org\n');
    const line = `persons bulk-delete --from ${file} --as emails --column email --dry-run -o csv --save ${plan}`;
    const refused = await service.hogctl(line);
    expect(refused.stderr).toContain('error: 2 lines of ');
    expect(refused.stderr).toContain('cannot be taken as addresses:\n  line 3: an error of a spreadsheet');
    expect(refused.stderr).toContain('\n  line 4: an empty address\n');
    expect(refused.stderr).toContain(
      'hint: correct them, or leave them out with --odd skip; nothing was sent',
    );
    const { code, stderr } = await service.hogctl(`${line} --odd skip`);
    expect(code).toBe(8);
    expect(stderr).toContain('1 address on 2 lines: 1 with one person');
    expect(stderr).toContain('hint: correct them and run the command on them');
    const figures = await service.hogctl(
      `persons bulk-delete --from ${file} --as emails --column email --dry-run --odd skip`,
    );
    expect(figures.stderr).toContain('line 4: left out, an empty address');
    const rows = readFileSync(plan, 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => row.split(',').slice(0, 4).join(','))).toEqual([
      'line,given,kind,outcome',
      '2,ana@example.org,emails,found',
      '3,#N/A,emails,odd',
      '4,"",emails,odd',
      '5,ana@example.org,emails,found',
    ]);
  });

  it('is answered with all of its columns, also with two of one name', async () => {
    const service = await start();
    const receipt = join(temporaryDirectory(), 'receipt.csv');
    const file = fileOf('note,email,note,,\na,no@example.org,b,c,d\n');
    const line = `persons bulk-delete --from ${file} --as emails --column email --receipt ${receipt}`;
    expect(await service.hogctl(`${line} --ignore-missing --yes`)).toMatchObject({ code: 0 });
    const rows =
      'note,email,note (2),""," (2)",line,outcome,person,remark\na,no@example.org,b,c,d,2,nobody,,\n';
    expect(readFileSync(receipt, 'utf8')).toBe(rows);
  });

  it.each([
    ['nothing', ''],
    ['a heading', 'email\n'],
    ['blank lines', '\n\n'],
  ])('is not taken for a list of nobody if it holds only %s', async (_, stdin) => {
    const service = await start({ sql: true });
    const { code, stderr } = await service.hogctl(
      'persons bulk-delete --from - --as emails --ignore-missing --yes',
      { stdin },
    );
    expect([code, service.deleted()]).toEqual([2, []]);
    expect(stderr).toContain('error: standard input holds no addresses\n');
  });

  it('is refused as a whole if it is of another column', async () => {
    const service = await start();
    const file = fileOf('ticket,email\nR-1,ana@example.org\nR-2,bo@example.org\n');
    const line = `persons bulk-delete --from ${file} --as emails --column ticket --yes`;
    const { code, stderr } = await service.hogctl(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining('error: none of the 2 lines of ')]);
    expect(stderr).toContain('is an address\nhint: name the column of the addresses with --column, ');
    expect(service.log).toEqual([]);
  });

  it('is refused with the lines that are no addresses', async () => {
    const service = await start();
    const file = fileOf('email\nana@example.org\nR-17\nbo@example.org; cy@example.org\n');
    const { code, stderr } = await service.hogctl(`persons bulk-delete --from ${file} --as emails --yes`);
    expect(code).toBe(2);
    expect(stderr).toContain('look damaged:\n  line 3: not an e-mail address, ');
    expect(stderr).toContain('\n  line 4: not an e-mail address, ');
    expect(service.log).toEqual([]);
  });
});

describe('addresses', () => {
  it.each([
    ['beside ids', '17 --emails a@example.org', 'addresses cannot be combined with ids or a selection'],
    [
      'beside a selection',
      '--property plan:exact=x --emails a@example.org',
      'addresses cannot be combined with',
    ],
    ['without a file', '--as emails', '--as needs --from'],
  ])('%s are refused', async (_, words, message) => {
    const service = await start();
    const { code, stderr } = await service.hogctl(`persons bulk-delete ${words} --yes`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(service.deleted()).toEqual([]);
  });

  it('asked for by a filter that the service ignores delete nobody', async () => {
    const service = await startService([
      ({ url }) => (url.includes('/query/') ? { status: 403 } : { json: { results: PEOPLE, next: null } }),
    ]);
    const { code } = await service.hogctl('persons bulk-delete --emails ana@example.org --yes');
    expect(code).toBe(5);
    expect(service.log.filter(isDeletion)).toEqual([]);
  });

  it('given as distinct ids of nobody are refused and name --as emails', async () => {
    const service = await startWithoutSql([answerFrom({ listed: [known(1)] })]);
    const line = 'persons bulk-delete --distinct-ids ana@example.org,bo@example.org';
    const live = { environment: { HOGCTL_DIALECT: 'live' } };
    for (const how of ['--yes', '--dry-run']) {
      const { code, stderr } = await service.hogctl(`${line} ${how}`, live);
      expect(code).toBe(2);
      expect(stderr).toContain('error: no person has any of the 2 addresses as a distinct id\n');
      expect(stderr).toContain('--as emails');
    }
    expect(service.log.filter(isDeletion)).toEqual([]);
  });
});
