import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/json/kinds.ts';
import type { SandboxSettings } from '../../src/sandbox/start-sandbox.ts';
import type { Dialect } from '../../src/service/endpoint.ts';
import { borrowSandbox } from '../support/open-sandbox.ts';
import { runProgram, sandboxEnvironment } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/service.ts';
import { splitWords } from '../support/split-words.ts';

type Listed = {
  readonly uuid: string;
  readonly distinct_ids: readonly string[];
  readonly properties: object;
  readonly created_at: string;
};

/** People with whatever could suffer on the way: digits, quotes, line ends, tabs, keys with escapes, nobody's person. */
const awkward = {
  persons: [
    {
      distinct_ids: ['zoë', '12', '0x1f', 'a,b;"c"', ' spaced '],
      properties: {
        note: 'first line\nsecond "line"\r\n\tthird, = and \\ 😀',
        nested: { list: [1, null, true, { deep: '' }], empty: {} },
        'k"e\\y\n': '',
        'line\u2028end': 'x',
      },
      created_at: '2026-01-02T03:04:05.123456Z',
    },
    { id: 40, distinct_ids: ['b'], properties: {}, created_at: '2025-12-31T23:59:59Z' },
    {
      id: 41,
      distinct_ids: [],
      properties: { email: 'nobody@example.org' },
      created_at: '2025-12-30T00:00:00Z',
    },
  ],
};

async function openSandbox(settings: Partial<SandboxSettings>) {
  const { dialect = 'specification' } = settings;
  const sandbox = await borrowSandbox({ dialect, now: '2026-06-18T12:00:00Z', ...settings });
  onTestFinished(() => sandbox.stop());
  const state = temporaryDirectory();
  const hogctl = async (line: string) => {
    const environment = {
      ...sandboxEnvironment(sandbox, dialect),
      HOGCTL_STATE_DIR: state,
    };
    return runProgram([...splitWords(line)], { environment });
  };
  const list = async (): Promise<readonly Listed[]> => {
    const { code, stdout } = await hogctl('persons list --all -q -o json');
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  return { hogctl, list };
}

/** Without what no export carries: the number, the order of distinct ids (and so a name), who is identified. */
function comparable(people: readonly Listed[]) {
  return people
    .map(({ uuid, distinct_ids, properties, created_at }) => ({
      uuid,
      distinct_ids: [...distinct_ids].sort(),
      properties,
      created_at,
    }))
    .sort((one, other) => one.uuid.localeCompare(other.uuid));
}

describe.each<Dialect>(['specification', 'live'])('an export into another sandbox, %s dialect', (dialect) => {
  const files: Record<Dialect, readonly (readonly [string, string, Json])[]> = {
    specification: [
      ['ndjson', '', awkward],
      ['csv', '', awkward],
      ['json', '--via list', 'sample'],
    ],
    live: [
      ['json', '', awkward],
      ['tsv', '', awkward],
      ['ndjson', '--via list', awkward],
      ['ndjson', '--via query', 'sample'],
    ],
  };
  it.each(files[dialect])('brings back the same list from %s %s', async (format, options, data) => {
    const from = await openSandbox({ dialect, data });
    const into = await openSandbox({ dialect, data: 'empty' });
    const file = join(temporaryDirectory(), `persons.${format}`);
    const exported = await from.hogctl(`persons export ${options} -o ${format} --save ${file}`);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    const before = await from.list();
    const imported = await into.hogctl(`sandbox import --persons ${file} -o json`);
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(imported.stdout)).toEqual({ persons: before.length, events: 0 });
    expect(comparable(await into.list())).toEqual(comparable(before));
    const again = await into.hogctl(`persons export -q ${options} -o ${format}`);
    const first = await from.hogctl(`persons export -q ${options} -o ${format}`);
    expect(again.stdout.split('\n').sort()).toEqual(first.stdout.split('\n').sort());
  });
});

describe('an import', () => {
  it('reads a list indented as on a terminal, and what persons list writes', async () => {
    const from = await openSandbox({ data: awkward });
    const into = await openSandbox({ data: 'empty' });
    const people = await from.list();
    const [one, ...others] = people;
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'one.json'), `\n ${JSON.stringify([one], null, 2)}`);
    const lines = others.map((person) => JSON.stringify(person));
    writeFileSync(join(folder, 'others.json'), lines.join('\n'));
    for (const name of ['one', 'others']) {
      const { code, stderr } = await into.hogctl(`sandbox import --persons ${join(folder, name)}.json`);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    }
    expect(comparable(await into.list())).toEqual(comparable(people));
  });

  it('gives people who are made later a UUID of their own', async () => {
    const from = await openSandbox({
      data: { persons: ['a', 'b', 'c'].map((id) => ({ distinct_ids: [id, `${id}2`] })) },
    });
    const into = await openSandbox({ data: 'empty' });
    const file = join(temporaryDirectory(), 'persons.ndjson');
    await from.hogctl('persons delete --distinct-id a --yes');
    await from.hogctl('persons split --distinct-id c --yes');
    await from.hogctl(`persons export -o ndjson --save ${file}`);
    await into.hogctl(`sandbox import --persons ${file}`);
    await into.hogctl('persons split --distinct-id b --yes');
    const uuids = (await into.list()).map(({ uuid }) => uuid);
    expect([uuids.length, new Set(uuids).size]).toEqual([4, 4]);
  });

  it.each([
    [
      'persons.ndjson',
      '{"id":"x","distinct_ids":["a"]}',
      'line 1 has an id that is neither a whole number nor a UUID: x',
    ],
    ['persons.json', '[{"distinct_ids":["a"]},\n{"distinct_ids":"b"}]', 'row 2 has no distinct_ids'],
    ['persons.json', '[{"distinct_ids":["a"]},\n{"distinct_ids":]', 'persons, the file is not JSON'],
    ['persons.csv', 'distinct_ids,properties\n"[""a""]",{}\n"[""b""]",{x}\n', 'persons, row 2 is not JSON'],
    ['persons.txt', 'a', 'must end in .ndjson, .jsonl, .json, .csv, .tsv or .parquet'],
  ])('says where %s is wrong and imports nothing of it', async (name, text, reason) => {
    const { hogctl, list } = await openSandbox({ data: 'empty' });
    const file = join(temporaryDirectory(), name);
    writeFileSync(file, text);
    const { code, stderr } = await hogctl(`sandbox import --persons ${file}`);
    expect([code, stderr]).toEqual([5, expect.stringContaining(reason)]);
    expect(await list()).toEqual([]);
  });
});

describe('a property that looks like a number with its own digits', () => {
  it.each([
    ['{"isLosslessNumber":true,"value":"7"}', { isLosslessNumber: true, value: '7' }],
    ['{"isLosslessNumber":true,"value":"7","n":[12345678901234567890]}', undefined],
    ['[123456789.123456789012,1.0]', undefined],
  ])('comes back as it was set: %s', async (json, value) => {
    const { hogctl } = await openSandbox({ data: awkward });
    const [{ uuid } = { uuid: '' }] = JSON.parse((await hogctl('persons list --limit 1 -o json')).stdout);
    const set = await hogctl(`persons update-property ${uuid} odd --json '${json}'`);
    expect(set.code, set.stderr).toBe(0);
    const { stdout } = await hogctl(`persons get ${uuid} -o json`);
    expect(stdout.replace(/\s/g, '')).toContain(`"odd":${json}`);
    if (value !== undefined) expect(JSON.parse(stdout).properties.odd).toEqual(value);
  });
});
