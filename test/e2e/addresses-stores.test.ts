import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allDeleted, idsOf } from '../support/bulk-deletions.ts';
import { queryOf, startService, temporaryDirectory } from '../support/service.ts';
import type { Received, StubAnswer } from '../support/stub-server.ts';
import { answerFrom, known } from '../support/two-stores.ts';

type Stores = Parameters<typeof answerFrom>[0];

async function start(
  stores: Stores,
  others: (received: Received) => StubAnswer | undefined = () => undefined,
) {
  const answer = answerFrom(stores);
  const service = await startService([
    (received) =>
      received.url.includes('bulk_delete') ? allDeleted(received) : (others(received) ?? answer(received)),
  ]);
  const deleted = () => service.log.filter(({ url }) => url.includes('bulk_delete')).flatMap(idsOf);
  const asked = () => service.log.filter((one) => queryOf(one).has('properties')).length;
  return { ...service, deleted, asked };
}

const ANA = 'ana@example.org';
const emails = (words: string) => `persons bulk-delete --emails ${words} --retries 0 --yes`;

describe('an address of two persons', () => {
  it.each([
    ['the person list', [known(1, ANA), known(2, ANA)], [known(1, ANA)]],
    ['SQL', [known(1, ANA), known(2, ANA)], [known(1, ANA), known(2, ANA)]],
    [
      'the person list, as SQL writes it',
      [known(1, 'Ana@Example.org'), known(2, 'Ana@Example.org')],
      [known(1, 'Ana@Example.org')],
    ],
  ])('leads to both, also if one is only known to %s', async (_, listed, queried) => {
    const service = await start({ listed, queried });
    const { code, stderr } = await service.hogctl(emails(`${ANA} --max 2`));
    expect([code, service.deleted()], stderr).toEqual([0, ['1', '2']]);
    expect(stderr).toContain('address 1: all 2 persons with this address are included\n');
    expect((await service.hogctl(emails(ANA))).stderr).toContain('--yes needs --max');
  });

  it('is of one, whose id the two write in another case', async () => {
    const [lower, upper] = ['0000000a-0000-4000-8000-00000000000b', '0000000A-0000-4000-8000-00000000000B'];
    const listed = [known(1, ANA, { uuid: upper })];
    const others = ({ url }: Received) =>
      url.includes(`/persons/${lower}`) ? { json: listed[0] } : undefined;
    const service = await start({ listed, queried: [known(1, ANA, { uuid: lower })] }, others);
    const { code, stderr } = await service.hogctl(emails(ANA));
    expect([code, service.deleted()], stderr).toEqual([0, ['1']]);
  });

  it('is asked for among others, since many are asked about at a time', async () => {
    const queried = Array.from({ length: 200 }, (_, at) => known(at + 1));
    const listed = [...queried, known(300, 'user_200@example.org')];
    const service = await start({ listed, queried });
    const stdin = queried.map(({ properties }) => properties.email).join('\n');
    const { code, stderr } = await service.hogctl(
      'persons bulk-delete --from - --as emails --max 201 --yes',
      { stdin },
    );
    expect([code, service.deleted().length], stderr).toEqual([0, 201]);
    expect(service.asked()).toBeLessThan(6);
  });

  it('leads to nobody if the person list answers with others', async () => {
    const all = [known(1, ANA), known(2)];
    const others = (received: Received) =>
      queryOf(received).has('properties') ? { json: { results: all, next: null } } : undefined;
    const service = await start({ listed: all, queried: all }, others);
    const many = Array.from({ length: 20 }, (_, at) => `user_${at + 10}@example.org`);
    const { code, stderr } = await service.hogctl(emails([ANA, ...many].join(',')));
    expect([code, service.deleted()]).toEqual([5, []]);
    expect(stderr).toContain('persons who do not have the address');
  });
});

describe('a person whom only SQL shows with an address', () => {
  it.each([
    ['beside another', [known(1, ANA)], ['1']],
    ['alone', [], []],
  ])('is in doubt: not sent, and owed until SQL does not show them either, %s', async (_, both, sent) => {
    const queried = [...both, known(3), known(2, ANA)];
    const listed = [...both, known(3)];
    const service = await start({ listed, queried });
    const folder = temporaryDirectory();
    const [list, receipt] = [join(folder, 'list.txt'), join(folder, 'receipt.csv')];
    writeFileSync(list, `${ANA}\nnobody@example.org\n`);
    const line = `persons bulk-delete --from ${list} --as emails`;
    const dry = await service.hogctl(`${line} --dry-run -o csv --columns given,outcome,person`);
    expect(dry.stdout).toContain(`${ANA},in doubt,${known(2).uuid}\n`);
    const run = await service.hogctl(`${line} --yes --receipt ${receipt}`);
    expect([run.code, service.deleted()], run.stderr).toEqual([8, sent]);
    for (const { stderr } of [dry, run])
      expect(stderr).toContain(
        'line 1: only SQL shows a person with this email, who is in doubt and not sent\n',
      );
    expect(run.stdout).toMatch(/\nin doubt +1 .*\naddresses without a person +1 /);
    expect(readFileSync(receipt, 'utf8')).toContain(`${ANA},1,in doubt,`);
    queried.splice(0, queried.length, known(3));
    listed.splice(0, listed.length, known(3));
    const verify = await service.hogctl('runs verify last');
    const [row] = JSON.parse((await service.hogctl('runs list -o json')).stdout);
    expect([verify.code, row.owed], verify.stderr).toEqual([0, null]);
  });
});

it.each(['get', 'delete --yes', 'delete --yes --ignore-missing', 'set plan pro'])(
  'persons %s stops before a person whom only SQL shows with the address, alone or beside another',
  async (words) => {
    for (const listed of [[known(3)], [known(1, ANA), known(3)]]) {
      const service = await start({ listed, queried: [...listed, known(2, ANA)] });
      const [verb = '', ...rest] = words.split(' ');
      const line = `persons ${verb} --email ${ANA} ${rest.join(' ')} --retries 0`;
      const { code, stderr } = await service.hogctl(line);
      expect([code, service.log.filter(({ method }) => !['GET', 'POST'].includes(method))]).toEqual([6, []]);
      expect(stderr).toContain(`only SQL shows person ${known(2).uuid} with the email "${ANA}"`);
    }
  },
);

describe('a person list that does not show somebody who is there', () => {
  const many = Array.from({ length: 30 }, (_, at) => `user_${at + 10}@example.org`);
  it.each([
    ['the address', [ANA], []],
    ['one of many addresses', [ANA, ...many], []],
    ['the address of an exception', ['user_3@example.org'], ['--except-as', 'emails', '--except']],
    ['one of many exceptions', ['user_3@example.org'], ['--except-as', 'emails', '--except']],
  ])('does not tell that nobody has %s', async (what, addresses, except) => {
    const listed = [known(1, ANA), known(3), ...many.map((email, at) => known(at + 10, email))];
    // All that is asked by an address is answered as of nobody, but for the one that the list is about.
    const blind = ({ url }: Received) =>
      /email|search/.test(url) && !/user_3%40|user_3@/.test(url)
        ? { json: { results: [], next: null } }
        : undefined;
    const service = await start({ listed }, blind);
    const hold = join(temporaryDirectory(), 'hold.txt');
    writeFileSync(hold, [ANA, ...(what.includes('many') ? many : [])].join('\n'));
    const more = except.length === 0 ? '' : `${except.join(' ')} ${hold}`;
    const { code, stderr } = await service.hogctl(emails(`${addresses.join(',')} --max 50 ${more}`));
    expect([code, service.deleted()], stderr).toEqual([6, []]);
    expect(stderr).toContain('the person list does not show somebody who is known to be there');
  });
});

it('an address that a person no longer has is answered as one of nobody, also beside the right one', async () => {
  const [listed, queried] = [[known(1, ANA)], [known(1, 'old@example.org')]];
  const service = await start({ listed, queried });
  const line = `persons bulk-delete --emails old@example.org,${ANA}`;
  const { stdout } = await service.hogctl(`${line} --dry-run -o csv --columns given,outcome,person`);
  const rows = ['old@example.org,nobody,', `${ANA},found,${known(1).uuid}`];
  expect(stdout.trim().split('\n').slice(1)).toEqual(rows);
  const { code, stderr } = await service.hogctl(`${line} --yes`);
  expect([code, service.deleted()]).toEqual([0, ['1']]);
  expect(stderr).toContain('whom the person list shows with another; not included\n');
});

it('an address is asked for in small letters, too, if SQL has it in others', async () => {
  const capital = ANA.toUpperCase();
  const service = await start({ listed: [known(1, capital), known(2, ANA)], queried: [known(1, capital)] });
  expect(await service.hogctl(emails(`${capital} --max 2`))).toMatchObject({ code: 0 });
  expect(service.deleted()).toEqual(['1', '2']);
});

describe('an address whose accents are written another way', () => {
  const [composed, apart] = ['r\u00e9my@example.org', 're\u0301my@example.org'];
  it.each([
    [composed, apart, 'SQL'],
    [apart, composed, 'SQL'],
    [composed, apart, 'the list'],
    [apart, composed, 'the list'],
    [apart.toUpperCase(), composed, 'SQL'],
  ])('%j leads to %j by %s', async (given, stored, where) => {
    const listed = [known(1, stored), known(2, 'remy@example.org')];
    const service = await start({ listed, queried: where === 'SQL' ? listed : undefined });
    const { code, stderr } = await service.hogctl(emails(given));
    expect([code, service.deleted()], stderr).toEqual([0, ['1']]);
    const found = await service.hogctl('runs find --from - --as emails', { stdin: given });
    expect(found.code, found.stderr).toBe(9);
  });
});

it('an address among several of a person is named and not included', async () => {
  const service = await start({ listed: [known(1, undefined, { properties: { email: ['x@y.org', ANA] } })] });
  const { code, stderr } = await service.hogctl(emails(ANA));
  expect([code, service.deleted()]).toEqual([3, []]);
  expect(stderr).toContain('no person has this email; another person has it as email and is not included\n');
});

describe('addresses', () => {
  const failure = { status: 503, json: { detail: 'busy' } };

  it('are looked up in the person list if SQL fails, which is said', async () => {
    const service = await start({ listed: [known(1, ANA)], failure });
    const { code, stderr } = await service.hogctl(emails(ANA));
    expect([code, service.deleted()], stderr).toEqual([0, ['1']]);
    expect(stderr).toMatch(
      /^SQL is not asked \(.*503.*\): addresses are looked up in the person list only\.$/m,
    );
  });

  it('are too many for the person list from 500 on if SQL fails', async () => {
    const service = await start({ listed: [], failure });
    const stdin = Array.from({ length: 501 }, (_, at) => `user_${at}@example.org\n`).join('');
    const line = 'persons bulk-delete --from - --as emails --retries 0 --yes';
    const { code, stderr } = await service.hogctl(line, { stdin });
    expect([code, service.log.length]).toEqual([6, 1]);
    expect(stderr).toContain('or give at most 500 at a time, which are looked up without SQL\n');
    const ids = await service.hogctl(line.replace('emails', 'distinct-ids'), { stdin });
    // Whether nobody has an id is not said as long as a store that may be asked does not answer.
    expect([ids.code, ids.stderr]).toEqual([6, expect.stringContaining('hint: try again later\n')]);
  });

  it.each([1, 40])(
    'that are excepted spare people who have one under another key: %i lines',
    async (count) => {
      const held = known(2, undefined, { properties: { Email: ANA.toUpperCase() } });
      const all = [known(1, ANA), held, known(3)];
      const service = await start({ listed: all, queried: all });
      const hold = join(temporaryDirectory(), 'hold.csv');
      const others = Array.from({ length: count - 1 }, (_, at) => `held_${at}@example.org\n`);
      writeFileSync(hold, `email\n${ANA}\n${others.join('')}`);
      const ids = all.map(({ uuid }) => uuid).join(' ');
      const { code, stderr } = await service.hogctl(
        `persons bulk-delete ${ids} --except ${hold} --except-as emails --yes`,
      );
      expect([code, service.deleted()], stderr).toEqual([0, ['3']]);
      expect(stderr).toContain('2 persons excepted\n');
    },
  );

  it.each([
    ['the list', { listed: ['user_1', 'held'], queried: ['user_1'] }, 0],
    ['SQL', { listed: ['user_1'], queried: ['user_1', 'held'] }, 8],
  ])('that are excepted spare whom %s shows behind an id', async (_, ids, code) => {
    const of = (distinct_ids: readonly string[], other: readonly string[]) => [
      known(1, ANA, { distinct_ids }),
      known(2, undefined, { distinct_ids: ['user_2', ...other] }),
    ];
    const hasIt = (own: readonly string[]) => (own.includes('held') ? [] : ['held']);
    const service = await start({
      listed: of(ids.listed, hasIt(ids.listed)),
      queried: of(ids.queried, hasIt(ids.queried)),
    });
    const hold = join(temporaryDirectory(), 'hold.txt');
    writeFileSync(hold, 'held\n');
    const line = `persons bulk-delete --distinct-ids user_1 --except ${hold} --except-as distinct-ids --yes`;
    const end = await service.hogctl(line);
    expect([end.code, service.deleted()], end.stderr).toEqual([code, []]);
  });

  it('of nobody are answered, and the odd lines are written', async () => {
    const service = await start({ listed: [] });
    const folder = temporaryDirectory();
    const receipt = join(folder, 'receipt.csv');
    const file = join(folder, 'list.csv');
    writeFileSync(file, 'email\nno@example.org\n=A1\n');
    const line = `persons bulk-delete --from ${file} --as emails --odd skip --yes`;
    expect(await service.hogctl(`${line} --receipt ${receipt}`)).toMatchObject({ code: 3 });
    expect(readFileSync(receipt, 'utf8')).toMatch(/\nno@example.org,2,nobody,,\n=A1,3,odd,,.+\n$/);
  });
});
