import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUG, DONE, EXIT_CODES } from '../../src/cli/run.ts';
import { CliError } from '../../src/errors.ts';
import { documentedCommands, tryCommand } from '../support/documented-commands.ts';
import { readTable } from '../support/markdown-tables.ts';
import { runProgram } from '../support/run-program.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path.replaceAll('\\', '/')}`);
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'RELEASING.md',
  'SECURITY.md',
  'changes/README.md',
  ...pages.sort(),
];

describe('commands in the documents', () => {
  it.each(documents)('all parse in %s', { timeout: 60_000 }, async (path) => {
    const failures: string[] = [];
    for (const command of documentedCommands(read(path))) {
      await tryCommand(command).catch((failure: unknown) => {
        failures.push(
          `hogctl ${command}: ${failure instanceof CliError ? failure.message : String(failure)}`,
        );
      });
    }
    expect(failures, `mend the commands in ${path}`).toEqual([]);
  });

  it('are found wherever they stand in a line', () => {
    const text = [
      'Write `hogctl persons list`, not `hogctl-key`.',
      '```sh',
      "$ printenv KEY | hogctl auth status 2>&1 # hogctl here is a comment's own",
      'eval "$(hogctl endpoints -o json)" && source <(hogctl completion bash)',
      "hogctl sandbox exec -- sh -c 'hogctl persons list --all | wc -l'",
      '```',
      '```text',
      'hogctl persons list [options]',
      '```',
    ].join('\n');
    expect(documentedCommands(text).filter((command) => !command.startsWith('here'))).toEqual([
      'persons list',
      'auth status',
      'endpoints -o json',
      'completion bash',
      "sandbox exec -- sh -c 'hogctl persons list --all | wc -l'",
      'persons list --all',
    ]);
  });

  it.each([
    'persons lst',
    'persons list --serach x',
    'persons get',
    'persons list -o xml',
    'persons list --limit many',
  ])('are refused when wrong: %s', async (command) => {
    await expect(tryCommand(command)).rejects.toThrow();
  });

  it('stand in the readme', () => {
    expect(documentedCommands(read('README.md')).length).toBeGreaterThan(15);
  });
});

describe('links in the documents', () => {
  it.each(documents)('lead to a file in %s', (path) => {
    const targets = [...read(path).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => !existsSync(join(root, dirname(path), target)));
    expect(broken, `mend these links in ${path}`).toEqual([]);
  });
});

/** In characters. A page that outgrows its bound is shortened or split by topic; a decision has a bound of words, below. */
const longest: { readonly [path: string]: number } = {
  'README.md': 13_000,
  'CONTRIBUTING.md': 16_000,
  'docs/exit-codes.md': 8_000,
  'docs/hardening.md': 20_000,
  'docs/security.md': 16_000,
  'docs/service.md': 30_000,
};

it.each(documents.filter((path) => !/^(?:CHANGELOG|docs\/commands|docs\/decisions\/.*)\.md$/.test(path)))(
  'a page is short enough to be read: %s',
  (path) => {
    expect(read(path).length, `shorten ${path}`).toBeLessThanOrEqual(longest[path] ?? 15_000);
  },
);

describe('a decision', () => {
  const decisions = pages.filter((path) => /^docs\/decisions\/(?!README|dependencies|picture)/.test(path));
  const index = read('docs/decisions/README.md');

  it.each(decisions)('says when, in place of what, and what was given up, in few words: %s', (path) => {
    const [head = '', ...parts] = read(path)
      .trim()
      .split(/\n(?=## )/);
    expect(head).toMatch(/^# \S.*\n\nDecided on \d{4}-\d{2}-\d{2}, /);
    for (const part of parts.length === 0 ? [head] : parts) {
      const [, text = ''] = part.split(/\n\n(.*)/s);
      expect(text.split(/\s+/).length, `shorten ${path}`).toBeLessThanOrEqual(100);
      expect(text, `say in ${path} what was given up`).toContain('\n\nGiven up: ');
    }
  });

  it('stands in the index with its title', () => {
    const titled = decisions.map((path) => [read(path).split('\n')[0]?.slice(2), path.split('/').at(-1)]);
    const missing = titled.filter(([title, file]) => !index.includes(`[${title}](${file})`));
    expect(missing, 'mend docs/decisions/README.md').toEqual([]);
    expect(decisions.length).toBeLessThanOrEqual(30);
  });
});

describe('dependencies in docs/decisions/dependencies.md', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const rows = read('docs/decisions/dependencies.md').matchAll(/^- \*\*(.*?)\*\*/gm);
  const isOfTypes = (name: string): boolean => name.startsWith('@types/');
  const named = Array.from(rows, ([, names = '']) => names.split(','))
    .flatMap((names) => names.map((text) => text.trim()))
    .filter((text) => !isOfTypes(text));

  it('are all that package.json names but packages of types, and no others', () => {
    const found = named.map((text) => text.replace(/ [\d.]+$/, '')).sort();
    expect(found, 'a row for each in docs/decisions/dependencies.md').toEqual(
      Object.keys(devDependencies)
        .filter((name) => !isOfTypes(name))
        .sort(),
    );
  });

  it('have the version that is used', () => {
    const versions = named.map((text) => text.split(' ')).filter(([, version]) => version !== undefined);
    const wrong = versions.filter(
      ([name = '', version]) => !devDependencies[name]?.startsWith(`${version}.`),
    );
    expect(wrong, 'mend the version in docs/decisions/dependencies.md').toEqual([]);
  });
});

describe('exit codes in the documents', () => {
  const codes = { done: DONE, bug: BUG, ...EXIT_CODES };

  it('are those of the program, with the same kinds', () => {
    const rows = readTable(read('docs/exit-codes.md'), 'Codes');
    expect(Object.fromEntries(rows.map(({ Code, Kind = '' }) => [Kind, Number(Code)]))).toEqual(codes);
  });

  it('are the same in the readme', () => {
    const rows = readTable(read('README.md'), 'Exit codes');
    expect(rows.map(({ Code }) => Number(Code))).toEqual(Object.values(codes).sort((a, b) => a - b));
  });

  it('come with the JSON that is shown', async () => {
    const [, shown = ''] = /```json\n(.*?)\n```/s.exec(read('docs/exit-codes.md')) ?? [];
    const { code, stderr, stdout } = await runProgram(['persons', 'list', '-o', 'json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(shown)).toEqual(JSON.parse(stderr));
  });
});

describe('the files that the documents name', () => {
  const folders = ['src', 'test', 'scripts', 'docs', 'bin', 'man', 'completions', 'dist'];
  const files = ['src', 'test', 'scripts', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      `/${folder}/${path}`.replaceAll('\\', '/'),
    ),
  );
  const isThere = (path: string): boolean =>
    path.startsWith('dist/') ||
    existsSync(join(root, path)) ||
    files.some((file) => file.endsWith(`/${path}`) || file.endsWith(`/${path}.test.ts`));

  it.each([...documents.filter((path) => path !== 'CHANGELOG.md'), 'src/sandbox/README.md'])(
    'are there: %s',
    (path) => {
      const quoted = Array.from(read(path).matchAll(/`([\w./-]+)`/g), ([, text = '']) => text);
      const named = quoted.filter((text) => folders.includes(text.split('/')[0] ?? '') && text.includes('/'));
      const sources = quoted.filter((text) => /\w\.(?:ts|mjs|cjs)$/.test(text));
      const missing = [...named, ...sources].filter((text) => !isThere(text));
      expect(missing, `mend these names in ${path}`).toEqual([]);
    },
  );

  it('hold the functions and types that CONTRIBUTING.md says they do', () => {
    const pairs = [...read('CONTRIBUTING.md').matchAll(/`(\w+)` (?:in|of) `(src\/[\w/.-]+\.ts)`/g)];
    expect(pairs.length).toBeGreaterThan(4);
    const wrong = pairs.filter(
      ([, name, path = '']) =>
        !new RegExp(`(?:export|async|function\\*?|type|const) ${name}\\b`).test(read(path)),
    );
    expect(
      wrong.map(([text]) => text),
      'mend these in CONTRIBUTING.md',
    ).toEqual([]);
  });
});
