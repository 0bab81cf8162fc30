import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Floors, findFaults } from '../support/floors.ts';

const everywhere = ['src/'];

/** What is open to all: these import nothing above them. */
const ground = ['json', 'system', 'service'];

const floors: Floors = {
  folders: {
    main: ['*'],
    program: ['*'],
    commands: ['cli', 'completion', 'erasure', 'insights', 'api', 'output', ...ground],
    cli: ['completion', 'client', 'settings', 'output', 'api', ...ground],
    completion: ['cli', 'client', 'settings', 'output', 'api', ...ground],
    client: ['api', ...ground],
    settings: ['api', ...ground],
    output: ['api', ...ground],
    erasure: ['api', ...ground],
    insights: ['api', 'output', ...ground],
    sandbox: ['api', ...ground],
    api: ['json', 'service'],
    service: ['json'],
    json: [],
    system: [],
    errors: [],
  },
  // A use case is handed a client and the context of its command.
  types: { insights: ['client', 'cli'], erasure: ['client', 'cli'] },
  late: { 'src/commands/sandbox/': ['sandbox'] },
  outside: { 'src/cli/version.ts': ['package.json'] },
  packages: {
    undici: ['src/client/'],
    'lossless-json': ['src/json/'],
    conf: ['src/settings/'],
    commander: ['src/cli/'],
    chalk: ['src/output/'],
    'cli-table3': ['src/output/'],
    'string-width': ['src/output/'],
    'csv-parse': ['src/erasure/'],
    diff: ['src/output/'],
    'd3-format': ['src/output/pictures/'],
    'd3-scale': ['src/output/pictures/'],
    'd3-shape': ['src/output/pictures/'],
    '@duckdb/node-api': ['src/sandbox/store/'],
    'node:fs': ['src/settings/', 'src/erasure/run-directory.ts', 'src/system/'],
    'node:http': ['src/sandbox/'],
    'node:child_process': ['src/system/'],
    'node:readline': ['src/system/'],
    'node:tls': ['src/client/'],
    'node:buffer': ['src/client/'],
    'node:tty': ['src/system/'],
    'node:v8': ['src/system/'],
    // A run's lock says on which machine its owner lives.
    'node:os': ['src/erasure/lock.ts', 'src/system/'],
    'node:stream': everywhere,
    'node:crypto': everywhere,
    'node:path': everywhere,
    'node:util': everywhere,
    'node:zlib': everywhere,
  },
  words: [
    { name: 'process', word: /\bprocess\b/, except: ['src/main.ts'] },
    { name: 'console', word: /\bconsole\b/, except: ['src/main.ts'] },
    { name: 'fetch', word: /\bfetch\b/, except: ['src/main.ts'] },
    {
      name: 'the clock',
      word: /\bDate\.now\b|\bnew Date\(\s*\)/,
      except: ['src/system/open-system.ts'],
    },
    { name: 'chance', word: /\bMath\.random\b/, except: ['src/system/open-system.ts'] },
    {
      name: 'JSON.parse',
      word: /\bJSON\.parse\b/,
      // Where others chose the keys it may read them wrong. Beside the place that does it right: texts with our own keys,
      // or without any.
      except: [
        'src/main.ts',
        'src/json/parse.ts',
        'src/completion/cache.ts',
        'src/cli/command/typed-value.ts',
        'src/client/find-next.ts',
        'src/client/read-rows.ts',
        'src/client/remember-rows.ts',
        'src/cli/newest-version.ts',
        'src/settings/',
        'src/erasure/check-run.ts',
        'src/erasure/entries.ts',
        'src/erasure/journal.ts',
        'src/erasure/lock.ts',
        'src/erasure/members.ts',
        'src/erasure/run.ts',
        'src/erasure/resolve.ts',
        'src/sandbox/analysis/breakdown.ts',
      ],
    },
  ],
  lines: [
    { path: 'src/commands/', containing: /\bdefineCommand\(/, most: 40 },
    // The rows of one noun are one value, and a row is written out field by field.
    { path: 'src/service/', most: 500 },
    { path: 'src/', most: 350 },
    { path: 'test/', most: 350 },
  ],
};

const root = join(import.meta.dirname, '../..');

function readSources(folder: string): Map<string, string> {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return new Map(
    paths.map((path) => {
      const name = `${folder}/${path.replaceAll('\\', '/')}`;
      return [name, readFileSync(join(root, name), 'utf8')];
    }),
  );
}

function faultsOf(path: string, text: string): readonly string[] {
  return findFaults(floors, new Map([[path, text]])).map(({ floor, what }) => `${floor}: ${what}`);
}

describe('the floors', () => {
  it('hold in every source and test', () => {
    const sources = readSources('src');
    expect(sources.size).toBeGreaterThan(0);
    expect(findFaults(floors, sources)).toEqual([]);
  });

  it('hold for the length of tests', () => {
    const faults = findFaults(floors, readSources('test'));
    expect(faults.filter(({ floor }) => floor === 'lines')).toEqual([]);
  });

  it.each([
    ['commands/persons', '../../client/a.ts', '../../cli/a.ts'],
    ['commands/persons', '../../sandbox/a.ts', '../../insights/a.ts'],
    ['commands/sandbox', '../../settings/a.ts', '../../api/a.ts'],
    ['cli', '../commands/a.ts', '../settings/a.ts'],
    ['cli', '../erasure/a.ts', '../output/a.ts'],
    ['cli', '../main.ts', '../errors.ts'],
    ['client', '../settings/a.ts', '../api/a.ts'],
    ['settings', '../client/a.ts', '../errors.ts'],
    ['output', '../cli/a.ts', './a.ts'],
    ['erasure', '../output/a.ts', '../api/endpoints/a.ts'],
    ['insights', '../erasure/a.ts', '../api/a.ts'],
    ['sandbox', '../insights/a.ts', '../api/a.ts'],
    ['api', '../client/a.ts', '../errors.ts'],
    ['service', '../system/a.ts', '../json/a.ts'],
    ['json', '../system/a.ts', '../errors.ts'],
    ['system', '../json/a.ts', '../errors.ts'],
    ['erasure', '../output/a.ts', '../json/a.ts'],
    ['sandbox', '../output/a.ts', '../system/a.ts'],
    ['client', '../../test/a.ts', '../api/a.ts'],
  ])('keep %s from importing %s', (folder, closed, open) => {
    const path = `src/${folder}/planted.ts`;
    expect(faultsOf(path, `import type { A } from '${closed}';`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `export * from '${closed}';`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `const a = await import('${closed}');`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `import type { A } from '${open}';`)).toEqual([]);
  });

  it('let the sandbox commands load the sandbox late, and only late', () => {
    const path = 'src/commands/sandbox/start.ts';
    expect(faultsOf(path, "import { a } from '../../sandbox/a.ts';")).toEqual(['folder: ../../sandbox/a.ts']);
    expect(faultsOf(path, "const { a } = await import('../../sandbox/a.ts');")).toEqual([]);
    expect(faultsOf(path, 'const a = await import(name);')).toEqual(['package: ?']);
  });

  const restricted = Object.entries(floors.packages).filter(([, paths]) => paths !== everywhere);
  it.each(restricted)('let only some folders name %s', (name, [allowed = '']) => {
    const path = allowed.endsWith('.ts') ? allowed : `${allowed}planted.ts`;
    expect(faultsOf('src/insights/planted.ts', `import { a } from '${name}/part';`)).toEqual([
      `package: ${name}/part`,
    ]);
    expect(faultsOf(path, `import { a } from '${name}/part';`)).toEqual([]);
  });

  it('let nobody name a package that the table does not list', () => {
    expect(faultsOf('src/client/planted.ts', "import axios from 'axios';")).toEqual(['package: axios']);
    expect(faultsOf('src/client/planted.ts', "import type { A } from 'axios';")).toEqual(['package: axios']);
  });

  it.each([
    ['process', 'export const a = process.env;'],
    ['console', 'console.log(1);'],
    ['fetch', "await fetch('x');"],
    ['the clock', 'const now = Date.now();'],
    ['the clock', 'const now = new Date();'],
    ['chance', 'const a = Math.random();'],
    ['JSON.parse', 'const a = JSON.parse(text);'],
  ])('keep %s in its place', (name, code) => {
    const place = floors.words.find((word) => word.name === name)?.except[0] ?? '';
    expect(faultsOf('src/insights/planted.ts', code)).toEqual([`word: ${name}`]);
    const inTemplate = ['const b = `${`${async () => {', code, '}}`}`;'].join('');
    expect(faultsOf('src/insights/planted.ts', inTemplate)).toEqual([`word: ${name}`]);
    expect(faultsOf(place, code)).toEqual([]);
    const harmless = `// ${code}\n/* ${code} */ const c = ${JSON.stringify(code)} + \`${code}\`; const b = /[/]${name}/;`;
    expect(faultsOf('src/insights/planted.ts', harmless)).toEqual([]);
  });

  it.each([
    ['src/commands/persons/list.ts', 40, 'export const a = defineCommand({});\n'],
    ['src/commands/persons/find-person.ts', 350, ''],
    ['src/client/request.ts', 350, ''],
    ['src/service/persons.ts', 500, ''],
    ['test/unit/a.test.ts', 350, ''],
  ])('keep %s within %d lines', (path, most, first) => {
    const lines = (count: number): string =>
      first + 'export const a = 1;\n'.repeat(count - (first === '' ? 0 : 1));
    expect(faultsOf(path, lines(most))).toEqual([]);
    expect(faultsOf(path, lines(most + 1))).toEqual([`lines: ${most + 1} of ${most}`]);
  });

  it('find files that import each other, in the end and by type alone too', () => {
    const files = new Map([
      ['src/client/a.ts', "import { b } from './b.ts';"],
      ['src/client/b.ts', "import type { C } from './c.ts';"],
      ['src/client/c.ts', "const a = () => import('./a.ts');"],
      ['src/client/d.ts', "import { a } from './a.ts';"],
    ]);
    const cycles = findFaults(floors, files).map(({ floor, path }) => `${floor}: ${path}`);
    expect(cycles).toEqual(['cycle: src/client/a.ts', 'cycle: src/client/b.ts', 'cycle: src/client/c.ts']);
  });
});
