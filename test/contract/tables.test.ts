import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Option } from '../../src/cli/command/options.ts';
import { flagOf } from '../../src/cli/command/spelling.ts';
import { groups } from '../../src/commands/index.ts';
import { oddReasons } from '../../src/erasure/input/checks.ts';
import { QUANTITIES } from '../../src/insights/judging/judge.ts';
import type { Json } from '../../src/json/kinds.ts';
import { formats, namedFormats } from '../../src/print/formats.ts';
import { oddIds } from '../support/odd-ids.ts';
import { runProgram } from '../support/run-program.ts';
import { splitWords } from '../support/split-words.ts';
import { showRows } from '../unit/print/show.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manual = read('docs/commands.md');

/** The transcripts of all that was tried with the whole program. */
const transcripts = readdirSync(join(root, 'test/golden'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.txt'))
  .map((path) => read(join('test/golden', path)));

const lacking = (names: readonly string[], has: (name: string) => boolean) =>
  names.filter((name) => !has(name));

describe('each format of src/print/formats.ts', () => {
  it('has a transcript', () => {
    const asked = (name: string) => new RegExp(`^\\$ .*(?:-o |--output[ =])${name}\\b`, 'm');
    const isShown = (name: string) => name === 'table' || transcripts.some((text) => asked(name).test(text));
    expect(lacking(namedFormats, isShown), 'add a line with -o <format> to a test of test/e2e').toEqual([]);
  });

  it('is tried by chance', () => {
    const scripts = ['scripts/fuzz/chance.mjs', 'scripts/fuzz/cases.mjs'].map(read);
    const isTried = (name: string) => scripts.every((text) => text.includes(`'${name}'`));
    expect(lacking(namedFormats, isTried), 'name it in scripts/fuzz').toEqual([]);
  });
});

describe.each(namedFormats)('the row of %s in src/print/formats.ts', (format) => {
  const write = async (pages: readonly (readonly Json[])[], headers = true) =>
    (await showRows(pages, { format, headers })).text;
  const [one, two] = [[{ name: 'a', more: 1 }], [{ name: 'longer', more: 2 }]];

  it('says by hasHeader whether --no-headers leaves out a line', async () => {
    expect(formats[format].hasHeader).toBe((await write([one])) !== (await write([one], false)));
  });

  it('says by isByLine whether more rows continue it', async () => {
    const apart = (await write([one])) + (await write([two], false));
    expect(formats[format].isByLine).toBe((await write([one, two])) === apart);
  });
});

describe('each quantity of src/insights/judging/judge.ts', () => {
  const names = Object.keys(QUANTITIES);

  it('stands in the manual', () => {
    const [, listed = ''] = /Names: ([\w\s,]+)\./.exec(manual) ?? [];
    expect(listed.split(/[,\s]+/), 'npm run generate').toEqual(names);
  });

  it('has a figure in a test', () => {
    const tests = read('test/unit/insights/judging/judge.test.ts');
    const isTried = (name: string) => new RegExp(`'${name}(?:\\(\\d\\))? ?(?:[<>=!]|is )`).test(tests);
    expect(lacking(names, isTried), 'add it to test/unit/insights/judging/judge.test.ts').toEqual([]);
  });
});

describe('each reason of src/erasure/input/checks.ts', () => {
  it('has ids that it is said of', () => {
    const begins = (reason: string) => oddIds.some(([title]) => reason.startsWith(title));
    // Of a whole file, or of addresses.
    const others = ['test/unit/erasure/input/checks.test.ts', 'test/e2e/addresses.test.ts']
      .map(read)
      .join('');
    const isTried = (reason: string) => begins(reason) || others.includes(reason.slice(0, 18));
    expect(lacking(oddReasons, isTried), 'add ids to test/support/odd-ids.ts').toEqual([]);
  });
});

/** Options of ours that say what is asked of the service, or that a command refuses beside others by itself. */
const ASK = new Set(
  [
    'property cohort pending full via body get variable value limit status day days series step dropped entity converted',
    'event events actions where exclude excludeFrom excludeTo filter_test_accounts date_from date_to interval intervals',
    'breakdown breakdown_type breakdown_limit math mathProperty firstTime window windowDays orderType viz groupTypeIndex',
    'showToken tables check edit async wait field input include curl',
  ].flatMap((names) => names.split(' ')),
);

const commands = (
  await Promise.all(
    groups.map(async ({ name, load }) => (await load()).map((command) => ({ noun: name, ...command }))),
  )
).flat();

describe('each option of a command whose answer --server-format passes on', () => {
  const options = commands.flatMap(({ noun, name, ownRows, endpoints: [row], options: own }) => {
    const sent = new Set(row?.parameters.map((parameter) => parameter.name));
    return ownRows
      ? []
      : Object.entries(own)
          .filter(([key]) => !sent.has(key))
          .map(([key, option]) => ({ command: `src/commands/${noun}/${name}.ts:`, key, ...option }));
  });

  it('is a part of the request, or is refused beside it', () => {
    const unknown = options.filter(({ key, needsRows }) => needsRows !== true && !ASK.has(key));
    const remedy = 'give it needsRows: true if it works on rows here, else add it to ASK in this file';
    expect(
      unknown.map(({ command, key }) => `${command} ${key}`),
      remedy,
    ).toEqual([]);
  });
});

/** What else each command needs that reads a list. */
const READING: Readonly<Record<string, string>> = {
  'auth login': '--name shop',
  'persons bulk-delete': '--distinct-ids user_1 --yes',
  'runs find': '',
  'runs verify': 'last --receipt answer.csv',
};

describe('each option that names a column of a file', () => {
  const options = commands.flatMap(({ noun, name, options: own }) =>
    Object.entries<Option>(own).map(([key, option]) => ({ command: `${noun} ${name}`, key, ...option })),
  );
  const columns = options.filter(({ offers }) => offers === 'file columns');
  // It opens a run first: test/e2e/erasure-several-files.test.ts has one.
  const tried = columns.filter(({ command }) => command !== 'runs resume');

  it("says so in its row, by offers: 'file columns' and of: 'from' or 'except'", () => {
    const named = options.filter(({ key }) => /column$/i.test(key));
    expect(columns.filter(({ of }) => of !== undefined)).toEqual(named);
  });

  it.each(tried)('is held to the columns that there are: $command, $key', async ({ command, key, of }) => {
    expect(READING, 'add the command to READING in this file').toHaveProperty([command]);
    const folder = mkdtempSync(join(tmpdir(), 'hogctl-columns-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const list = join(folder, 'list.csv');
    writeFileSync(list, 'Person,Came in\nuser_1,2026-03-01\n');
    const kind = of === 'except' ? '--except' : '-';
    const reading = { [`--${of}`]: list, [`${kind}-as`]: 'distinct-ids', [`${kind}-column`]: 'Person' };
    const words = Object.entries({ ...reading, [flagOf(key)]: 'Prson' }).flat();
    const { code, stderr } = await runProgram(
      [...command.split(' '), ...splitWords(READING[command] ?? ''), ...words],
      {
        // Whoever sends something ends with 6.
        environment: {
          HOGCTL_HOST: 'http://127.0.0.1:1',
          HOGCTL_PROJECT: '1',
          HOGCTL_API_KEY: 'phx_test',
          HOGCTL_STATE_DIR: folder,
        },
      },
    );
    expect(stderr).toMatch(/has no column "Prson"\nhint: .*: "Person", "Came in"\n/);
    expect(code).toBe(2);
  });
});

describe('the Context of src/cli/context.ts', () => {
  const [, body = ''] = /^export type Context = \{\n(.*?)^\};/ms.exec(read('src/cli/context.ts')) ?? [];
  const members = Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)\b/gm), ([, name = '']) => name);
  const documented = Array.from(
    body.matchAll(/^ {2}\/\*\* .* \*\/\n {2}(?:readonly )?(\w+)/gm),
    ([, name = '']) => name,
  );

  it('has at most 30 members: one more goes into the group that it belongs to', () => {
    expect(members).toContain('settings');
    expect(members.length).toBeLessThanOrEqual(30);
  });

  it('says of each in one line what it is', () => {
    expect(members.filter((name) => !documented.includes(name))).toEqual([]);
  });
});
