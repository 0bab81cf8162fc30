import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inlineRows, makeWorkbook } from '../support/workbook.ts';
import { BINARY, hogctl, KEY, start, startService } from './built-program.ts';
import { openShell } from './interactive-shell.ts';
import { hasTerminal, onTerminal } from './pseudo-terminal.ts';

const hasShell = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** Names that a shell would run, or that would break a list in two. */
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  'one\ntouch pwned',
  '; touch pwned #',
  "'; touch pwned; '",
  '\u001b[31mred',
  'tab\t$(touch pwned)',
  ':command\t0',
  '-rf',
  '*',
  '~root',
];
const INSIGHTS = [
  { id: 9, short_id: 'M49megqP', name: 'Orders per day' },
  { id: 10, short_id: 'zeNY2NOU', name: 'Weekly sign-ups' },
  ...HOSTILE.map((name, index) => ({ id: 20 + index, short_id: `Hostile${index}`, name })),
  { id: 40, short_id: '$(touch pwned)', name: 'A short id that is none' },
];
const PERSON = {
  id: 42,
  uuid: '0192f0c1-7a30-7000-8000-000000004711',
  name: 'Ana',
  distinct_ids: ['ana@example.org'],
  properties: {
    plan: 'secret-plan',
    $browser: 'Firefox',
    'ana@example.org': 1,
    ...Object.fromEntries(HOSTILE.map((key) => [key, 'x'])),
  },
};

/** A home in which a project is stored and commands have shown what they show; the service has gone. */
async function makeHome(): Promise<Record<string, string>> {
  const service = await startService([
    { on: /^GET .*\/insights\//, times: 99, json: { results: INSIGHTS, next: null } },
    { on: /^GET .*\/persons\//, times: 99, json: { results: [PERSON], next: null } },
  ]);
  const { PATH = '', HOME = '' } = service.environment;
  const config = join(HOME, '.config', 'hogctl');
  mkdirSync(config, { recursive: true });
  const stored = { name: 'shop', host: service.origin, id: '1', key: KEY, protected: false };
  const odd = { ...stored, name: 'a b$(touch pwned)' };
  writeFileSync(join(config, 'config.json'), JSON.stringify({ projects: [stored, odd], default: 'shop' }), {
    mode: 0o600,
  });
  writeFileSync(join(HOME, 'people.json'), '{}');
  const headings = ['Distinct ID', "Customer's (id)", ...HOSTILE].map((name) => `"${name}"`);
  writeFileSync(join(HOME, 'list.csv'), `${headings.join()}\n`);
  writeFileSync(join(HOME, 'my list.xlsx'), makeWorkbook({ rows: inlineRows([['id']]) }));
  mkdirSync(join(HOME, 'runs-here'));
  mkdirSync(join(HOME, '.local', 'state', 'hogctl', 'runs', '20261128T120000Z'), { recursive: true });
  const environment = { PATH, HOME, LANG: 'C.UTF-8' };
  for (const words of ['insights list', 'persons list -o json']) {
    const { code } = await onTerminal(`hogctl ${words}`, environment).ended;
    expect(code).toBe(0);
  }
  await service.close();
  return environment;
}

async function installed(shell: 'bash' | 'zsh' | 'fish') {
  const environment = await makeHome();
  if (shell === 'bash') writeFileSync(join(environment.HOME ?? '', '.bashrc'), 'unset HISTFILE');
  expect(await hogctl(['completion', 'install', shell], environment)).toMatchObject({ code: 0 });
  return { environment, shell: await openShell(shell, environment) };
}

/** What is typed before Tab, and what stands on the line after it. */
const LINES = [
  ['a noun', 'hogctl proj', 'hogctl projects'],
  ['a verb', 'hogctl persons unse', 'hogctl persons unset'],
  [
    'a verb after an address',
    'hogctl --host https://eu.example persons spl',
    'hogctl --host https://eu.example persons split',
  ],
  ['an option', 'hogctl persons get 42 --spread', 'hogctl persons get 42 --spreadsheet-safe'],
  ['a choice', 'hogctl persons list -o nd', 'hogctl persons list -o ndjson'],
  ['a choice behind =', 'hogctl persons list --output=nd', 'hogctl persons list --output=ndjson'],
  ['a file', 'hogctl persons list --save peo', 'hogctl persons list --save people.json'],
  ['a file behind =', 'hogctl persons list --save=peo', 'hogctl persons list --save=people.json'],
  [
    'a file behind an @',
    'hogctl persons list --properties @peo',
    'hogctl persons list --properties @people.json',
  ],
  ['a folder', 'hogctl insights pull run', 'hogctl insights pull runs-here/'],
  [
    'hogctl inside the sandbox',
    'hogctl sandbox exec -- hogctl persons spl',
    'hogctl sandbox exec -- hogctl persons split',
  ],
  ['another program', 'hogctl sandbox exec -- mkfif', 'hogctl sandbox exec -- mkfifo'],
  ['a file of another program', 'hogctl sandbox exec -- cat peo', 'hogctl sandbox exec -- cat people.json'],
  ['a stored project', 'hogctl -p sh', 'hogctl -p shop'],
  ['a stored project after =', 'hogctl persons list --project=sh', 'hogctl persons list --project=shop'],
  ['the project to use', 'hogctl auth use sh', 'hogctl auth use shop'],
  ['an insight by its short id', 'hogctl insights get ze', 'hogctl insights get zeNY2NOU'],
  ['one of several insights', 'hogctl insights viewed 9 ze', 'hogctl insights viewed 9 zeNY2NOU'],
  ['the value of --short-id', 'hogctl insights get --short-id M', 'hogctl insights get --short-id M49megqP'],
  ['a column', 'hogctl persons list --columns id,dist', 'hogctl persons list --columns id,distinct_ids'],
  ['a key of a property', 'hogctl persons unset 42 pl', 'hogctl persons unset 42 plan'],
  ['a condition', 'hogctl persons list --property pl', 'hogctl persons list --property plan='],
  ['a property to set', 'hogctl persons update 42 --set pl', 'hogctl persons update 42 --set plan='],
  ['a key behind a dollar sign', 'hogctl persons set 42 \\$b', 'hogctl persons set 42 \\$browser'],
  ['a run', 'hogctl runs show 2026', 'hogctl runs show 20261128T120000Z'],
  ['the newest run', 'hogctl runs resume l', 'hogctl runs resume last'],
  [
    'a column of a list',
    'hogctl persons bulk-delete --from list.csv --column Cust',
    "hogctl persons bulk-delete --from list.csv --column Customer\\'s\\ \\(id\\)",
  ],
  [
    'a column after =',
    'hogctl persons bulk-delete --from=list.csv --column=Distinct\\ ',
    'hogctl persons bulk-delete --from=list.csv --column=Distinct\\ ID',
  ],
  [
    'a column behind a quote',
    'hogctl persons bulk-delete --from list.csv --column "Distinct I',
    'hogctl persons bulk-delete --from list.csv --column "Distinct ID"',
  ],
  [
    'a sheet of a workbook',
    "hogctl persons bulk-delete --from 'my list.xlsx' --sheet Req",
    "hogctl persons bulk-delete --from 'my list.xlsx' --sheet Requests",
  ],
] as const;

describe.each(['bash', 'zsh', 'fish'] as const)('completion install in %s', { timeout: 120_000 }, (name) => {
  describe.skipIf(!hasTerminal || !hasShell(name))('a real one', () => {
    it('makes Tab offer what commands have shown, with the service gone', async () => {
      const { shell } = await installed(name);
      for (const [what, typed, expected] of LINES) {
        // Bash may quote an @, which is the same word.
        const line = (await shell.line(`${typed}\t`)).replace('\\@', '@').trimEnd();
        expect([what, line]).toEqual([what, expected]);
      }
      await shell.close();
    });

    if (name === 'bash') {
      it('finds an insight by its name, and a key behind a quote', async () => {
        const { shell } = await installed(name);
        expect(await shell.line('hogctl insights get week\t')).toBe('hogctl insights get zeNY2NOU ');
        expect(await shell.line("hogctl persons unset 42 '$b\t")).toBe("hogctl persons unset 42 '$browser' ");
        expect(await shell.line('hogctl persons unset 42 $b\t')).toBe('hogctl persons unset 42 \\$browser ');
        await shell.close();
      });
    } else {
      it('shows the name of an insight beside its short id, and last before other runs', async () => {
        const { shell } = await installed(name);
        shell.terminal.type('hogctl insights get \t');
        await shell.terminal.says('Weekly sign-ups');
        await shell.line('\x15');
        expect((await shell.line('hogctl runs show \t\t')).trimEnd()).toBe('hogctl runs show last');
        await shell.close();
      });
    }

    it('runs nothing that stands in a name, and shows no line of it as another', async () => {
      const { environment, shell } = await installed(name);
      await shell.line('hogctl insights get \t\t');
      await shell.line('hogctl persons list --columns \t\t');
      await shell.line('hogctl -p \t\t');
      await shell.line('hogctl persons unset 42 \t\t');
      await shell.line('hogctl persons bulk-delete --from list.csv --column \t\t');
      expect(existsSync(join(environment.HOME ?? '', 'pwned'))).toBe(false);
      expect(await shell.line('hogctl insights get tou\t')).toBe('hogctl insights get tou');
      expect((await shell.line('hogctl insights get Hostile2\t')).trimEnd()).toBe(
        'hogctl insights get Hostile2',
      );
      await shell.close();
    });

    it('is silent where nothing is known and where files are damaged', async () => {
      const { environment, shell } = await installed(name);
      const cache = join(environment.HOME ?? '', '.cache', 'hogctl', 'completion');
      for (const file of readdirSync(cache)) writeFileSync(join(cache, file), '{"version":1,');
      expect(await shell.line('hogctl insights get ze\t')).toBe('hogctl insights get ze');
      writeFileSync(join(environment.HOME ?? '', '.config', 'hogctl', 'config.json'), '{');
      expect(await shell.line('hogctl -p sh\t')).toBe('hogctl -p sh');
      expect(readFileSync(join(cache, readdirSync(cache)[0] ?? ''), 'utf8')).toBe('{"version":1,');
      await shell.close();
    });
  });
});

const LOADER = '/usr/share/bash-completion/bash_completion';

describe.skipIf(!hasTerminal || !existsSync(LOADER))('completion install beside bash-completion', () => {
  it('is found by it at the first Tab, and not before', async () => {
    const environment = await makeHome();
    writeFileSync(join(environment.HOME ?? '', '.bashrc'), `unset HISTFILE\n. ${LOADER}\n`);
    expect(await hogctl(['completion', 'install', 'bash'], environment)).toMatchObject({ code: 0 });
    const shell = await openShell('bash', environment);
    shell.terminal.type('declare -F _hogctl || echo not""yet\r');
    await shell.terminal.says('notyet');
    expect(await shell.line('hogctl insights get ze\t')).toBe('hogctl insights get zeNY2NOU ');
    await shell.close();
  });
});

describe.skipIf(!hasTerminal)('the answer to Tab', () => {
  it('loads little of the program: no commands, no parser, no client, no settings package', async () => {
    const environment = await makeHome();
    const listing = join(environment.HOME ?? '', 'listing.cjs');
    writeFileSync(
      listing,
      `process.on('exit', () => {
        for (const path of Object.keys(require.cache)) process.stderr.write(path + '\\n');
      });`,
    );
    const words = ['--require', listing, BINARY, '__complete', 'zsh', 'hogctl', 'insights', 'get', '='];
    const { code, stdout, stderr } = await start([process.execPath, ...words], environment).ended;
    expect([code, String(stdout)]).toEqual([0, expect.stringContaining('M49megqP\tOrders per day\n')]);
    const loaded = stderr
      .trim()
      .split('\n')
      .filter((path) => path.includes('/dist/'));
    const bytes = loaded.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(loaded.map((path) => basename(path))).toEqual(['main.cjs', 'tab.cjs']);
    expect(bytes).toBeLessThan(statSync(join(dirname(loaded[0] ?? ''), 'program.cjs')).size / 20);
  });

  it('shows the key to nobody', async () => {
    const environment = { ...(await makeHome()), HOGCTL_API_KEY: KEY };
    const lines = [
      '-p',
      'insights get',
      'persons list --columns',
      'persons unset 42',
      'runs show',
      'auth use',
    ];
    for (const line of lines) {
      const words = ['__complete', 'zsh', 'hogctl', ...line.split(' '), '='];
      const { stdout, stderr } = await hogctl(words, environment);
      expect(String(stdout) + stderr).not.toContain(KEY);
    }
  });
});
