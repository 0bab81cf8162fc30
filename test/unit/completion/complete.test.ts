import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complete } from '../../../src/completion/complete.ts';
import { plainWord, writeTree } from '../../../src/completion/tree.ts';
import { completionTree, namesInFile } from '../../../src/program.ts';
import { splitWords } from '../../support/split-words.ts';
import { inlineRows, makeWorkbook } from '../../support/workbook.ts';

const HOSTILE = [
  '$(touch x)',
  'a\nb',
  "it's",
  '`x`',
  'a b',
  '-rf',
  ':files',
  '~root',
  '*',
  'tab\tbed',
  '\u001b[31m',
];
/** What a cache would never keep, but somebody else may have written there. */
const PERSONAL = ['ana@example.org', 'id_0192f0c1-7a30-7000-8000-000000004711', '4915112345678'];
const environment = { HOGCTL_CONFIG_DIR: '', HOGCTL_CACHE_DIR: '', HOGCTL_STATE_DIR: '', HOME: '' };
const book = makeWorkbook({
  rows: inlineRows([['Ticket', 'Distinct ID']]),
  sheets:
    '<sheets><sheet name="EU shop" sheetId="1" r:id="rId1"/><sheet name="second" sheetId="2" r:id="rId2"/></sheets>',
});
let tree = '';
let directory = '';

beforeAll(async () => {
  tree = writeTree(await completionTree());
  directory = mkdtempSync(join(tmpdir(), 'hogctl-completion-'));
  Object.assign(environment, {
    HOGCTL_CONFIG_DIR: directory,
    HOGCTL_CACHE_DIR: directory,
    HOGCTL_STATE_DIR: directory,
    HOME: directory,
  });
  const stored = { host: 'https://eu.posthog.com', key: 'phx_key', protected: false };
  const projects = [
    { ...stored, name: 'shop', id: '1' },
    { ...stored, name: 'a b$(touch x)', id: '2' },
  ];
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ projects, default: 'shop' }));
  for (const name of ['20260101T000000Z', '20261128T120000Z', ...HOSTILE.filter((word) => word !== 'a\nb')])
    mkdirSync(join(directory, 'runs', name), { recursive: true });
  for (const name of ['20260101T000000Z', '20261128T120000Z'])
    writeFileSync(
      join(directory, 'runs', name, 'plan.json'),
      JSON.stringify({
        request: 'request-20261128T115959Z-abcdef',
        unique: name.startsWith('2026112') ? 2 : 1,
        project: { id: '1', name: 'Shop' },
      }),
    );
  const headings = ['Distinct ID', "Customer's (id)", 'E-mail', '2026', 'Paid in 2025', ...HOSTILE];
  writeFileSync(join(directory, 'list.csv'), `${headings.map((name) => `"${name}"`).join()}\n1,2,3\n`);
  writeFileSync(join(directory, 'list.tsv'), 'email\tReceived on\nana@example.org\t2026-11-01\n');
  writeFileSync(join(directory, 'headless.csv'), 'ana@example.org,Ana\n');
  writeFileSync(join(directory, 'dated.csv'), 'Ana,1985-03-02\n');
  writeFileSync(join(directory, 'my list.xlsx'), book);
  writeFileSync(join(directory, 'damaged.xlsx'), book.subarray(0, 900));
  mkdirSync(join(directory, 'completion'));
  const cache = {
    version: 1,
    host: 'https://eu.posthog.com',
    project: '1',
    insights: [
      ['M49megqP', 'Orders per day'],
      ['zeNY2NOU', 'Weekly sign-ups'],
      ['zeOther0', 'Weekly orders'],
      ['Odd', 'one\ttwo\nthree\u001b[31m\u202e'],
    ],
    properties: ['plan', '$browser', 'distinct_ids', ...HOSTILE, ...PERSONAL],
    columns: { 'persons list': ['plan', '$browser', 'distinct_ids', ...HOSTILE, ...PERSONAL] },
  };
  writeFileSync(join(directory, 'completion', 'eu.posthog.com-1.json'), JSON.stringify(cache));
});

afterAll(() => rmSync(directory, { recursive: true }));

/** The answer for a line with the cursor at its end; the last word is given as it was typed. */
async function answer(shell: string, line: string, last?: string): Promise<readonly string[]> {
  const words = [...splitWords(line), ...(last === undefined ? [] : [last])];
  if (last === undefined && line.endsWith(' ')) words.push('');
  const typed = words.pop() ?? '';
  const text = await complete([shell, ...words, `=${typed}`], {
    environment,
    platform: 'linux',
    tree,
    namesInFile,
  });
  return text.split('\n').slice(0, -1);
}

const wordsAt = async (line: string) => (await answer('zsh', line)).map((one) => one.split('\t')[0]);

const ODD = ["it's", 'a b'];
const FILES = [
  [
    'columns of a list',
    'bulk-delete --from ~/list.csv --column ',
    ['Distinct ID', "Customer's (id)", 'E-mail', '2026', 'Paid in 2025', ...ODD],
  ],
  ['those behind =', 'bulk-delete --from=~/list.csv --column=E', ['--column=E-mail']],
  ['those of a list to spare', 'bulk-delete --from list --except ~/list.csv --except-column E', ['E-mail']],
  ['those of a list with tabs', 'bulk-delete --from ~/list.tsv --received-column R', ['Received on']],
  [
    'those of each sheet, of which the column chooses one',
    'bulk-delete --from "~/my list.xlsx" --column ',
    ['Ticket', 'Distinct ID', 'second'],
  ],
  ['those of one sheet', 'bulk-delete --sheet second --from "~/my list.xlsx" --column ', ['second']],
  ['sheets', 'bulk-delete --from "~/my list.xlsx" --sheet ', ['EU shop', 'second']],
  ['sheets of a list to spare', 'bulk-delete --except "~/my list.xlsx" --except-sheet E', ['EU shop']],
  ['no first line of data', 'bulk-delete --from ~/headless.csv --column ', []],
  ['no first line with a date', 'bulk-delete --from ~/dated.csv --column ', []],
  ['nothing of a damaged workbook', 'bulk-delete --from ~/damaged.xlsx --sheet ', []],
  ['nothing of a file that is not there', 'bulk-delete --from ~/nothing.csv --column ', []],
  ['nothing of standard input', 'bulk-delete --from - --column ', []],
].map(([what, line, lines]) => [what, `hogctl persons ${line}`, lines]) as [string, string, string[]][];

describe('the answer to Tab', () => {
  it.each([
    ['a noun', 'hogctl proj', ['projects']],
    ['a verb', 'hogctl persons unse', ['unset']],
    ['a verb after a global option', 'hogctl -p shop persons spl', ['split']],
    ['a verb after letters of options', 'hogctl -yp shop persons spl', ['split']],
    ['a verb after an address', 'hogctl --host https://eu.example persons spl', ['split']],
    ['an option of an alias', 'hogctl persons set --stri', ['--string']],
    ['a global option', 'hogctl persons list --spread', ['--spreadsheet-safe']],
    ['an option without a noun', 'hogctl --vers', ['--version']],
    ['a choice', 'hogctl persons list -o nd', ['ndjson']],
    ['a format of one command', 'hogctl insights check -o ju', ['junit']],
    ['it for no other', 'hogctl insights get -o ju', []],
    ['an option with a choice more once', 'hogctl insights check --outp', ['--output']],
    ['a choice behind =', 'hogctl persons list --output=nd', ['--output=ndjson']],
    ['a choice behind a letter', 'hogctl persons list -ond', ['-ondjson']],
    ['a value that may be left out', 'hogctl insights get --refresh force_b', ['force_blocking']],
    ['an option after one without its value', 'hogctl insights get --refresh --requ', ['--require-result']],
    ['a choice of an argument', 'hogctl completion install pow', ['powershell']],
    ['nothing behind the last argument', 'hogctl completion install zsh ', []],
    ['an option behind an argument', 'hogctl persons get 42 --spread', ['--spreadsheet-safe']],
    ['no option that is given', 'hogctl persons get 42 --spreadsheet-safe --spread', []],
    ['both forms of a switch', 'hogctl insights trends --no-cha', ['--no-chart']],
    ['no form of a switch that is given', 'hogctl insights trends --chart --no-cha', []],
    [
      'an option that may be given again',
      'hogctl persons update 42 --set a=1 --se',
      ['--set', '--server-format'],
    ],
    ['nothing that is an option behind --', 'hogctl persons get -- --spread', []],
    ['the command whose help is wanted', 'hogctl help persons spl', ['split']],
    ['the command whose help is wanted behind its noun', 'hogctl -q persons help spl', ['split']],
    ['a topic of help', 'hogctl help exit', ['exit-codes']],
    ['hogctl inside the sandbox', 'hogctl sandbox exec -- hogctl persons spl', ['split']],
    ['nothing of what there is not', 'hogctl nonsense ', []],
    ['nothing if any text may stand', 'hogctl persons list --search peo', []],
    ['nothing for a person', 'hogctl persons get ', []],
  ])('holds %s', async (_, line, words) => {
    expect(await wordsAt(line)).toEqual(words);
  });

  it.each([
    ['files', 'hogctl persons list --save peo', ':files\t'],
    ['files behind =', 'hogctl persons list --save=peo', ':files\t--save='],
    ['files behind an @', 'hogctl persons list --properties @peo', ':files\t@'],
    ['files behind both', 'hogctl persons list --properties=@peo', ':files\t--properties=@'],
    ['folders', 'hogctl insights pull runs', ':folders\t'],
    ['another program', 'hogctl -p shop sandbox exec --empty -- np', ':command\t7'],
    ['its words', 'hogctl sandbox exec npm --ver', ':command\t3'],
  ])('asks the shell for %s', async (_, line, directive) => {
    expect(await answer('bash', line)).toEqual([directive]);
  });

  it.each([
    ['stored projects', 'hogctl -p ', ['shop\t1 at https://eu.posthog.com']],
    ...['show', 'resume', 'report', 'verify', 'check', 'prune'].map(
      (verb): [string, string, readonly string[]] => [
        `runs, the latest first, and requests for ${verb}`,
        `hogctl runs ${verb} `,
        [
          'last\tThe newest run',
          '20261128T120000Z\t2 ids in project Shop',
          '20260101T000000Z\t1 id in project Shop',
          'request-20261128T115959Z-abcdef',
        ],
      ],
    ),
    ['insights with their names', 'hogctl insights get M', ['M49megqP\tOrders per day']],
    ['names on one line', 'hogctl insights get Odd', ['Odd\tone two three [31m']],
    ['several insights', 'hogctl insights viewed 9 M', ['M49megqP\tOrders per day']],
    ['no second insight', 'hogctl insights get 9 M', []],
    ['none behind the option for it', 'hogctl insights get --short-id M49megqP M', []],
    ['keys of properties', 'hogctl persons unset 42 pl', ['plan']],
    ['no key for a person', 'hogctl persons unset pl', []],
    ['keys if an option names the person', 'hogctl persons unset --email a@b.example pl', ['plan']],
    ['keys that a value follows', 'hogctl persons update 42 --set pl', ['plan=']],
    ['the rest of a list', 'hogctl persons list --columns plan,', ['plan,$browser', 'plan,distinct_ids']],
    ['a list behind =', 'hogctl persons list --columns=plan,d', ['--columns=plan,distinct_ids']],
    ...FILES,
    ['nothing of another project', 'hogctl -p 2 insights get ', []],
    ['nothing of another host', 'hogctl --host us insights get ', []],
  ])('knows %s', async (_, line, lines) => {
    expect(await answer('zsh', line)).toEqual(lines);
  });

  it('finds an insight by its name in bash, which shows no names', async () => {
    expect(await answer('bash', 'hogctl insights get', 'ze')).toEqual(['zeNY2NOU', 'zeOther0']);
    expect(await answer('bash', 'hogctl insights get', '"weekly s')).toEqual(['zeNY2NOU']);
    expect(await answer('bash', 'hogctl insights get', 'weekly')).toEqual([]);
    expect(await answer('fish', 'hogctl insights get', '"weekly s')).toEqual([]);
    expect(await answer('bash', 'hogctl', 'look')).toEqual([]);
  });

  it('quotes a dollar sign for bash, which inserts words as they are', async () => {
    const line = 'hogctl persons unset 42';
    expect(await answer('bash', line, '\\$b')).toEqual(['\\$browser']);
    expect(await answer('bash', line, '"\\$b')).toEqual(['\\$browser']);
    expect(await answer('bash', line, "'$b")).toEqual(['$browser']);
    expect(await answer('zsh', line, '\\$b')).toEqual(['$browser']);
  });

  it.each([
    [
      '',
      ['Distinct\\ ID', "Customer\\'s\\ \\(id\\)", 'E-mail', '2026', 'Paid\\ in\\ 2025', "it\\'s", 'a\\ b'],
    ],
    ['Distinct\\ I', ['Distinct\\ ID']],
    ['"Customer\'s', ["Customer's (id)"]],
    ["'Dis", ['Distinct ID']],
    ["'it", []],
  ])('quotes a column for bash behind %j', async (typed, words) => {
    expect(await answer('bash', 'hogctl persons bulk-delete --from ~/list.csv --column', typed)).toEqual(
      words,
    );
  });

  it.each(['hogctl -p ', 'hogctl runs prune ', 'hogctl persons unset 42 ', 'hogctl persons list --columns '])(
    'holds nothing that a shell would run: %s',
    async (line) => {
      const words = await wordsAt(line);
      expect(words.length).toBeGreaterThan(0);
      expect(words.filter((word) => !/^[\w$][\w-]*$/.test(word ?? ''))).toEqual([]);
    },
  );

  it('gives back no list that a shell would run', async () => {
    expect(await answer('bash', 'hogctl persons list --columns', "'$(touch x),pl")).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('waits for no pipe in place of a file', async () => {
    const pipes = mkdtempSync(join(tmpdir(), 'hogctl-completion-'));
    execFileSync('mkfifo', [join(pipes, 'config.json')]);
    const text = await complete(['zsh', 'hogctl', '-p', '='], {
      environment: { HOGCTL_CONFIG_DIR: pipes },
      platform: 'linux',
      tree,
      namesInFile,
    });
    rmSync(pipes, { recursive: true });
    expect(text).toBe('');
  });

  it.each([[[]], [['zsh']], [['zsh', 'hogctl']], [['zsh', '=']]])('is nothing for %j', async (words) => {
    const surroundings = {
      environment: {},
      platform: 'linux',
      tree: '{',
      namesInFile,
    };
    expect(await complete(words, surroundings)).toBe('');
  });
});

describe('a word as it is typed', () => {
  it.each([
    ['plan', 'plan'],
    ["'a b", 'a b'],
    ['"a b"c', 'a bc'],
    ['\\$browser', '$browser'],
    ["'\\$x'", '\\$x'],
    ['"\\$x"', '$x'],
    ['a\\', 'a\\'],
  ])('%s is %s without its quotes', (typed, plain) => {
    expect(plainWord(typed)).toBe(plain);
  });
});
