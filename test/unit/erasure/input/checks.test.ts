import { describe, expect, test } from 'vitest';
import { findReason, oddReasons } from '../../../../src/erasure/input/checks.ts';
import { collectIds, createIdCollector, type Odd } from '../../../../src/erasure/input/given.ts';
import { CliError } from '../../../../src/errors.ts';
import { oddIds } from '../../../support/odd-ids.ts';
import { readList } from '../../../support/read-list.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function read(text: string, { odd = 'stop', column }: { odd?: Odd; column?: string } = {}) {
  const reading = { name: 'people.csv', odd, column } as const;
  try {
    const list = await readList(bytesOf(text), reading);
    return { ids: list.ids, suspicious: list.suspicious };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { kind: error.kind, message: error.message, hint: error.hint };
  }
}

describe('an id that looks damaged', () => {
  test.each(oddIds.flatMap(([reason, ids]) => ids.map((id) => [id, reason] as const)))(
    '%j is refused: %s',
    async (id, reason) => {
      const refusal = await read(`u-first\n${id}\nu-last\n`);
      expect(refusal.message).toContain(`1 of the ids in people.csv looks damaged (line 2: ${reason}`);
      expect(refusal).toMatchObject({ kind: 'usage', hint: expect.stringContaining('--odd send') });
      expect(await read(`u-first\n${id}\nu-last\n`, { odd: 'send' })).toEqual({
        ids: ['u-first', id, 'u-last'],
        suspicious: 1,
      });
    },
  );

  test.each(oddIds.flatMap(([, ids]) => ids))('%j is suspicious wherever it comes from', async (id) => {
    const cell = `"${id.replaceAll('"', '""')}"`;
    const inputs = [
      `distinct_id\nu1\n${cell}\n`,
      `name,distinct_id\nAna,u1\nBo,${cell}\n`,
      `${JSON.stringify({ distinct_id: 'u1' })}\n${JSON.stringify({ distinct_id: id })}\n`,
    ];
    for (const input of inputs) {
      const column = input.startsWith('name') ? { column: 'distinct_id' } : {};
      expect((await read(input, column)).message).toMatch(/^1 of the ids in people.csv looks damaged/);
    }
    expect(() => collectIds('distinct-ids', ['u1', id], { odd: 'stop' })).toThrow(
      /^1 of the ids in the arguments looks damaged \(argument 2: /,
    );
  });

  test('is the name of the column further down, where files were put together', async () => {
    const files = ['Customer,who\nu1,x\n', 'Customer,who\nu2,x\n'];
    expect((await read(files.join(''), { column: 'Customer' })).message).toContain(
      'line 3: the name of a column',
    );
    expect((await read('Customer\nu1\nCustomer\nu2\n', { column: 'Customer' })).message).toContain(
      'line 3: the name of a column',
    );
  });

  test('is none that stands for an empty row', async () => {
    expect(await read(';;;\nu1\n,,,\n\t\n;\n')).toEqual({ ids: ['u1'], suspicious: 0 });
    expect(await read('id;a\nu1;x\n;\n,\n;;;\n', { column: 'id' })).toEqual({ ids: ['u1'], suspicious: 0 });
  });

  test('is told with its line and reason, each on a line of its own', async () => {
    const lines = ['u1', 'null', 'a ', 'b ', '1.2E+15', 'c ', 'd ', '', 'null'];
    expect(await read(lines.join('\n'), { odd: 'send' })).toMatchObject({ suspicious: 6 });
    const [spaces, nothing] = [
      'white space at its beginning or end',
      'a word or sign for no value, like null',
    ];
    expect((await read(lines.join('\n'))).message?.split('\n  ')).toEqual([
      '7 of the ids in people.csv look damaged:',
      `line 2: ${nothing}`,
      `line 3: ${spaces}`,
      `line 4: ${spaces}`,
      'line 5: a number as a spreadsheet shortens it, like 1.23E+15',
      `line 6: ${spaces}`,
      `line 7: ${spaces}`,
      `line 9: ${nothing}`,
    ]);
  });

  test('is told with the lines that hold no id at all, of which at most a thousand are told', async () => {
    const csv = 'id,x\nnull,1\n,2\nu1,3\n"a\u0007",4\n';
    expect((await read(csv, { column: 'id' })).message?.split('\n  ')).toEqual([
      '3 lines of people.csv cannot be taken as ids:',
      'line 2: a word or sign for no value, like null',
      'line 3: an empty id',
      'line 5: a control character, which no id has',
    ]);
    const many = (await read('null\n'.repeat(1002))).message?.split('\n  ');
    expect(many).toHaveLength(1002);
    expect(many?.at(-1)).toBe('and 2 more');
  });
});

describe('an id that is none of these', () => {
  const ids = [
    ...['1e5', '0x1F', '+4512345678', '0010', '12345678901234567890', '-Ab12', '50%off', 'x?y#z'],
    ...['Zoë-日本-😀', 'a b', "it's", 'org/7/user', 'Nina', 'nullable', 'none-of-us', 'id-7', '#1', '#team'],
    ...[
      '1.2.3',
      '1.23.456',
      '12-34',
      'a=b',
      'Mar',
      'may 2x',
      'true-1',
      '10.0.0.1',
      'v1.0',
      'E+1',
      '1234567890123450',
      '2026-13-02',
      'guest_4',
      'a"b"c',
      "'quoted'",
    ],
    ...[
      'a<b>',
      '<3',
      '$device:1',
      '[beta] x',
      'csv',
      '%40ana',
      'a,b',
      'a;b',
      'to:mailto',
      'São Paulo',
      'Â-1',
    ],
    ...['0190a5c6-0000-4000-8000-000000000001', 'x'.repeat(200), '😀'.repeat(200)],
  ];
  test.each(ids)('%j is taken without a word, since a program may write it', async (id) => {
    expect(await read(`u-first\n${id}\nu-last\n`)).toEqual({ ids: ['u-first', id, 'u-last'], suspicious: 0 });
  });
});

describe('numbers of sixteen digits and more', () => {
  test('are refused where all of them end in zeros', async () => {
    const rounded = ['1234567890123450', '1234567890123500', '12345678901234000', 'u1'];
    expect((await read(rounded.join('\n'))).message).toMatch(
      /line 1: zeros from the 16th digit on.*\n {2}line 2: zeros .*\n {2}line 3: zeros/,
    );
    expect((await read('123456789012345000\n')).message).toContain('zeros from the 16th digit on');
  });

  test('are taken where one of them does not', async () => {
    const ids = ['1234567890123450', '1234567890123500', '12345678901234000', '1234567890123456'];
    expect(await read(ids.join('\n'))).toEqual({ ids, suspicious: 0 });
  });
});

describe('a first line that may name the column', () => {
  const addresses = ['ana@example.org', 'bo@example.org', 'cy@example.org'];
  const uuids = [1, 2, 3].map((digit) => `0190a5c6-0000-4000-8000-00000000000${digit}`);

  test.each([
    ['user_email_hash', ['9f86d081884c7d65', '9f86d081884c7d66']],
    ['Customer ID', ['17']],
    ['Email Address', ['ana@example.org']],
    ['userId', []],
    ['E-Mail', addresses],
    ['Kunde', ['K-1041', 'K-1042', 'K-2']],
    ['Adresse (privat)', addresses],
    ['Empfänger', uuids],
    ['顧客', ['17', '18', '19']],
  ])('%s is refused', async (first, ids) => {
    const refusal = await read(`${[first, ...ids].join('\n')}\n`);
    expect(refusal.message).toContain('line 1: a first line that looks like the name of a column');
    expect(refusal.hint).toContain('add --column <name> if the first line names the column; ');
    expect(await read([first, ...ids].join('\n'), { odd: 'send' })).toMatchObject({
      ids: [first, ...ids],
    });
  });

  test('is its name where --column says so', async () => {
    expect(await read('Customer ID\n17\n', { column: 'Customer ID' })).toEqual({
      ids: ['17'],
      suspicious: 0,
    });
    const quoted = '"Email Address"\n"ana@example.org"\n';
    expect((await read(quoted)).hint).toMatch(/^add --column <name> if the first line names the column/);
    const named = await read(quoted, { column: 'Email Address' });
    expect(named).toEqual({ ids: ['ana@example.org'], suspicious: 0 });
  });

  test.each([
    ['names', ['ana', 'bo', 'cy', 'dora']],
    ['a name among two others', ['ana', 'bo@example.org', 'cy@example.org']],
    ['ids of several forms', ['nobody', 'bo@example.org', 'u1', 'cy@example.org', 'do@example.org']],
    ['ids by chance without a digit', ['abcdefgh', 'a1b2c3d4', 'x9yzzzz1', 'abcdefg4']],
    ['an id with a digit', ['user_1', ...addresses]],
    ['an address', [...addresses, ...uuids]],
    ['UUIDs', uuids],
  ])('is an id before %s', async (_, ids) => {
    expect(await read(ids.join('\n'))).toEqual({ ids, suspicious: 0 });
  });
});

test('each check of the table has a name and a reason of its own', () => {
  expect(new Set(oddReasons).size).toBe(oddReasons.length);
  expect(oddIds.every(([reason]) => oddReasons.some((text) => text.startsWith(reason)))).toBe(true);
});

test('more ids than a set takes are refused', () => {
  const source = { places: 'line', name: 'people.csv' } as const;
  const collector = createIdCollector({
    ...source,
    kind: 'distinct-ids',
    odd: 'stop',
    mostDifferent: 2,
  });
  for (const id of ['a', 'b', 'a']) collector.add(id, 1);
  expect(() => collector.add('c', 4)).toThrow('people.csv has more than 2 different ids');
});

const marked = [
  ...['“ana@example.org”', "'ana@example.org'", '‘ana@example.org’', 'o’brien@example.org', '"a@b.org'],
  ...['ana@example.org.', 'ana@example.org:', 'ana@example.org>', '(ana@example.org', '*ana@example.org*'],
  ...[
    '_ana@example.org_',
    'ana@example..org',
    'ana@-example.org',
    'ana@example.org!',
    '`a@b.org`',
    'ana@.org',
  ],
];
const meant = [
  ...["o'brien@example.org", 'ana+news@example.org', '_ana_@example.org', 'änne@exämple.org', 'a@localhost'],
  ...[
    '#ana@example.org',
    'a-b.c@x-y.example.org',
    'a=b/c@example.org',
    'ana@例え.jp',
    'na\u0308me@example.org',
    `${'x'.repeat(240)}@example.org`,
  ],
];

test.each([
  ['signs that no address has there', marked, true],
  ['nothing that is odd', meant, false],
] as const)('an address may have %s', (_, addresses, isOdd) => {
  for (const address of addresses)
    expect([address, findReason(address, 'emails') !== undefined]).toEqual([address, isOdd]);
});
