import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Floors, findFaults } from '../support/floors.ts';
import { floorsPicture } from '../support/floors-picture.ts';

const everywhere = ['src/'];

/** What is open to all: these import nothing above them. */
const ground = ['json', 'system', 'service', 'semantics'];
/** Each does one task with the input that it is given; these never import each other. */
const rooms = ['http', 'settings', 'print', 'charts'];
/** Whole use cases. */
const cases = ['erasure', 'persons', 'insights'];
/** What a use case may run of others. */
const belowCases = ['print', 'charts', ...ground];
/** Rooms of insights, from the top down: each may import those after it. */
const insightsRooms = ['checks', 'definitions', 'analyses', 'judging', 'answers'].map(
  (room) => `insights/${room}`,
);

function roomsBelow(rooms: readonly string[]): Floors['folders'] {
  return Object.fromEntries(rooms.map((room, at) => [room, [...rooms.slice(at + 1), ...belowCases]]));
}

const floors: Floors = {
  folders: {
    main: ['*'],
    program: ['*'],
    commands: ['cli', 'completion', ...cases, ...ground],
    cli: ['completion', ...cases, ...rooms, ...ground],
    completion: ['cli', ...cases, ...rooms, ...ground],
    erasure: belowCases,
    persons: belowCases,
    insights: [...insightsRooms, ...belowCases],
    ...roomsBelow(insightsRooms),
    http: [...ground],
    settings: [...ground],
    print: [...ground],
    charts: [...ground],
    sandbox: [...ground],
    semantics: ['service', 'json', 'system'],
    service: ['json', 'system'],
    json: [],
    system: [],
    errors: [],
  },
  // From the files of commands down to what they all stand on.
  ladders: {
    'src/erasure/': [
      '',
      'projects/',
      'report/',
      'proof/',
      'sending/',
      'record/',
      'people/',
      'input/',
      'options.ts',
      'core.ts',
      'facts.ts',
    ],
  },
  // A use case is handed a client and the context of its command.
  types: { erasure: ['http', 'cli'], persons: ['http', 'cli'], insights: ['http', 'cli'] },
  late: { 'src/commands/sandbox/': ['sandbox'] },
  outside: { 'src/cli/version.ts': ['package.json'] },
  packages: {
    undici: ['src/http/'],
    'lossless-json': ['src/json/'],
    conf: ['src/settings/'],
    commander: ['src/cli/'],
    chalk: ['src/print/', 'src/charts/'],
    'cli-table3': ['src/print/'],
    'string-width': ['src/system/'],
    'csv-parse': ['src/erasure/'],
    'csv-stringify': ['src/print/'],
    yauzl: ['src/erasure/input/zip-parts.ts'],
    yazl: ['src/print/zip.ts'],
    saxes: ['src/erasure/input/zip-parts.ts'],
    numfmt: ['src/erasure/input/workbook.ts'],
    re2js: ['src/semantics/pattern.ts'],
    yaml: ['src/insights/checks/', 'src/insights/answers/query-node.ts'],
    diff: ['src/print/'],
    'hyparquet-writer': ['src/print/parquet.ts'],
    'd3-format': ['src/charts/svg/'],
    'd3-scale': ['src/charts/svg/'],
    'd3-shape': ['src/charts/svg/'],
    '@duckdb/node-api': ['src/sandbox/store/'],
    // The parser of SQL runs in a thread, which can be ended, and finds its package by itself.
    'node:url': ['src/semantics/address.ts'],
    'node:events': ['src/system/open-system.ts', 'src/semantics/sql-parser.ts'],
    'node:worker_threads': ['src/semantics/sql-parser.ts'],
    'node:module': ['src/system/peers.ts'],
    'node:fs': [
      'src/settings/',
      'src/erasure/record/directory.ts',
      'src/system/',
      'src/cli/command/help-text.ts',
    ],
    'node:http': ['src/sandbox/'],
    'node:child_process': ['src/system/'],
    'node:readline': ['src/system/'],
    'node:tls': ['src/http/'],
    'node:buffer': ['src/http/'],
    // A named pipe is read like a socket, since a thread that waits for one cannot be stopped.
    'node:net': ['src/system/files.ts', 'src/http/build-request.ts'],
    'node:tty': ['src/system/'],
    'node:timers': ['src/system/'],
    'node:v8': ['src/system/'],
    'node:os': ['src/system/'],
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
        'src/json/text.ts',
        'src/completion/',
        'src/cli/command/values.ts',
        'src/cli/version.ts',
        'src/settings/',
        'src/erasure/projects/request.ts',
        'src/erasure/check.ts',
        'src/erasure/record/ids-file.ts',
        'src/erasure/record/journal.ts',
        'src/erasure/record/members.ts',
        'src/erasure/record/open.ts',
        'src/erasure/people/resolve.ts',
        'src/sandbox/analysis/breakdown.ts',
        'src/system/lock.ts',
      ],
    },
  ],
  /** A folder of more files needs rooms; that of a noun's commands has a file for each. */
  most: { files: 15, except: ['src/commands/'] },
  lines: [
    { path: 'src/commands/', containing: /\bdefineCommand\(/, most: 40 },
    // The rows of one noun are one value, and a row is written out field by field.
    { path: 'src/service/', most: 500 },
    // All verdicts of erasure are one idea, which a reviewer reads in one file.
    { path: 'src/erasure/core.ts', most: 500 },
    { path: 'test/unit/erasure/core/', most: 900 },
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
    const remedy =
      'what each floor may do is the table in this file; docs/style.md says what to do with a full one';
    expect(findFaults(floors, sources), remedy).toEqual([]);
  });

  it('hold for the length of tests', () => {
    const faults = findFaults(floors, readSources('test'));
    expect(faults.filter(({ floor }) => floor === 'lines')).toEqual([]);
  });

  it.each([
    ['commands/persons', '../../http/a.ts', '../../cli/a.ts'],
    ['commands/persons', '../../sandbox/a.ts', '../../insights/a.ts'],
    ['commands/sandbox', '../../settings/a.ts', '../../service/a.ts'],
    ['cli', '../commands/a.ts', '../settings/a.ts'],
    ['cli', '../sandbox/a.ts', '../erasure/a.ts'],
    ['cli', '../main.ts', '../errors.ts'],
    ['completion', '../commands/a.ts', '../cli/a.ts'],
    ['http', '../settings/a.ts', '../service/a.ts'],
    ['settings', '../http/a.ts', '../errors.ts'],
    ['print', '../charts/a.ts', './a.ts'],
    ['charts', '../print/a.ts', '../service/a.ts'],
    ['erasure', '../insights/a.ts', '../print/a.ts'],
    ['persons', '../erasure/a.ts', '../json/a.ts'],
    ['insights', '../persons/a.ts', '../charts/a.ts'],
    ['insights/answers', '../judging/a.ts', '../../charts/a.ts'],
    ['insights/judging', '../analyses/a.ts', '../answers/a.ts'],
    ['insights/analyses', '../get.ts', '../judging/a.ts'],
    ['insights/definitions', '../checks/a.ts', '../answers/a.ts'],
    ['insights/checks', '../../persons/a.ts', '../analyses/a.ts'],
    ['sandbox', '../print/a.ts', '../system/a.ts'],
    ['semantics', '../http/a.ts', '../service/a.ts'],
    ['service', '../semantics/a.ts', '../json/a.ts'],
    ['json', '../service/a.ts', '../errors.ts'],
    ['system', '../json/a.ts', '../errors.ts'],
    ['http', '../../test/a.ts', '../service/a.ts'],
  ])('keep %s from importing %s', (folder, closed, open) => {
    const path = `src/${folder}/planted.ts`;
    expect(faultsOf(path, `import type { A } from '${closed}';`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `export * from '${closed}';`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `const a = await import('${closed}');`)).toEqual([`folder: ${closed}`]);
    expect(faultsOf(path, `import type { A } from '${open}';`)).toEqual([]);
  });

  it.each([
    ['record', '../sending/run.ts', '../people/sql.ts'],
    ['people', '../record/plan.ts', '../input/checks.ts'],
    ['input', '../people/sql.ts', '../core.ts'],
    ['sending', '../proof/ask.ts', '../record/plan.ts'],
    ['proof', '../report/end.ts', '../sending/run.ts'],
    ['report', '../projects/request.ts', '../proof/ask.ts'],
    ['projects', '../bulk-delete.ts', '../report/end.ts'],
  ])('let erasure/%s import no room above it, such as %s', (room, closed, open) => {
    const path = `src/erasure/${room}/planted.ts`;
    expect(faultsOf(path, `import type { A } from '${closed}';`)).toEqual([`ladder: ${closed}`]);
    expect(faultsOf(path, `import { a } from '${open}';`)).toEqual([]);
    expect(faultsOf('src/erasure/core.ts', `import { a } from './${room}/a.ts';`)).toEqual([
      `ladder: ./${room}/a.ts`,
    ]);
    expect(faultsOf('src/erasure/bulk-delete.ts', `import { a } from './${room}/a.ts';`)).toEqual([]);
  });

  it('hand a use case the types of the client and of its command, and nothing that runs', () => {
    const path = 'src/erasure/planted.ts';
    expect(faultsOf(path, "import type { Client } from '../http/client.ts';")).toEqual([]);
    expect(faultsOf(path, "import { createClient } from '../http/client.ts';")).toEqual([
      'folder: ../http/client.ts',
    ]);
    expect(faultsOf('src/http/planted.ts', "import type { Rows } from '../print/rows.ts';")).toEqual([
      'folder: ../print/rows.ts',
    ]);
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
    expect(faultsOf('src/http/planted.ts', "import axios from 'axios';")).toEqual(['package: axios']);
    expect(faultsOf('src/http/planted.ts', "import type { A } from 'axios';")).toEqual(['package: axios']);
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
    ['src/http/request.ts', 350, ''],
    ['src/service/persons.ts', 500, ''],
    ['test/unit/a.test.ts', 350, ''],
  ])('keep %s within %d lines', (path, most, first) => {
    const lines = (count: number): string =>
      first + 'export const a = 1;\n'.repeat(count - (first === '' ? 0 : 1));
    expect(faultsOf(path, lines(most))).toEqual([]);
    expect(faultsOf(path, lines(most + 1))).toEqual([`lines: ${most + 1} of ${most}`]);
  });

  it('keep a folder within 15 files', () => {
    const folder = (path: string, count: number) =>
      new Map(Array.from({ length: count }, (_, at) => [`${path}/a${at}.ts`, '']));
    expect(findFaults(floors, folder('src/http', 15))).toEqual([]);
    expect(findFaults(floors, folder('src/http', 16))).toEqual([
      { floor: 'files', path: 'src/http', what: '16 of 15' },
    ]);
    expect(findFaults(floors, folder('src/commands/persons', 30))).toEqual([]);
  });

  it('find files that import each other, in the end and by type alone too', () => {
    const files = new Map([
      ['src/http/a.ts', "import { b } from './b.ts';"],
      ['src/http/b.ts', "import type { C } from './c.ts';"],
      ['src/http/c.ts', "const a = () => import('./a.ts');"],
      ['src/http/d.ts', "import { a } from './a.ts';"],
    ]);
    const cycles = findFaults(floors, files).map(({ floor, path }) => `${floor}: ${path}`);
    expect(cycles).toEqual(['cycle: src/http/a.ts', 'cycle: src/http/b.ts', 'cycle: src/http/c.ts']);
  });
});

it('are drawn in docs/decisions/picture.md', async () => {
  const picture = '../../docs/decisions/picture.md';
  await expect(floorsPicture(floors)).toMatchFileSnapshot(picture, 'npm run generate writes it anew');
});
