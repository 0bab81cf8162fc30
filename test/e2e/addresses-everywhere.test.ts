import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { queryOf, startService, temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

/** How one address is given, and how it is stored. */
const SPELLINGS: readonly (readonly [name: string, given: string, stored: string])[] = [
  ['as it is', 'ana@example.org', 'ana@example.org'],
  ['in another case', 'ana@example.org', 'Ana@Example.org'],
  ['with whole accents', 're\u0301my@example.org', 'R\u00e9my@example.org'],
  ['with accents taken apart', 'r\u00e9my@example.org', 'Re\u0301my@example.org'],
  ['with the domain in letters', 'ana@xn--bcher-kva.example', 'Ana@B\u00fccher.example'],
  ['with the domain encoded', 'ana@b\u00fccher.example', 'ana@xn--bcher-kva.example'],
];

const NOW = Date.parse('2026-06-18T12:00:00Z');

/** A sandbox of somebody with an address, somebody who has it elsewhere, and another. */
async function startWith(stored: readonly string[], given: string) {
  const dialect = 'live';
  const properties = [...stored.map((email) => ({ email })), { Email: given }, { email: `x${given}` }];
  const persons = properties.map((own, at) => ({ distinct_ids: [`user_${at}`], properties: own }));
  const events = persons.map(({ distinct_ids: [distinct_id = ''] }) => ({
    event: 'seen',
    distinct_id,
    timestamp: '2026-06-10T08:00:00Z',
  }));
  const sandbox = await borrowSandbox({ dialect, data: { persons, events }, now: '2026-06-18T12:00:00Z' });
  onTestFinished(() => sandbox.stop());
  const environment = { ...sandboxEnvironment(sandbox, dialect), HOGCTL_STATE_DIR: temporaryDirectory() };
  let minute = 0;
  return (line: string, stdin?: string) => {
    minute += 1;
    const now = NOW + minute * 60_000;
    return runProgram(splitWords(line), { now: () => now, environment, ...(stdin && { stdin }) });
  };
}

/** The commands about one person, and what shows that they found `user_0`. */
const COMMANDS: readonly (readonly [line: string, shown: string])[] = [
  ['persons get --email {} -o json', '"user_0"'],
  ['persons export --email {}', '"user_0"'],
  ['persons activity --email {} -o json', '[]'],
  ['persons cohorts --email {} -o json', '[]'],
  ['persons timeline --email {} -o json', ''],
  ['persons update --email {} --set plan=pro', ''],
  ['persons set --email {} plan pro', ''],
  ['persons unset --email {} plan', ''],
  ['persons split --email {} --main user_0 --yes', ''],
  ['persons bulk-delete --emails {} --dry-run -o csv --columns outcome', 'found'],
  ['persons delete --email {} --yes', ''],
  ['runs find --emails {} -o csv --columns outcome', 'outcome'],
];

/** Commands that find people in ways of their own; the others do it as `persons get`. */
const FINDERS = /^(persons (get|export|bulk-delete|delete)|runs find) /;

describe.each(SPELLINGS)('an address %s', (name, given, stored) => {
  const all = ['in another case', 'with accents taken apart'].includes(name);
  const commands = all ? COMMANDS : COMMANDS.filter(([line]) => FINDERS.test(line));

  it(`leads to the same person in ${all ? 'every command' : 'each way to find people'}`, async () => {
    const hogctl = await startWith([stored], given);
    for (const [line, shown] of commands) {
      const { code, stdout, stderr } = await hogctl(line.replace('{}', given));
      expect([line, code], stderr).toEqual([line, line.startsWith('runs find') ? 9 : 0]);
      expect(stdout).toContain(shown);
    }
    const left = await hogctl('persons list -o json');
    expect(left.stdout).not.toContain('"user_0"');
    expect(left.stdout).toContain('"user_1"');
  });
});

// What is done with those found does not hang on their spelling.
describe.each(SPELLINGS.slice(1, 3))('an address %s', (_, given, stored) => {
  it('that several have stops what is about one person, and bulk-delete takes all', async () => {
    const hogctl = await startWith([stored, given], given);
    const [first = [], second = []] = ['user_0', 'user_1'].map((id) => [id]);
    for (const [line] of COMMANDS.filter(([one]) => /--email /.test(one))) {
      const { code, stdout, stderr } = await hogctl(line.replace('{}', given));
      expect([line, code, stdout]).toEqual([line, 2, '']);
      expect(stderr).toContain('2 persons have the email');
      const all = line.includes('export')
        ? '--save <name>.zip'
        : `hogctl persons bulk-delete --emails ${given}`;
      expect(stderr).toContain(`${all} `);
    }
    const { code, stderr } = await hogctl(`persons bulk-delete --emails ${given} --max 2 --yes`);
    expect(code, stderr).toBe(0);
    const left = await hogctl('persons list -o json');
    for (const id of [...first, ...second]) expect(left.stdout).not.toContain(`"${id}"`);
  });

  it('shows as a duplicate of itself', async () => {
    const hogctl = await startWith([stored, given], given);
    const { code, stdout, stderr } = await hogctl('persons duplicates --by email -o json');
    expect(code, stderr).toBe(0);
    const rows = JSON.parse(stdout) as readonly { readonly written: string; readonly people: number }[];
    expect(rows.map(({ written, people }) => [written, people]).toSorted()).toEqual(
      [stored, given].map((one) => [one, 2]).toSorted(),
    );
  });
});

type Stores = Parameters<typeof answerFrom>[0];

/** A list whose search for somebody's distinct id shows that person only, as the live service's does. */
async function startHiding(stores: Stores, { contains = true } = {}) {
  const answer = answerFrom(stores);
  const hiding = (received: Received): StubAnswer => {
    const query = queryOf(received);
    const [search, properties] = [query.get('search'), query.get('properties') ?? ''];
    const own = stores.listed.filter(({ distinct_ids: ids }) => search !== null && ids.includes(search));
    if (own.length > 0) return { json: { next: null, results: own } };
    if (!contains && properties.includes('icontains'))
      return { status: 400, json: { type: 'validation_error', detail: 'unknown operator' } };
    return answer(received);
  };
  const service = await startService([
    (received) => (received.url.includes('bulk_delete') ? allDeleted(received) : hiding(received)),
  ]);
  const deleted = () => service.log.filter(({ url }) => url.includes('bulk_delete')).flatMap(idsOf);
  return { ...service, deleted };
}

it('an address of nobody is one also where the search hides who is asked about beside it', async () => {
  const control = 'cy@example.org';
  const asId = known(2, undefined, { distinct_ids: [control] });
  const service = await startHiding({ listed: [known(1, control), asId, known(3, 'ana@example.org')] });
  const { code, stderr } = await service.hogctl(
    'persons bulk-delete --emails ana@example.org,nobody@example.org --yes',
  );
  expect([code, service.deleted()], stderr).toEqual([0, ['3']]);
});

it.each(['get', 'delete', 'unset'])(
  'persons %s tells who has the address under another key',
  async (verb) => {
    const listed = [
      known(1, 'ana@example.org'),
      known(2, undefined, { properties: { $email: 'ANA@example.org' } }),
    ];
    const service = await startHiding({ listed });
    const key = verb === 'unset' ? ' plan' : '';
    const { stderr } = await service.hogctl(`persons ${verb} --email ana@example.org${key} --dry-run`);
    expect(stderr).toContain('warning: 1 other person has this email under another key ($email)\n');
  },
);

describe('an address that is the distinct id of somebody else', () => {
  const ANA = 'ana@example.org';
  const ana = known(1, 'Ana@Example.org');
  const record = known(2, undefined, { distinct_ids: [ANA], properties: { source: 'crm' } });
  const hold = () => {
    const file = join(temporaryDirectory(), 'hold.csv');
    writeFileSync(file, `email\n${ANA}\n`);
    return `persons bulk-delete --ids ${ana.uuid} --except ${file} --except-as emails --yes`;
  };

  it('protects whoever has it as email', async () => {
    const service = await startHiding({ listed: [ana, record] });
    const { code, stderr } = await service.hogctl(hold());
    expect([code, service.deleted()], stderr).toEqual([0, []]);
    expect(stderr).toContain('2 persons excepted\n');
  });

  it('leads to whoever has it as email', async () => {
    const service = await startHiding({ listed: [ana, record] });
    expect((await service.hogctl(`persons get --email ${ANA} -o json`)).stdout).toContain(ana.uuid);
    const { code, stderr } = await service.hogctl(`persons bulk-delete --emails ${ANA} --yes`);
    expect([code, service.deleted()], stderr).toEqual([0, ['1']]);
  });

  it('leads to nobody for certain where the list hides others and SQL is refused', async () => {
    const service = await startHiding({ listed: [ana, record] }, { contains: false });
    const held = await service.hogctl(hold());
    expect([held.code, service.deleted()]).toEqual([4, []]);
    expect(held.stderr).toContain('hint: give the key the scope query:read');
    const one = await service.hogctl(`persons get --email ${ANA}`);
    expect([one.code, one.stdout]).toEqual([4, '']);
    const many = await service.hogctl(`persons bulk-delete --emails ${ANA},b@example.org --yes`);
    expect([many.code, service.deleted()], many.stderr).toEqual([8, []]);
    const bo = known(3, 'bo@example.org');
    const some = await startHiding({ listed: [ana, record, bo] }, { contains: false });
    const end = await some.hogctl(`persons bulk-delete --emails ${ANA},bo@example.org --yes`);
    expect([end.code, some.deleted()], end.stderr).toEqual([8, ['3']]);
    expect(end.stderr).toContain('hint: run the command again with a key that has the scope query:read');
  });

  it('is told by SQL where the list hides others', async () => {
    const listed = [ana, record];
    const service = await startHiding({ listed, queried: listed }, { contains: false });
    expect(await service.hogctl(hold())).toMatchObject({ code: 0 });
    expect(service.deleted()).toEqual([]);
  });
});

it('an address in a third spelling that only the person list knows is found beside that of SQL', async () => {
  const listed = [known(1, 'Ana@example.org'), known(2, 'aNa@Example.org')];
  const service = await startHiding({ listed, queried: listed.slice(0, 1) });
  const { code, stderr } = await service.hogctl('persons bulk-delete --emails ana@example.org --max 2 --yes');
  expect([code, service.deleted()], stderr).toEqual([0, ['1', '2']]);
  const one = await service.hogctl('persons get --email ana@example.org');
  expect([one.code, one.stderr]).toEqual([2, expect.stringContaining('error: 2 persons have the email')]);
});

it('a list of addresses among other texts, given as distinct ids, is told to be one of addresses', async () => {
  const service = await startHiding({ listed: [known(1)], queried: [known(1)] });
  const ids = ['ana@example.org', 'bo@example.org', 'n/a-1'].join(',');
  const { code, stderr } = await service.hogctl(`persons bulk-delete --distinct-ids ${ids} --yes`);
  expect(code).toBe(2);
  expect(stderr).toContain('error: no person has any of the 2 addresses as a distinct id\n');
  expect(stderr).toContain('hint: nothing was sent; use --emails');
});
